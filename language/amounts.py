"""Finds numbers with units in a text: digits with separators, number words, scales ("1.1 million"),
compound units ("6 ft 2 in")."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from num2words import num2words

from questloom.language.english import NUMBER_WORDS
from questloom.language.normalise import clean, fold
from questloom.language.units import PREFIXES, SUBUNITS, UNITS, Unit

COMMA_DECIMALS = frozenset(
    {
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "ca",
        "nl",
        "da",
        "sv",
        "no",
        "fi",
        "pl",
        "cs",
        "ru",
        "uk",
        "ro",
        "hu",
        "tr",
        "id",
        "el",
        "vi",
    }
)
"""Languages that write a thousand as "1.250" and 1.25 as "1,250"."""
MAX_WORD_NUMBER = 1_000
"""The largest number that is recognised in words, in languages other than English."""

_ONES = {word: number for number, word in enumerate(NUMBER_WORDS)}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
} | {"fourty": 40}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_AFTER_DIGITS = _SCALES | {
    "millions": 1e6,
    "bn": 1e9,
    "mln": 1e6,
    "dozen": 12.0,
    "dozens": 12.0,
    "millones": 1e6,
    "millionen": 1e6,
    "mil": 1e3,
    "mille": 1e3,
    "milliards": 1e9,
    "milliarden": 1e9,
    "万": 1e4,
    "萬": 1e4,
    "億": 1e8,
    "亿": 1e8,
}

_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = r"\d{1,3}(?:[ ,.']\d{3})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_SCALE = "|".join(sorted(map(re.escape, _AFTER_DIGITS), key=len, reverse=True))
_UNIT = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True) if u[-1].isalnum())
_SIGN_UNIT = "|".join(
    re.escape(u) for u in sorted(UNITS, key=len, reverse=True) if not u[-1].isalnum()
)
_PREFIX = "|".join(map(re.escape, PREFIXES))
_AMOUNT = re.compile(
    rf"(?:(?P<prefix>{_PREFIX})\s?)?(?<![\w.,])(?P<sign>-)?(?P<digits>{_DIGITS})(?![\d])"
    rf"(?:[ -]?(?P<scale>{_SCALE})(?![^\W\d_]))?(?:[ -]?(?P<unit>(?:{_UNIT})(?![^\W_])|(?:{_SIGN_UNIT})(?![^\W\d_])))?"
)
_PREPOSITION = re.compile(r"\s*\w")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a text, with its unit (if known) and its position in the text."""

    number: float
    unit: Unit | None
    start: int
    end: int


def readable(text: str, language: str = "en") -> str:
    """The text as the function `amounts` needs it: in lower case, without accents, and with digits
    for number words and fractions.

    >>> readable("Two hundred and fifty-one ships"), readable("six foot one"), readable("nineteen thirty-one"), readable("5½")
    ('251 ships', '6 foot 1', '1931', '5.5')
    """
    text = re.sub(r"(?<=\d) ?([½¼¾])", lambda m: {"½": ".5", "¼": ".25", "¾": ".75"}[m[1]], text)
    text = text.replace("½", "0.5").replace("¼", "0.25").replace("¾", "0.75")
    plain = fold(clean(text))
    return (
        digits_for_words(plain) if language == "en" else _digits_for_foreign_words(plain, language)
    )


def amounts(text: str, language: str = "en") -> list[Amount]:
    """The numbers in a text with their units, in order. The function `readable` must have prepared
    the text.

    >>> [a.number for a in amounts(readable("1,250 m in 12 parts, minus three"))]
    [1250.0, 12.0, -3.0]
    """
    return _merged(
        [a for m in _AMOUNT.finditer(text) if (a := _amount(m, text, language)) is not None], text
    )


def numbers(text: str, language: str = "en") -> tuple[float, ...]:
    """The numbers that a text states; units are not converted.

    >>> numbers("about 1,250 m, in twelve parts")
    (1250.0, 12.0)
    """
    return tuple(a.number for a in amounts(readable(text, language), language))


def blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with blanks in place of the given spans, so that only the words around them remain."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _amount(match: re.Match[str], text: str, language: str) -> Amount | None:
    number = _number(match["digits"], language)
    if match["sign"] and (
        match["prefix"] or match.start("sign") == 0 or text[match.start("sign") - 1] in " (~"
    ):
        number = -number
    number *= _AFTER_DIGITS.get(match["scale"] or "", 1.0)
    name, end = match["unit"], match.end()
    if name == "in" and _PREPOSITION.match(text[end:]):  # "3 in total" is no length
        name, end = None, match.start("unit")
    unit = UNITS[name] if name else None
    if match["prefix"]:
        if unit is not None and unit != UNITS[match["prefix"]]:
            return None
        unit = UNITS[match["prefix"]]
    return Amount(number, unit, match.start(), end)


def _number(digits: str, language: str) -> float:
    """Reads a number from its digits. Before three digits, a single separator groups thousands or starts decimals,
    depending on the language."""
    seps = re.findall(r"[ ,.']", digits)
    comma = language in COMMA_DECIMALS
    decimal = ""
    if seps:
        last = seps[-1]
        three = len(digits) - digits.rfind(last) - 1 == 3
        if (last in ".," and (not three or seps.count(last) == 1 < len(seps))) or (
            len(seps) == 1 and last == ("," if comma else ".")
        ):
            decimal = last
    whole, _, part = digits.rpartition(decimal) if decimal else (digits, "", "")
    return float(re.sub(r"[ ,.']", "", whole) + (f".{part}" if part else ""))


def _merged(found: list[Amount], text: str) -> list[Amount]:
    """Merges an amount with the smaller unit that follows it: 6 ft 2 in is one length."""
    out: list[Amount] = []
    for amount in found:
        last = out[-1] if out else None
        if last is not None and last.unit is not None:
            sub = SUBUNITS.get((last.unit.dimension, last.unit.factor))
            gap = text[last.end : amount.start]
            bare = amount.unit is None and gap in ("", " ") and last.unit.factor == 0.3048
            same = (
                amount.unit is not None
                and amount.unit.dimension == last.unit.dimension
                and amount.unit.factor == sub
            )
            if (
                sub is not None
                and (bare or same)
                and gap.strip(" ,") in ("", "and")
                and 0 <= amount.number * sub < last.unit.factor
            ):
                out[-1] = replace(
                    last,
                    number=last.number + amount.number * sub / last.unit.factor,
                    end=amount.end,
                )
                continue
        out.append(amount)
    return out


def digits_for_words(text: str) -> str:
    """Replaces English number words by digits, including "a hundred" and "half a million"."""
    text = re.sub(r"\bhalf an? (?=million|billion|thousand|dozen)", "0.5 ", text)
    text = re.sub(
        r"\b(?:a|an) (?=(?:hundred|thousand|million|billion|trillion|dozen)\b)", "one ", text
    )
    text = re.sub(r"\b(?:minus|negative) (?=\d|" + "|".join(_ONES | _TENS) + ")", "-", text)
    out, end = "", 0
    words = list(_WORD.finditer(text))
    i = 0
    while i < len(words):
        if words[i][0] not in _ONES and words[i][0] not in _TENS:
            i += 1
            continue
        value, used = _spoken(text, words[i:])
        after = words[i + used - 1].end()
        out += text[end : words[i].start()] + f"{value:.15g}"
        half = re.match(r" and a half\b", text[after:])
        if half:
            out, after = out + ".5", after + half.end()
        end = after
        i += used
    return re.sub(r"\b(1\d|20)[ -]oh[ -](\d)\b", r"\g<1>0\2", out + text[end:])


def _spoken(text: str, words: list[re.Match[str]]) -> tuple[float, int]:
    """The number that the first words state, and how many words belong to it."""
    total = current = 0.0
    used, last, year = 0, "", False
    for i, word in enumerate(words):
        gap = text[words[i - 1].end() : word.start()] if i else ""
        if i and gap not in (" ", "-", ", "):
            break
        said = word[0]
        small = _ONES.get(said, _TENS.get(said))
        if small is not None:
            fits = last in ("", "hundred", "scale", "and") or (last in _TENS and 0 < small < 10)
            if small >= 10 and (last in _TENS or _ONES.get(last, 0) >= 10):
                if year or not 10 <= current <= 21 or gap not in (" ", "-"):  # nineteen thirty-one
                    break
                current, year = current * 100 + small, True
            elif fits and (last != "scale" or gap != "-"):
                current += small
            else:
                break
            last, used = said, i + 1
        elif (
            said == "hundred"
            and last
            and last in (*_ONES, *_TENS)
            and 0 < current < 100
            and not year
        ):
            current, last, used = current * 100, "hundred", i + 1
        elif (
            said in _SCALES and said != "hundred" and last not in ("", "and", "scale") and not year
        ):
            total, current, last, used = total + current * _SCALES[said], 0.0, "scale", i + 1
        elif (
            said == "and"
            and last in ("hundred", "scale")
            and i + 1 < len(words)
            and (words[i + 1][0] in _ONES or words[i + 1][0] in _TENS)
        ):
            last = "and"
        else:
            break
    return total + current, used


def _digits_for_foreign_words(text: str, language: str) -> str:
    names = _word_numbers(language)
    if not names:
        return text
    longest = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)")
    return longest.sub(lambda m: str(names[m[1]]), text)


@lru_cache(16)
def _word_numbers(language: str) -> dict[str, int]:
    """Number words of a language, longest first; {} if the library has none. The words for 1 are left out, because many
    languages also use them as articles."""
    try:
        names = {
            fold(clean(num2words(n, lang=language))): n for n in (0, *range(2, MAX_WORD_NUMBER + 1))
        }
    except NotImplementedError:
        return {}
    return dict(sorted(names.items(), key=lambda item: -len(item[0])))
