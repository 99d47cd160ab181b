"""Reads `-{…}-`, the markup of MediaWiki's language converter, as a reader of the main variant sees
it. No text is transliterated.

A language converter shows pages in the variants of one language, such as two scripts. A rule
`-{…}-` marks words that differ between the variants or must not be converted. In wikis without a
converter `-{…}-` is plain text. For a reader without conversion, the wiki shows one of these texts
for a rule:

```
-{text}-  -{R|text}-  -{zh-hans;zh-hant|text}-   the text
-{zh-hans:a;zh-hant:b}-  -{A|…}-                 the wording of the variant that comes first in `VARIANTS`
-{a=>zh-hans:b}-                                 b, unless a wording of the other kind stands beside it
-{H|…}-  -{T|…}-  -{-|…}-  -{N|…}-               nothing: hidden rules, rules for the title, withdrawn rules; a name
-{D|…}-                                          the wordings; the wiki puts the variants' names before them
```

If a rule has no wording for the main variant and its fallbacks, the wiki shows an error message,
but this module takes the wording of the next variant. A rule for the page's title is ignored,
because the title in the dump is already that of the main variant.

Sources: https://www.mediawiki.org/wiki/Writing_systems/Syntax; MediaWiki's `ConverterRule`, `LanguageConverter`
(nesting, rules without an end) and the converters' lists of variants.
"""

import functools
import re
from typing import NamedTuple

MAX_DEPTH = 10
"""Maximum nesting depth of rules `-{…}-`. As in MediaWiki, if a rule is nested deeper, its opening
`-{` is plain text."""
VARIANTS = {
    language: tuple(codes.split())
    for language, codes in {
        "zh": "zh zh-hans zh-hant zh-cn zh-tw zh-hk zh-sg zh-mo zh-my",
        "gan": "gan gan-hans gan-hant",
        "wuu": "wuu wuu-hans wuu-hant",
        "sr": "sr sr-ec sr-el",
        "sh": "sh-latn sh-cyrl",
        "kk": "kk kk-cyrl kk-latn kk-arab kk-kz kk-tr kk-cn",
        "uz": "uz uz-latn uz-cyrl",
        "iu": "iu ike-cans ike-latn",
        "ku": "ku ku-latn ku-arab",
        "crh": "crh crh-latn crh-cyrl",
        "shi": "shi shi-latn shi-tfng",
        "tg": "tg tg-latn",
        "tly": "tly tly-cyrl",
        "ban": "ban ban-bali ban-x-dharma ban-x-palmleaf ban-x-pku",
        "mni": "mni mni-beng",
        "zgh": "zgh zgh-latn",
    }.items()
}
"""The variants of a wiki's language: first the main variant, then its fallbacks, then the others."""
MAIN = 0
"""The rank of the main variant, which a wiki shows to readers without conversion."""
_OTHER_NAMES = {
    "sr-cyrl": "sr-ec",
    "sr-latn": "sr-el",
    "kk-arab-cn": "kk-cn",
    "kk-latn-tr": "kk-tr",
    "zh-hans-cn": "zh-cn",
    "zh-hans-sg": "zh-sg",
    "zh-hans-my": "zh-my",
    "zh-hant-tw": "zh-tw",
    "zh-hant-hk": "zh-hk",
    "zh-hant-mo": "zh-mo",
}
"""BCP 47 names of language variants that MediaWiki also knows by another name. MediaWiki accepts
both the BCP 47 name and its own name of a variant."""
_SIGN = re.compile(r"(?=(-\{(?!\{)|\}-|\{\{|\}\}))")
""""-{{" is a hyphen that stands before a template. The regular expression finds overlapping signs
by lookahead, because "}}-" may be the end of a template or of a rule."""
_BRACES = re.compile(r"\{\{|\}\}")
_FLAGS = re.compile(r"([^|\[{]*)\|")
"""Flags of a rule stand before its first bar; "-{[[A|b]]}-" has no flags."""
_ENTITY_END = re.compile(r"(&[#a-zA-Z0-9]+);")


class _Converter(NamedTuple):
    """The data that are needed to read a language's rules."""

    variants: dict[str, int]
    """Maps each name of a variant, in lower case, to the variant's rank."""
    separator: re.Pattern[str]
    """The separator between the choices in a rule: a semicolon before a variant's name or a one-way
    rule, or the end of the rule."""


@functools.cache
def _converter(language: str) -> _Converter | None:
    codes = VARIANTS.get(language.lower())
    if codes is None:
        return None
    variants = {code: rank for rank, code in enumerate(codes)}
    variants |= {other: variants[code] for other, code in _OTHER_NAMES.items() if code in variants}
    names = "|".join(map(re.escape, variants))
    return _Converter(
        variants, re.compile(rf";\s*+(?=(?:{names})\s*:|[^;]*?=>\s*(?:{names})\s*:|\s*$)", re.I)
    )


def has_converter(language: str) -> bool:
    """Whether wikis in a language have a language converter."""
    return language.lower() in VARIANTS


def without_rules(text: str, language: str) -> str:
    """Replaces each rule with the text that it shows. If the language has no converter, the text stays unchanged.

    A rule without an end is plain text. Rules and templates do not overlap: if a rule begins in a
    template, it must end in that template. The time for replacing all rules is linear in the length
    of the text.

    Args:
        text: wikitext without tags and comments; literal text (nowiki) is protected.
        language: language code of the wiki.

    >>> without_rules("由-{zh-hans:计算机;zh-hant:電腦}-公司，-{張三}-", "zh"), without_rules("-{x}-", "en")
    ('由计算机公司，張三', '-{x}-')
    """
    converter = _converter(language) if "-{" in text else None
    if converter is None:
        return text
    templates = _template_signs(text)
    levels: list[list[str]] = [[]]  # the text so far, and the text of each open rule
    floors = [1]  # the number of levels at the start of the page and of each open template
    pos = 0
    for found in _SIGN.finditer(text):
        at, sign = found.start(), found[1]
        if (
            at < pos
            or (sign in ("{{", "}}") and at not in templates)
            or (sign == "-{" and len(levels) > MAX_DEPTH)
            or (sign == "}-" and len(levels) == floors[-1])
        ):
            continue
        _put(levels, text[pos:at])
        pos = at + 2
        if sign == "-{":
            levels.append([])
        elif sign == "}-":
            shown = _shown("".join(levels.pop()), converter)
            if (
                not shown
                and text[pos : pos + 1] == "\n"
                and (not levels[-1] or levels[-1][-1][-1] == "\n")
            ):
                pos += 1  # a rule that shows nothing is removed with its line
            _put(levels, shown)
        else:
            if sign == "{{":
                floors.append(len(levels))
            else:
                _close(levels, floors.pop())
            _put(levels, sign)
    _put(levels, text[pos:])
    _close(levels, 1)
    return "".join(levels[0])


def _template_signs(text: str) -> set[int]:
    """The positions of the braces that belong to complete templates."""
    begun: list[int] = []
    signs = set()
    for found in _BRACES.finditer(text):
        if found[0] == "{{":
            begun.append(found.start())
        elif begun:
            signs |= {begun.pop(), found.start()}
    return signs


def _put(levels: list[list[str]], text: str) -> None:
    if text:
        levels[-1].append(text)


def _close(levels: list[list[str]], floor: int) -> None:
    """Turns rules without an end back into plain text."""
    while len(levels) > floor:
        inner = "".join(levels.pop())
        levels[-1].append("-{" + inner)


def _shown(rule: str, converter: _Converter) -> str:
    """Returns the text that one rule shows; `rule` is the text between the rule's braces."""
    head = _FLAGS.match(rule)
    flags = ({flag.strip() for flag in head[1].split(";")} if head else set()) & {
        *"ADHNRT-",
        *converter.variants,
    }
    body = rule[head.end() :] if head else rule
    if "R" in flags:
        return body
    if flags & {"N", "-"} or flags == {"T"} or ("H" in flags and "D" not in flags):
        return ""
    if not flags.isdisjoint(converter.variants):
        return body
    two_way, one_way = _wordings(body, converter)
    if "D" in flags:
        return "; ".join((*two_way.values(), *one_way.values())) or body
    if two_way:
        return two_way[min(two_way)]
    return one_way.get(MAIN, next(iter(one_way.values()))) if one_way else body


def _wordings(body: str, converter: _Converter) -> tuple[dict[int, str], dict[int, str]]:
    """Reads the wordings in a rule. Returns two dicts from a variant's rank to its wording: one for
    wordings "variant:wording", one for "other=>variant:wording". If a variant has several one-way
    wordings, the first is kept.

    If the text is not a rule, both dicts are empty.
    """
    two_way: dict[int, str] = {}
    one_way: dict[int, str] = {}
    for choice in converter.separator.split(
        _ENTITY_END.sub("\\1\x01", body.replace("=&gt;", "=>"))
    ):
        name, colon, wording = choice.replace("\x01", ";").partition(":")
        if not colon:
            continue
        before, arrow, variant = name.rpartition("=>")
        rank = converter.variants.get(variant.strip().lower())
        if rank is None:
            return {}, {}
        if arrow and before.strip():
            one_way.setdefault(rank, wording.strip())
        elif not arrow and wording.strip():
            two_way[rank] = wording.strip()
    return two_way, one_way
