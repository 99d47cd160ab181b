"""Dates in a text, each as exactly as it is said."""
import re
from dataclasses import dataclass

from agent.judges.amounts import digits_for_words
from agent.judges.normalise import clean, fold

PRECISIONS = {"century": 7, "decade": 8, "year": 9, "month": 10, "day": 11}

_MONTHS = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar marz april mai juni juli august september oktober november dezember",
    "fr": "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "ca": "gener febrer marc abril maig juny juliol agost setembre octubre novembre desembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
MONTHS = {name: number for names in _MONTHS.values() for number, name in enumerate(names.split(), start=1)}
MONTHS |= {name[:3]: number for number, name in enumerate(_MONTHS["en"].split(), start=1)} | {"sept": 9}

_MONTH = rf"(?P<m>{'|'.join(sorted(MONTHS, key=len, reverse=True))})(?![^\W\d_])\.?"
_ERA = r"(?:\s?(?P<bc>b\.?\s?c\.?(?:\s?e\.?)?|v\. ?chr\.?|av\. ?j\.?-c\.?|a\. ?c\.|before christ|公元前)|\s?(?:a\.?d\.?|c\.?e\.?|n\. ?chr\.?)(?![^\W_]))?"
_DAY = r"(?P<d>\d{1,2})(?!\d)(?:st|nd|rd|th|er|º|o)?\.?"
_OF = r"(?:\s?,?\s?(?:of |de |del |di |d'|in )?|\s?-\s?)"
_PATTERNS = tuple(re.compile(rf"(?<![\w.,/-]){p}(?![\w/])(?![.,-]\d)") for p in (
    rf"{_DAY}{_OF}{_MONTH}{_OF}(?:the year )?(?P<y>\d{{1,4}}){_ERA}",
    rf"{_MONTH}\s?(?:the )?{_DAY}\s?,?\s?(?:of |in )?(?P<y>\d{{3,4}}){_ERA}",
    rf"{_MONTH}\s?(?:the )?{_DAY}\s?,?\s(?P<y>\d{{1,4}})(?=\s?(?:b\.?c|a\.?d|c\.?e)){_ERA}",
    rf"(?P<y>\d{{3,4}})\s?[,-]?\s?{_MONTH}(?:\s?-?{_DAY})?",
    rf"{_MONTH}{_OF}(?P<y>\d{{3,4}}){_ERA}",
    r"(?P<neg>-)?(?P<y>\d{4})-(?P<mn>\d{1,2})(?:-(?P<d>\d{1,2}))?(?:t00:00:00z)?",
    r"(?P<y>\d{4})(?P<sep>[/.])(?P<mn>\d{1,2})(?P=sep)(?P<d>\d{1,2})",
    r"(?P<d>\d{1,2})\.\s?(?P<mn>\d{1,2})\.\s?(?P<y>\d{4})",
    r"(?P<a>\d{1,2})(?P<sep>[/-])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4})",
    r"(?P<y>\d{1,4}) ?年(?: ?(?P<mn>\d{1,2}) ?月(?: ?(?P<d>\d{1,2}) ?日)?)?",
    rf"(?:the )?(?P<c>\d{{1,2}})(?:st|nd|rd|th)[ -]century{_ERA}",
    r"(?:the )?(?P<dec>\d{2,3}0)'?s",
    rf"(?:ad |a\.d\. )?(?P<y>\d{{1,4}}){_ERA}",
))


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is said: year (negative before Christ), month and day or 0; a decade or century by its first year.

    `precision` is Wikidata's: 7 century, 8 decade, 9 year, 10 month, 11 day.
    """

    year: int
    month: int = 0
    day: int = 0
    precision: int = 9

    def agrees(self, other: "Date") -> bool:
        """Whether the other, which is as exact or more so, says all that this one says."""
        if self.precision < 9:
            span = 10 if self.precision == 8 else 100
            if other.precision < 9:
                return self == other
            start = self.year
            return start <= other.year < start + span
        return self.year == other.year and self.month in (0, other.month) and self.day in (0, other.day)


def dates(text: str, *, day_first: bool = False) -> list[tuple[Date, int, int]]:
    """The dates in a text (cleaned and folded here) with their places in the folded text, in order.

    Args:
        text: any text.
        day_first: read 05/12/1931 as 5 December. Without it such a date is read where one of its numbers is above 12 or both are
            the same, and otherwise stands as its year only if nothing else fits: it is left out.

    >>> dates("Tuesday, the 12th of May, 1931")[0][0], dates("44 B.C.")[0][0], dates("12-05-1931")
    (Date(year=1931, month=5, day=12, precision=11), Date(year=-44, month=0, day=0, precision=9), [])
    """
    folded = readable_date(text)
    taken: list[tuple[int, int]] = []
    found: list[tuple[Date, int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(folded):
            if any(s < match.end() and match.start() < e for s, e in taken):
                continue
            taken.append(match.span())
            date = _date(match.groupdict(), day_first)
            if date is not None:
                found.append((date, *match.span()))
    return sorted(found, key=lambda item: item[1])


def readable_date(text: str) -> str:
    """The text that `dates` gives places in: cleaned, folded, years in words in digits."""
    return digits_for_words(fold(clean(text)))


def _date(groups: dict[str, str | None], day_first: bool) -> Date | None:
    if groups.get("c"):
        century = int(groups["c"] or 0)
        return Date(-century * 100 if groups.get("bc") else (century - 1) * 100 + 1, precision=7) if century else None
    if groups.get("dec"):
        return Date(int(groups["dec"] or 0), precision=8)
    year = int(groups["y"] or 0) * (-1 if groups.get("bc") or groups.get("neg") else 1)
    month = MONTHS[groups["m"] or ""] if groups.get("m") else int(groups.get("mn") or 0)
    day = int(groups.get("d") or 0)
    if groups.get("a"):
        first, second = int(groups["a"] or 0), int(groups["b"] or 0)
        if not day_first and first <= 12 and second <= 12 and first != second:
            return None
        day, month = (first, second) if second <= 12 and (day_first or first > 12) else (second, first)
    if not 0 <= month <= 12 or not 0 <= day <= 31 or year == 0 or (day and not month):
        return None
    return Date(year, month, day, 11 if day else 10 if month else 9)


def date_of(time: str, precision: int) -> Date:
    """A Wikidata time, as far as its precision goes.

    >>> date_of("+1931-05-12T00:00:00Z", 10), date_of("+1931-00-00T00:00:00Z", 8), date_of("+1931-00-00T00:00:00Z", 7).year
    (Date(year=1931, month=5, day=0, precision=10), Date(year=1930, month=0, day=0, precision=8), 1901)
    """
    year, month, day = [*time.lstrip("+-").split("T")[0].split("-"), "0", "0"][:3]
    number = int(year) * (-1 if time.startswith("-") else 1)
    if precision == 8:
        return Date(number // 10 * 10, precision=8)
    if precision == 7:
        return Date((number - 1) // 100 * 100 + 1 if number > 0 else number, precision=7)
    return Date(number, int(month) if precision >= 10 else 0, int(day) if precision >= 11 else 0, max(9, min(precision, 11)))


def time_of(date: Date) -> tuple[str, int]:
    """A year, month or day as Wikidata writes it, with its precision.

    >>> time_of(Date(-44, 3, 15, 11)), time_of(Date(1931))
    (('-0044-03-15T00:00:00Z', 11), ('+1931-00-00T00:00:00Z', 9))
    """
    return f"{'-' if date.year < 0 else '+'}{abs(date.year):04d}-{date.month:02d}-{date.day:02d}T00:00:00Z", date.precision
