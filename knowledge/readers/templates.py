"""Replaces the few templates that stand for words in a sentence; all other templates are removed with their contents.

This module knows the commonest templates in sentences and infobox fields of English Wikipedia (convert, dates,
language, lists). Other editions of Wikipedia share many of the templates' names.
"""

import re
from collections.abc import Callable

from questloom.knowledge.readers.markup import arguments, outer_spans
from questloom.language.english import MONTHS

MAX_DEPTH = 5
"""Maximum nesting depth of templates. Templates that are nested deeper are removed, which limits
the number of passes over the text."""
_LINK = re.compile(r"\[\[(?:[^\[\]|]*+\|)?([^\[\]]*+)\]\]")
_NAMED = re.compile(r"\s*+[\w \-]++\s*+=(?!=)")
_NAME = re.compile(r"\s*[^|{}\[\]<>\n]{0,100}")

Arguments = list[str]


def expand_templates(text: str, *, separator: str = " ", depth: int = 0) -> str:
    """Replaces the templates that stand for words; removes all other templates.

    Args:
        text: wikitext without tags and comments.
        separator: the text between the items of a list template.
        depth: number of templates that enclose the text.
    """
    if "{{" not in text:
        return text
    out, pos = [], 0
    for start, end in outer_spans(text)[0]:
        out.append(text[pos:start])
        if depth < MAX_DEPTH:
            out.append(expand_template(text[start + 2 : end - 2], separator=separator, depth=depth))
        pos = end
    out.append(text[pos:])
    return "".join(out)


def template_name(text: str, start: int = 0) -> str:
    """Returns the name of the template whose content begins at `start`: in lower case, with spaces
    for underscores."""
    name = _NAME.match(text, start)[0].lower()  # type: ignore[index]  # matches the empty string too
    return (
        " ".join(name.replace("_", " ").split())
        if "_" in name or "\n" in name or "  " in name
        else name.strip()
    )


def stands_for_words(name: str) -> bool:
    """Whether a template with this name (in lower case) stands for words of a sentence."""
    return name in _HANDLERS or name.startswith("lang-")


def expand_template(inside: str, *, separator: str = " ", depth: int = 0) -> str:
    """Returns the words that one template stands for, or "" if it stands for none. Links inside a
    template become plain words and do not count as body links."""
    name = template_name(inside)
    handler = _HANDLERS.get(name) or (_text_of_language if name.startswith("lang-") else None)
    if handler is None:
        return ""
    positional = [a for a in list(arguments(inside))[1:] if not _NAMED.match(a)]
    positional = [
        _LINK.sub(r"\1", expand_templates(a, separator=separator, depth=depth + 1)).strip()
        for a in positional
    ]
    words = handler(positional)
    return separator.join(w for w in words if w) if isinstance(words, list) else words


def _nth(index: int) -> Callable[[Arguments], str]:
    return lambda a: a[index] if len(a) > index else ""


def _constant(text: str) -> Callable[[Arguments], str]:
    return lambda a: text


def _text_of_language(a: Arguments) -> str:
    return a[-1] if a else ""


def _convert(a: Arguments) -> str:
    """{{convert|10|km|mi}} becomes the number with its original unit. Ranges of numbers have the
    form {{convert|10|to|20|km}}."""
    if len(a) < 2:
        return " ".join(a)
    a = [f"{int(x):,}" if x.isascii() and x.isdigit() and len(x) > 4 else x for x in a]
    if len(a) > 3 and a[1] in ("to", "-", "–", "and", "x", "by", "or", "to(-)", "+/-"):
        joint = {"-": "–", "to(-)": "–", "x": " × ", "by": " × ", "+/-": " ± "}.get(
            a[1], f" {a[1]} "
        )
        return f"{a[0]}{joint}{a[2]} {_UNITS.get(a[3], a[3])}"
    return f"{a[0]} {_UNITS.get(a[1], a[1])}"


_UNITS = {
    "sqkm": "km²",
    "km2": "km²",
    "m2": "m²",
    "sqmi": "sq mi",
    "sqft": "sq ft",
    "m3": "m³",
    "km3": "km³",
    "C": "°C",
    "F": "°F",
    "kph": "km/h",
    "impgal": "imp gal",
    "USgal": "US gal",
}


def _date(a: Arguments) -> str:
    """The template {{birth date|1889|4|20}} becomes "20 April 1889". Missing parts of a date are
    left out."""
    numbers = [x for x in a if re.fullmatch(r"\d{1,4}", x)]
    if not numbers:
        return a[0] if a else ""
    year, month, day = (*numbers[:3], "", "")[:3]
    if not month or not 1 <= int(month) <= 12:
        return year
    name = MONTHS[int(month) - 1]
    return f"{int(day)} {name} {year}" if day and 1 <= int(day) <= 31 else f"{name} {year}"


def _circa(a: Arguments) -> str:
    return "c. " + "–".join(a) if a else "c."


def _items(a: Arguments) -> list[str]:
    return [x.strip() for part in a for x in re.split(r"(?:^|\n)\s*\*+", part)]


def _before(sign: str) -> Callable[[Arguments], str]:
    return lambda a: sign + a[0] if a else ""


def _named(
    names: str, handler: Callable[[Arguments], str | list[str]]
) -> dict[str, Callable[[Arguments], str | list[str]]]:
    """Registers one handler under several names of templates. Bars separate the template names."""
    return {" ".join(name.split()): handler for name in names.split("|")}


_HANDLERS: dict[str, Callable[[Arguments], str | list[str]]] = {
    **_named("convert|cvt", _convert),
    **_named("circa|c.|ca", _circa),
    **_named("lang|native name", _nth(1)),
    **_named("transl|transliteration", _text_of_language),
    **_named(
        """nowrap|nobr|nobreak|no wrap|j|wj|small|smaller|big|larger|resize|center|em|strong|mvar|math|var|sub|sup|key|
             keypress|samp|nobold|noitalic|noitalics|not a typo|notatypo|as written|ship name|allow wrap|nq|tq|quote|
             blockquote|cquote|quotation|smallcaps|sc|sm|indented|font|flag|flagcountry|flagu|nihongo|abbr|tooltip|sic|ill|
             interlanguage link|val|formatnum:|ordinal|url|official website|age in years|nationality|marriage""",
        _nth(0),
    ),
    **_named("hms", _before("HMS ")),
    **_named("uss", _before("USS ")),
    **_named("ss", _before("SS ")),
    **_named("isbn", _before("ISBN ")),
    **_named("us$|usd", _before("$")),
    **_named("gbp|£", _before("£")),
    **_named("€|euro", _before("€")),
    **_named("inr", _before("₹")),
    "frac": lambda a: "/".join(a[-2:]),
    "ship": lambda a: " ".join(a[:2]),
    "sortname": lambda a: " ".join(a[:2]),
    "as of": lambda a: "as of " + _date(a) if a else "",
    "!": _constant("|"),
    "=": _constant("="),
    "'": _constant("'"),
    "'s": _constant("'s"),
    "·": _constant(" · "),
    "•": _constant(" • "),
    **_named("spaces|nbsp|space", _constant(" ")),
    **_named("snd|spnd|spaced ndash|ndash|dash|en dash", _constant(" – ")),
    **_named("mdash|em dash|spaced mdash", _constant(" — ")),
    **_named(
        """birth date|birth date and age|birth-date|birth-date and age|birth year and age|birth date and given age|bda|
             dob|death date|death date and age|death-date|death-date and age|death year and age|dda|start date|start-date|
             start date and age|end date|end-date|film date|date|release date|opening date|launch date|
             birth based on age as of date""",
        _date,
    ),
    **_named(
        """plainlist|unbulleted list|unbulleted|ubl|ublist|hlist|flatlist|bulleted list|flowlist|cslist|ordered list|
             collapsible list|tree list""",
        _items,
    ),
}
