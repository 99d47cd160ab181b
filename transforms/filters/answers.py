"""Whether a solver's words are the answer: typed, exact after normalisation, and without a model.

A miss here is not yet a wrong answer: where the recipe configures a judge, `solvers.py` asks it about every miss. A hit
is certain, so the rules are strict: a number must be the number, a date must be at least as exact as the question asks.
"""
import re
from dataclasses import dataclass
from functools import lru_cache

from num2words import num2words

from agent.judges.dates import MONTHS
from records.synthesis import Answer
from transforms.certificate.leak import folded

ARTICLES = {"en": ("the", "a", "an"), "fr": ("le", "la", "les", "l", "un", "une"), "es": ("el", "la", "los", "las", "un", "una"),
            "de": ("der", "die", "das", "ein", "eine"), "it": ("il", "lo", "la", "i", "gli", "le", "l"), "pt": ("o", "a", "os", "as"),
            "ca": ("el", "la", "els", "les", "l", "un", "una"), "nl": ("de", "het", "een")}
LEAD_INS = {"en": ("in", "on", "at", "by", "about", "it is", "it was", "the year", "in the year", "the answer is")}
"""What solvers put before a bare answer."""

# Units as solvers write them: dimension and factor to its base. Units outside the table are compared as words.
UNITS = {"m": ("length", 1.0), "metre": ("length", 1.0), "meter": ("length", 1.0), "km": ("length", 1e3), "kilometre": ("length", 1e3),
         "kilometer": ("length", 1e3), "cm": ("length", 1e-2), "centimetre": ("length", 1e-2), "centimeter": ("length", 1e-2),
         "mm": ("length", 1e-3), "millimetre": ("length", 1e-3), "millimeter": ("length", 1e-3), "foot": ("length", 0.3048),
         "feet": ("length", 0.3048), "ft": ("length", 0.3048), "inch": ("length", 0.0254), "mile": ("length", 1609.344),
         "g": ("mass", 1e-3), "gram": ("mass", 1e-3), "kg": ("mass", 1.0), "kilogram": ("mass", 1.0), "t": ("mass", 1e3),
         "tonne": ("mass", 1e3), "km²": ("area", 1e6), "square kilometre": ("area", 1e6), "square kilometer": ("area", 1e6),
         "m²": ("area", 1.0), "square metre": ("area", 1.0), "square meter": ("area", 1.0), "ha": ("area", 1e4), "hectare": ("area", 1e4),
         "second": ("time", 1.0), "s": ("time", 1.0), "minute": ("time", 60.0), "min": ("time", 60.0), "hour": ("time", 3600.0),
         "h": ("time", 3600.0)}
MAX_WORD_NUMBER = 100
"""Numbers that are recognised in words."""
MAX_CHARS = 400

_NUMBER = re.compile(r"(?<!\d)[-−]?(?:\d{1,3}(?:[ ,\u00a0\u202f]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)?)")
_ISO = re.compile(r"(-?)(\d{3,4})-(\d{1,2})(?:-(\d{1,2}))?(?!\d)")
_CJK = re.compile(r"(\d{1,4})\s*年(?:\s*(\d{1,2})\s*月)?(?:\s*(\d{1,2})\s*日)?")
_YEAR = re.compile(r"(?<![\d.,])(\d{1,4})\s*(bce|bc|b\.c\.e?\.?|v\. chr\.|av\. j\.-c\.|a\. c\.)?(?![\d.,]*\d)", re.IGNORECASE)


@dataclass(frozen=True)
class Day:
    """A date as far as it is said: year (negative before Christ), month and day or 0."""

    year: int
    month: int = 0
    day: int = 0

    def agrees(self, other: "Day") -> bool:
        """Whether the other says everything that this one says."""
        return self.year == other.year and self.month in (0, other.month) and self.day in (0, other.day)


def matches(answer: Answer, said: str, language: str = "en") -> bool:
    """Whether the words are the answer.

    Args:
        answer: value, text, aliases, type, unit and precision.
        said: a solver's final answer; anything longer than a phrase does not match.
        language: of question and answer.
    """
    said = " ".join(said.split())
    if not said or len(said) > MAX_CHARS:
        return False
    wordings = (answer.text, *answer.aliases)
    if answer.type == "quantity":  # a name's key has neither sign nor decimal point
        return said.casefold() in (w.casefold() for w in wordings) or _quantity_matches(answer, said, language)
    if any(name_key(said, language) == name_key(w, language) != "" for w in wordings):
        return True
    return answer.type == "date" and _date_matches(answer, said)


def name_key(name: str, language: str = "en") -> str:
    """A name without case, accents, punctuation, articles, lead-in and bracketed addition.

    >>> name_key("The Church of Sant Martí (Palafrugell)")
    'church of sant marti'
    """
    bare = re.sub(r"\s*\([^()]*\)\s*$", "", name) or name
    key = folded(bare.replace("&", " and ")).strip() if language == "en" else folded(bare).strip()
    for words in (LEAD_INS.get(language, ()), ARTICLES.get(language, ())):
        for lead in sorted(words, key=len, reverse=True):
            if key.startswith(lead + " "):
                key = key[len(lead) + 1:]
                break
    return key


def dates(text: str) -> tuple[Day, ...]:
    """The dates that a text says, each as exactly as it says it, in order of exactness.

    >>> dates("12 May 1931 (a Tuesday)")
    (Day(year=1931, month=5, day=12),)
    """
    found: list[Day] = []
    rest = text
    for pattern, build in ((_ISO, lambda m: Day(int(m[2]) * (-1 if m[1] else 1), int(m[3]), int(m[4] or 0))),
                           (_CJK, lambda m: Day(int(m[1]), int(m[2] or 0), int(m[3] or 0)))):
        for match in pattern.finditer(rest):
            found.append(build(match))
        rest = pattern.sub(" ", rest)
    words = folded(rest).split()
    if any(w in MONTHS for w in words):
        day = _spelled(words)
        return (*found, day) if day else tuple(found)
    for match in _YEAR.finditer(rest):
        found.append(Day(int(match[1]) * (-1 if match[2] else 1)))
    return tuple(dict.fromkeys(d for d in found if d.month <= 12 and d.day <= 31))


def _spelled(words: list[str]) -> Day | None:
    """One date with its month in words, in any order: "12 May 1931", "May 12th, 1931", "12 de maig de 1931"."""
    months = [MONTHS[w] for w in words if w in MONTHS]
    numbers = [int(m[1]) for w in words if (m := re.fullmatch(r"(\d{1,4})(?:st|nd|rd|th)?", w))]
    if len(months) != 1 or not 1 <= len(numbers) <= 2:
        return None
    before = any(w in ("bc", "bce") for w in words)
    if len(numbers) == 1:
        return Day(-numbers[0] if before else numbers[0], months[0])
    day, year = sorted(numbers) if max(numbers) > 31 else numbers
    return Day(-year if before else year, months[0], day) if 1 <= day <= 31 else None


def day_of(time: str, precision: int) -> Day:
    """A Wikidata time, as far as its precision goes (9 year, 10 month, 11 day).

    >>> day_of("+1931-05-12T00:00:00Z", 10)
    Day(year=1931, month=5, day=0)
    """
    year, month, day = [*time.lstrip("+-")[:10].split("-"), "0", "0"][:3]
    return Day(int(year) * (-1 if time.startswith("-") else 1), int(month) if precision >= 10 else 0, int(day) if precision >= 11 else 0)


def _date_matches(answer: Answer, said: str) -> bool:
    if answer.value.kind != "time":
        return False
    asked = {"year": 9, "month": 10, "day": 11}.get(answer.precision, answer.value.precision)
    wanted, full = day_of(answer.value.time, min(asked, answer.value.precision)), day_of(answer.value.time, answer.value.precision)
    found = dates(said)
    # Everything said must be right: a right year with a wrong day is wrong, two years are no answer.
    return len(found) == 1 and wanted.agrees(found[0]) and (found[0].agrees(full) or full.agrees(found[0]))


def numbers(text: str, language: str = "en") -> tuple[float, ...]:
    """The numbers that a text says, in digits or, up to a hundred, in words; thousands separators are understood.

    >>> numbers("about 1,250 m, in twelve parts")
    (1250.0, 12.0)
    """
    found = []
    for match in _NUMBER.finditer(text):
        digits = match[0].replace("−", "-")
        grouped = re.fullmatch(r"-?\d{1,3}(?:[ ,\u00a0\u202f]\d{3})+(?:\.\d+)?", digits)
        found.append(float(re.sub(r"[ ,\u00a0\u202f]", "", digits) if grouped else digits.replace(",", ".").replace(" ", "")))
    if not found or language == "en":
        words = folded(_NUMBER.sub(" ", text))
        spelled = [(words.index(f" {name} "), -len(name), number) for name, number in _word_numbers(language) if f" {name} " in words]
        end = -1
        for at, length, number in sorted(spelled):
            if at >= end:
                found.append(float(number))
                end = at - length
    return tuple(found)


@lru_cache(64)
def _word_numbers(language: str) -> tuple[tuple[str, int], ...]:
    try:
        return tuple((folded(num2words(n, lang=language)).strip(), n) for n in range(MAX_WORD_NUMBER + 1))
    except NotImplementedError:
        return ()  # no words for this language: digits only


def _quantity_matches(answer: Answer, said: str, language: str) -> bool:
    wanted = answer.value.number
    found = numbers(said, language)
    if wanted is None or len(found) != 1:
        return False
    own, other = _unit(answer.unit), _unit(re.sub(_NUMBER, " ", said).strip(" .~≈"))
    if own is None or other is None or own == other:
        return _equal(found[0], wanted)
    return own[0] == other[0] and _equal(found[0] * other[1], wanted * own[1])


def _unit(words: str) -> tuple[str, float] | None:
    """Dimension and factor of the unit among the words, or None where none is known."""
    plain = words.casefold()
    for unit in sorted(UNITS, key=len, reverse=True):
        if re.search(rf"(?<!\w){re.escape(unit)}(?:s|es)?(?!\w)", plain):
            return UNITS[unit]
    return None


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))
