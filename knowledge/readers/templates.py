"""The few templates that stand for words of the sentence itself; every other one is dropped with what it holds.

Covers what English Wikipedia uses most inside sentences and infobox fields (convert, dates, language, lists); other editions share many of the names.
"""
import re
from collections.abc import Callable

from knowledge.readers.markup import arguments, outer_spans

MAX_DEPTH = 5
"""Templates in templates beyond which the inner ones are dropped; bounds the work to this many passes."""
_MONTHS = ("", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]")
_NAMED = re.compile(r"\s*[\w \-]+\s*=(?!=)")
_NAME = re.compile(r"\s*[^|{}\[\]<>\n]{0,100}")

Arguments = list[str]


def expand_templates(text: str, *, separator: str = " ", depth: int = 0) -> str:
    """The text with templates that stand for words replaced by them, and without the others.

    Args:
        text: without tags and comments.
        separator: between the items of a list template.
        depth: of templates around it.
    """
    if "{{" not in text:
        return text
    out, pos = [], 0
    for start, end in outer_spans(text)[0]:
        out.append(text[pos:start])
        if depth < MAX_DEPTH:
            out.append(expand_template(text[start + 2:end - 2], separator=separator, depth=depth))
        pos = end
    out.append(text[pos:])
    return "".join(out)


def template_name(text: str, start: int = 0) -> str:
    """The name of the template whose inside begins at `start`, in lower case with blanks."""
    name = _NAME.match(text, start)[0].lower()  # type: ignore[index]  # matches the empty string too
    return " ".join(name.replace("_", " ").split()) if "_" in name or "\n" in name or "  " in name else name.strip()


def stands_for_words(name: str) -> bool:
    """Whether a template of this (lower-case) name is part of the sentence."""
    return name in _HANDLERS or name.startswith("lang-")


def expand_template(inside: str, *, separator: str = " ", depth: int = 0) -> str:
    """The words that one template stands for, or ""; links in it are words, not links of the body."""
    name = template_name(inside)
    handler = _HANDLERS.get(name) or (_text_of_language if name.startswith("lang-") else None)
    if handler is None:
        return ""
    positional = [a for a in list(arguments(inside))[1:] if not _NAMED.match(a)]
    positional = [_LINK.sub(r"\1", expand_templates(a, separator=separator, depth=depth + 1)).strip() for a in positional]
    words = handler(positional)
    return separator.join(w for w in words if w) if isinstance(words, list) else words


def _nth(index: int) -> Callable[[Arguments], str]:
    return lambda a: a[index] if len(a) > index else ""


def _constant(text: str) -> Callable[[Arguments], str]:
    return lambda a: text


def _text_of_language(a: Arguments) -> str:
    return a[-1] if a else ""


def _convert(a: Arguments) -> str:
    """{{convert|10|km|mi}}: the number and the unit it is given in; ranges as {{convert|10|to|20|km}}."""
    if len(a) < 2:
        return " ".join(a)
    a = [f"{int(x):,}" if x.isascii() and x.isdigit() and len(x) > 4 else x for x in a]
    if len(a) > 3 and a[1] in ("to", "-", "–", "and", "x", "by", "or", "to(-)", "+/-"):
        joint = {"-": "–", "to(-)": "–", "x": " × ", "by": " × ", "+/-": " ± "}.get(a[1], f" {a[1]} ")
        return f"{a[0]}{joint}{a[2]} {_UNITS.get(a[3], a[3])}"
    return f"{a[0]} {_UNITS.get(a[1], a[1])}"


_UNITS = {"sqkm": "km²", "km2": "km²", "m2": "m²", "sqmi": "sq mi", "sqft": "sq ft", "m3": "m³", "km3": "km³", "C": "°C", "F": "°F", "K": "K",
          "kph": "km/h", "impgal": "imp gal", "USgal": "US gal"}


def _date(a: Arguments) -> str:
    """{{birth date|1889|4|20}}: "20 April 1889"; as much of it as is given."""
    numbers = [x for x in a if re.fullmatch(r"\d{1,4}", x)]
    if not numbers:
        return a[0] if a else ""
    year, month, day = (*numbers[:3], "", "")[:3]
    if not month or not 1 <= int(month) <= 12:
        return year
    return f"{int(day)} {_MONTHS[int(month)]} {year}" if day and 1 <= int(day) <= 31 else f"{_MONTHS[int(month)]} {year}"


def _circa(a: Arguments) -> str:
    return "c. " + "–".join(a) if a else "c."


def _items(a: Arguments) -> list[str]:
    return [x.strip() for part in a for x in re.split(r"(?:^|\n)\s*\*+", part)]


_HANDLERS: dict[str, Callable[[Arguments], str | list[str]]] = {
    "convert": _convert, "cvt": _convert, "circa": _circa, "c.": _circa, "ca": _circa, "lang": _nth(1), "transl": _text_of_language,
    "transliteration": _text_of_language, "nihongo": _nth(0), "abbr": _nth(0), "tooltip": _nth(0), "sic": _nth(0), "ill": _nth(0), "interlanguage link": _nth(0),
    "val": lambda a: a[0] if a else "", "formatnum:": _nth(0), "frac": lambda a: "/".join(a[-2:]), "ordinal": _nth(0),
    "url": _nth(0), "official website": _nth(0), "age in years": _nth(0), "as of": lambda a: "as of " + _date(a) if a else "", "nationality": _nth(0),
    "marriage": _nth(0), "native name": _nth(1), "ship": lambda a: " ".join(a[:2]), "isbn": lambda a: "ISBN " + a[0] if a else "",
    "!": _constant("|"), "=": _constant("="), "'": _constant("'"), "'s": _constant("'s"), "·": _constant(" · "), "•": _constant(" • "),
    "spaces": _constant(" "), "nbsp": _constant(" "), "space": _constant(" "), "zwsp": _constant(""),
    **dict.fromkeys(("snd", "spnd", "spaced ndash", "ndash", "dash", "en dash"), _constant(" – ")),
    **dict.fromkeys(("mdash", "em dash", "spaced mdash"), _constant(" — ")),
    **dict.fromkeys(("nowrap", "nobr", "nobreak", "j", "small", "smaller", "big", "larger", "em", "strong", "mvar", "math", "var", "sub", "sup",
                     "no wrap", "noitalic", "noitalics", "not a typo", "notatypo", "as written", "ship name", "keypress", "key", "samp", "nobold",
                     "flag", "flagicon text", "flagcountry", "flagu", "flagdeco text", "sortname text", "wj", "resize", "allow wrap", "center", "nq", "tq",
                     "quote", "blockquote", "cquote", "quotation", "smallcaps", "sc", "sm", "ss", "ssub", "uss", "hms", "gbp", "indented"), _nth(0)),
    "hms": lambda a: "HMS " + a[0] if a else "", "uss": lambda a: "USS " + a[0] if a else "", "ss": lambda a: "SS " + a[0] if a else "",
    "gbp": lambda a: "£" + a[0] if a else "", "us$": lambda a: "$" + a[0] if a else "", "usd": lambda a: "$" + a[0] if a else "",
    "inr": lambda a: "₹" + a[0] if a else "", "€": lambda a: "€" + a[0] if a else "", "£": lambda a: "£" + a[0] if a else "",
    "sortname": lambda a: " ".join(a[:2]), "font": _nth(0), "rp": _constant(""),
    **dict.fromkeys(("birth date", "birth date and age", "death date", "death date and age", "start date", "end date", "start date and age", "bda", "dda",
                     "film date", "birth-date", "death-date", "birth year and age", "dob", "birth date and given age", "date", "start-date", "end-date",
                     "birth-date and age", "death-date and age", "death year and age", "birth based on age as of date", "release date",
                     "opening date", "launch date"), _date),
    **dict.fromkeys(("plainlist", "unbulleted list", "ubl", "hlist", "flatlist", "bulleted list", "flowlist", "ublist", "cslist", "ordered list",
                     "unbulleted", "collapsible list", "tree list"), _items),
}
