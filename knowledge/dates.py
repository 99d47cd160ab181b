"""Dates: one grammar for all who read them in texts, and what a date says.

The grammar is worded in two ways. "free" takes what people write in the languages of the large Wikipedias, and reads cleaned, folded text; "plain" takes an
encyclopedia's English alone ("26 August 1825", "August 26, 1825", "August 1825", "1825-08-26", "1825"), in which "may 1850" is no month. Who reads brings the
text into that shape and drops what it does not want.
"""
import datetime
import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from records.knowledge import TIME_DIGITS, Value

Wording = Literal["free", "plain"]
PRECISIONS = {"century": 7, "decade": 8, "year": 9, "month": 10, "day": 11}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")

_FOREIGN_MONTHS = (
    "januar februar marz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "gener febrer marc abril maig juny juliol agost setembre octubre novembre desembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
)
_MONTHS = {name: number for names in (" ".join(MONTHS).casefold(), *_FOREIGN_MONTHS) for number, name in enumerate(names.split(), start=1)}
_MONTHS |= {name[:3].casefold(): number for number, name in enumerate(MONTHS, start=1)} | {"sept": 9}


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

    @property
    def calendar_day(self) -> datetime.date | None:
        """The day to count with; None where no day is said, before Christ, and where the calendar has no such day (31 February)."""
        try:
            return datetime.date(self.year, self.month, self.day)
        except ValueError:
            return None


def dates_in(text: str, wording: Wording, *, day_first: bool = False) -> list[tuple[Date, int, int]]:
    """The dates in a text with the places where they begin and end, in order.

    Nothing is read out of a date that cannot be: "45 May 1850" is no May 1850.

    Args:
        text: for "free" without accents and in lower case; for "plain" as it was written.
        wording: which texts it is read as, see above.
        day_first: of "free": read 05/12/1931 as 5 December. Without it such a date is left out, unless one of its numbers is above 12 or both are the same.

    >>> dates_in("tuesday, the 12th of may, 1931", "free"), dates_in("The 12th of May 1931", "plain")
    ([(Date(year=1931, month=5, day=12, precision=11), 13, 30)], [(Date(year=1931, month=5, day=0, precision=10), 12, 20)])
    >>> dates_in("44 b.c.", "free")[0][0], dates_in("12-05-1931", "free")
    (Date(year=-44, month=0, day=0, precision=9), [])
    """
    taken: list[tuple[int, int]] = []
    found: list[tuple[Date, int, int]] = []
    for pattern in _patterns(wording):
        for match in pattern.finditer(text):
            if any(s < match.end() and match.start() < e for s, e in taken):
                continue
            taken.append(match.span())
            date = _date(match.groupdict(), day_first)
            if date is not None:
                found.append((date, *match.span()))
    return sorted(found, key=lambda item: item[1])


@functools.cache
def _patterns(wording: Wording) -> tuple[re.Pattern[str], ...]:
    before, after = (r"(?<![\w.,/-])", r"(?![\w/])(?![.,-]\d)") if wording == "free" else (r"\b", r"(?![\d,.]*\d)")
    return tuple(re.compile(f"{before}(?:{form}){after}") for form in _forms(wording == "free"))


def _forms(free: bool) -> Iterator[str]:
    """The grammar, the surest form first."""
    month = rf"(?P<m>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})(?![^\W\d_])\.?" if free else rf"(?P<m>{'|'.join(MONTHS)})"
    day = r"(?P<d>\d{1,2})(?!\d)(?:st|nd|rd|th|er|º|o)?\.?" if free else r"(?P<d>\d{1,2})"
    of = r"(?:\s?,?\s?(?:of |de |del |di |d'|in )?|\s?-\s?)" if free else " "
    era = (r"(?:\s?(?P<bc>b\.?\s?c\.?(?:\s?e\.?)?|v\. ?chr\.?|av\. ?j\.?-c\.?|a\. ?c\.|before christ|公元前)"
           r"|\s?(?:a\.?d\.?|c\.?e\.?|n\. ?chr\.?)(?![^\W_]))?") if free else ""
    year = r"(?P<y>\d{3,4})"
    yield rf"{day}{of}{month}{of}(?:the year )?(?P<y>\d{{1,4}}){era}" if free else f"{day} {month},? {year}"
    yield rf"{month}\s?(?:the )?{day}\s?,?\s?(?:of |in )?{year}{era}" if free else f"{month} {day}, {year}"
    if free:
        yield rf"{month}\s?(?:the )?{day}\s?,?\s(?P<y>\d{{1,4}})(?=\s?(?:b\.?c|a\.?d|c\.?e)){era}"
        yield rf"{year}\s?[,-]?\s?{month}(?:\s?-?{day})?"
    yield f"{month}{of}{year}{era}"
    yield r"(?P<neg>-)?(?P<y>\d{4})-(?P<mn>\d{1,2})(?:-(?P<d>\d{1,2}))?(?:t00:00:00z)?" if free else r"(?P<y>\d{4})-(?P<mn>\d\d)-(?P<d>\d\d)"
    if free:
        yield r"(?P<y>\d{4})(?P<sep>[/.])(?P<mn>\d{1,2})(?P=sep)(?P<d>\d{1,2})"
        yield r"(?P<d>\d{1,2})\.\s?(?P<mn>\d{1,2})\.\s?(?P<y>\d{4})"
        yield r"(?P<a>\d{1,2})(?P<sep>[/-])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4})"
        yield r"(?P<y>\d{1,4}) ?年(?: ?(?P<mn>\d{1,2}) ?月(?: ?(?P<d>\d{1,2}) ?日)?)?"
        yield rf"(?:the )?(?P<c>\d{{1,2}})(?:st|nd|rd|th)[ -]century{era}"
        yield r"(?:the )?(?P<dec>\d{2,3}0)'?s"
    yield rf"(?:ad |a\.d\. )?(?P<y>\d{{1,4}}){era}" if free else year


def _date(groups: dict[str, str | None], day_first: bool) -> Date | None:
    if groups.get("c"):
        century = int(groups["c"] or 0)
        return Date(-century * 100 if groups.get("bc") else (century - 1) * 100 + 1, precision=7) if century else None
    if groups.get("dec"):
        return Date(int(groups["dec"] or 0), precision=8)
    year = int(groups["y"] or 0) * (-1 if groups.get("bc") or groups.get("neg") else 1)
    month = _MONTHS[(groups["m"] or "").casefold()] if groups.get("m") else int(groups.get("mn") or 0)
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


def time_value(date: Date) -> Value:
    """The value that is a year, month or day, as Wikidata writes it.

    >>> time_value(Date(-44, 3, 15, 11)).time, time_value(Date(1931)).key()
    ('-0044-03-15T00:00:00Z', 'time:+1931/9')
    """
    sign = "-" if date.year < 0 else "+"
    return Value(kind="time", time=f"{sign}{abs(date.year):04d}-{date.month:02d}-{date.day:02d}T00:00:00Z", precision=date.precision)


def coarsened(value: Value, precision: int) -> Value:
    """A time that is told no more exactly than to a day, a month, a year or a century (11, 10, 9, 7).

    >>> [coarsened(Value(kind="time", time="+1642-05-04T00:00:00Z", precision=11), p).key() for p in (10, 9, 7)]
    ['time:+1642-05/10', 'time:+1642/9', 'time:+16/7']
    """
    length = {7: 5, 9: 5, 10: 8}.get(precision)
    if length is None or precision > value.precision:
        return value
    return value.replace(time=value.time[:length] + "-00-00T00:00:00Z"[length - 5:], precision=precision)


def refined(values: Iterable[Value]) -> tuple[Value, ...]:
    """The values less the dates that another of them says more exactly: "1732" beside "22 February 1732" is no second value.

    >>> [v.precision for v in refined([time_value(Date(1732)), time_value(Date(1732, 2, 22, 11)), time_value(Date(1733))])]
    [11, 9]
    """
    found = tuple(values)
    dates = [date_of(v.time, v.precision) if v.kind == "time" else None for v in found]
    return tuple(v for v, date in zip(found, dates, strict=True)
                 if date is None or not any(d is not None and d.precision > date.precision and date.agrees(d) for d in dates))


def overlapping(value_key: str) -> tuple[str, tuple[str, ...]]:
    """What the keys of values are that can be the same as one: (how those of all dates within a date begin, further keys).

    A year's are its days and months, its decade and its century; any other value can only be itself. Millennia are left out.

    >>> overlapping("time:+1832/9"), overlapping("Q64")
    (('time:+1832', ('time:+183/8', 'time:+18/7')), ('', ('Q64',)))
    """
    if not value_key.startswith("time:"):
        return "", (value_key,)
    date, _, precision = value_key.rpartition("/")
    return date, tuple(f"{date[:len('time:+') + digits]}/{coarser}" for coarser, digits in TIME_DIGITS.items() if coarser < int(precision))


def keys_overlap(one: str, other: str) -> bool:
    """Whether the values of two keys can be the same.

    >>> keys_overlap("time:+1832/9", "time:+1832-05-04/11"), keys_overlap("time:+1832-05/10", "time:+1832-06/10")
    (True, False)
    """
    beginning, keys = overlapping(one)
    return other in keys or (beginning != "" and other.startswith(beginning))


def day_of(value: Value) -> datetime.date | None:
    """The day that a value is, to count with; None for any other value, and where there is no such day (see `Date.calendar_day`).

    >>> day_of(Value(kind="time", time="+1931-05-12T00:00:00Z", precision=11)), day_of(Value(kind="time", time="+1931-05-12T00:00:00Z", precision=10))
    (datetime.date(1931, 5, 12), None)
    """
    return date_of(value.time, value.precision).calendar_day if value.kind == "time" else None
