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

from num2words import num2words

from questloom.language.english import MONTHS
from questloom.records.knowledge import Value, value_of_key
from questloom.records.periods import (
    CENTURY,
    DAY,
    DECADE,
    JULIAN,
    MILLENNIUM,
    MONTH,
    YEAR,
    key_of_time,
    parts_of,
    time_of,
    year_digits,
    years_of,
)

Wording = Literal["free", "plain"]
PRECISIONS = {"century": 7, "decade": 8, "year": 9, "month": 10, "day": 11}

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
_MONTHS = {
    name: number
    for names in (" ".join(MONTHS).casefold(), *_FOREIGN_MONTHS)
    for number, name in enumerate(names.split(), start=1)
}
_MONTHS |= {name[:3].casefold(): number for number, name in enumerate(MONTHS, start=1)} | {
    "sept": 9
}
_ORDINALS = {
    num2words(number, ordinal=True).replace("twenty-", tens): number
    for number in range(1, 31)
    for tens in ("twenty-", "20-", "20 ")
}
"""Judges put digits for words before they read a date."""


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is said: year (negative before Christ), month and day or 0.

    A decade or longer period is given by its first year. `precision` is Wikidata's: 6 millennium, 7 century, 8 decade,
    9 year, 10 month, 11 day; see `questloom.records.periods`.
    """

    year: int
    month: int = 0
    day: int = 0
    precision: int = 9

    @property
    def span(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """The first and the last (year, month, day) that it may be; every month is taken to have 31 days."""
        first, last = years_of(self.year, self.precision)
        return (first, self.month or 1, self.day or 1), (last, self.month or 12, self.day or 31)

    def agrees(self, other: "Date") -> bool:
        """Whether the other, which is as exact or more so, says all that this one says."""
        return self.span[0] <= other.span[0] and other.span[1] <= self.span[1]

    @property
    def calendar_day(self) -> datetime.date | None:
        """The day to count with; None where no day is said, before Christ, and where the calendar has no such day (31 February)."""
        try:
            return datetime.date(self.year, self.month, self.day)
        except ValueError:
            return None


def dates_in(
    text: str, wording: Wording, *, day_first: bool = False
) -> list[tuple[Date, int, int]]:
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
    before, after = (
        (r"(?<![\w.,/-])", r"(?![\w/])(?![.,-]\d)")
        if wording == "free"
        else (r"\b", r"(?![\d,.]*\d)")
    )
    return tuple(re.compile(f"{before}(?:{form}){after}") for form in _forms(wording == "free"))


def _forms(free: bool) -> Iterator[str]:
    """The grammar, the surest form first."""
    month = (
        rf"(?P<m>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})(?![^\W\d_])\.?"
        if free
        else rf"(?P<m>{'|'.join(MONTHS)})"
    )
    day = r"(?P<d>\d{1,2})(?!\d)(?:st|nd|rd|th|er|º|o)?\.?" if free else r"(?P<d>\d{1,2})"
    of = r"(?:\s?,?\s?(?:of |de |del |di |d'|in )?|\s?-\s?)" if free else " "
    era = (
        (
            r"(?:\s?(?P<bc>b\.?\s?c\.?(?:\s?e\.?)?|v\. ?chr\.?|av\. ?j\.?-c\.?|a\. ?c\.|before christ|公元前)"
            r"|\s?(?:a\.?d\.?|c\.?e\.?|n\. ?chr\.?)(?![^\W_]))?"
        )
        if free
        else ""
    )
    year = r"(?P<y>\d{3,4})"
    yield (
        rf"{day}{of}{month}{of}(?:the year )?(?P<y>\d{{1,4}}){era}"
        if free
        else f"{day} {month},? {year}"
    )
    yield (
        rf"{month}\s?(?:the )?{day}\s?,?\s?(?:of |in )?{year}{era}"
        if free
        else f"{month} {day}, {year}"
    )
    if free:
        yield rf"{month}\s?(?:the )?{day}\s?,?\s(?P<y>\d{{1,4}})(?=\s?(?:b\.?c|a\.?d|c\.?e)){era}"
        yield rf"{year}\s?[,-]?\s?{month}(?:\s?-?{day})?"
    yield f"{month}{of}{year}{era}"
    yield (
        r"(?P<neg>-)?(?P<y>\d{4})-(?P<mn>\d{1,2})(?:-(?P<d>\d{1,2}))?(?:t00:00:00z)?"
        if free
        else r"(?P<y>\d{4})-(?P<mn>\d\d)-(?P<d>\d\d)"
    )
    if free:
        yield r"(?P<y>\d{4})(?P<sep>[/.])(?P<mn>\d{1,2})(?P=sep)(?P<d>\d{1,2})"
        yield r"(?P<d>\d{1,2})\.\s?(?P<mn>\d{1,2})\.\s?(?P<y>\d{4})"
        yield r"(?P<a>\d{1,2})(?P<sep>[/-])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4})"
        yield r"(?P<y>\d{1,4}) ?年(?: ?(?P<mn>\d{1,2}) ?月(?: ?(?P<d>\d{1,2}) ?日)?)?"
        number = rf"(?P<c>\d{{1,2}})(?:st|nd|rd|th)|(?P<word>{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
        yield rf"(?:the )?(?:{number})[ -](?P<period>century|millennium){era}"
        yield rf"(?:the )?(?P<dec>\d{{1,3}}0)'?s{era}"
    yield rf"(?:ad |a\.d\. )?(?P<y>\d{{1,4}}){era}" if free else year


def _date(groups: dict[str, str | None], day_first: bool) -> Date | None:
    if period := groups.get("period"):
        precision = CENTURY if period == "century" else MILLENNIUM
        last = (int(groups["c"] or 0) or _ORDINALS.get(groups["word"] or "", 0)) * 10 ** (
            YEAR - precision
        )
        return (
            Date(years_of(-last if groups.get("bc") else last, precision)[0], precision=precision)
            if last
            else None
        )
    if groups.get("dec"):
        year = int(groups["dec"] or 0) * (-1 if groups.get("bc") else 1)
        # "His 40s" are no years.
        return Date(years_of(year, DECADE)[0], precision=DECADE) if not 0 <= year < 100 else None
    year = int(groups["y"] or 0) * (-1 if groups.get("bc") or groups.get("neg") else 1)
    month = (
        _MONTHS[(groups["m"] or "").casefold()] if groups.get("m") else int(groups.get("mn") or 0)
    )
    day = int(groups.get("d") or 0)
    if groups.get("a"):
        first, second = int(groups["a"] or 0), int(groups["b"] or 0)
        if not day_first and first <= 12 and second <= 12 and first != second:
            return None
        day, month = (
            (first, second) if second <= 12 and (day_first or first > 12) else (second, first)
        )
    if not 0 <= month <= 12 or not 0 <= day <= 31 or year == 0 or (day and not month):
        return None
    return Date(year, month, day, 11 if day else 10 if month else 9)


def date_of(time: str, precision: int) -> Date:
    """A Wikidata time, as far as its precision goes.

    >>> date_of("+1931-05-12T00:00:00Z", 10), date_of("+2000-00-00T00:00:00Z", 7)
    (Date(year=1931, month=5, day=0, precision=10), Date(year=1901, month=0, day=0, precision=7))
    """
    year, month, day = parts_of(time)
    first, _ = years_of(year, precision)
    return Date(
        first,
        month if precision >= MONTH else 0,
        day if precision >= DAY else 0,
        min(precision, DAY),
    )


def dates_of(value: Value) -> tuple[Date, ...]:
    """What a time may be taken for: the date as it is stated, and last the Gregorian one where that is another.

    >>> newton = Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit=JULIAN)
    >>> [(d.year, d.month, d.day) for d in dates_of(newton)]
    [(1642, 12, 25), (1643, 1, 4)]
    """
    stated = date_of(value.time, value.precision)
    return (stated,) if value.unit != JULIAN else (stated, Date(*value.gregorian, stated.precision))


def time_value(date: Date) -> Value:
    """The value that is a date, as Wikidata writes it.

    >>> time_value(Date(-44, 3, 15, 11)).time, time_value(Date(1931)).key()
    ('-0044-03-15T00:00:00Z', 'time:+1931/9')
    """
    return Value(
        kind="time", time=time_of(date.year, date.month, date.day), precision=date.precision
    )


def coarsened(value: Value, precision: int) -> Value:
    """A time that is told no more exactly than to a precision.

    >>> [coarsened(Value(kind="time", time="+1642-05-04T00:00:00Z", precision=11), p).key() for p in (10, 9, 7)]
    ['time:+1642-05/10', 'time:+1642/9', 'time:+16/7']
    """
    if precision > value.precision or precision >= DAY:
        return value
    year, month, _ = parts_of(value.time)
    return value.replace(
        time=time_of(year, month if precision == MONTH else 0), precision=precision, unit=""
    )


def refined(values: Iterable[Value]) -> tuple[Value, ...]:
    """The values less the dates that another of them says more exactly: "1732" beside "22 February 1732" is no second value.

    >>> [v.precision for v in refined([time_value(Date(1732)), time_value(Date(1732, 2, 22, 11)), time_value(Date(1733))])]
    [11, 9]
    """
    found = tuple(values)
    dates = [date for v in found if v.kind == "time" for date in dates_of(v)]

    def is_vague(value: Value) -> bool:
        own = date_of(value.time, value.precision)
        return any(d.precision > own.precision and own.agrees(d) for d in dates)

    return tuple(v for v in found if v.kind != "time" or not is_vague(v))


def dates_overlap(a: Value, b: Value) -> bool:
    """Whether two dates of any precision can be the same day: 1832 and 4 May 1832 do, 1832 and 1833 do not.

    A day of the Julian calendar is the Gregorian day; whoever says its year or month may mean those of either calendar.
    """
    return any(
        keys_overlap(asked.key(), key)
        for asked, found in ((a, b), (b, a))
        for key in index_keys(found)
    )


def index_keys(value: Value) -> tuple[str, ...]:
    """The keys by which a value is looked up.

    Besides its own, a day of the Julian calendar has one in the month in which it is stated, where that is another. This
    one is found by a month, a year or a longer period, and by no day: its letter stands for none.

    >>> index_keys(Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit=JULIAN))
    ('time:+1643-01-04/11', 'time:+1642-12-J/11')
    """
    if value.unit != JULIAN or value.gregorian[:2] == parts_of(value.time)[:2]:
        return (value.key(),)
    return value.key(), f"{coarsened(value, MONTH).key().removesuffix(f'/{MONTH}')}-J/{DAY}"


@functools.lru_cache(1 << 12)
def overlapping(value_key: str) -> tuple[tuple[str, str], ...]:
    """The keys of all values that can be the same as one, as sorted ranges [start, stop) that do not overlap.

    A year's are its days and months, its decade, its century and so on; any other value can only be itself.

    >>> overlapping("time:+1832/9")[-1], overlapping("time:+1832/9")[-2][0]
    (('time:+1832-', 'time:+18320'), 'time:+183/8')
    """
    if not value_key.startswith("time:"):
        return ((value_key, value_key + "\0"),)
    value = value_of_key(value_key)
    (year, month, day), precision = parts_of(value.time), value.precision
    years = years_of(year, precision)
    # Periods around it, and those in which it begins and ends.
    ends = {key_of_time(y, 0, 0, p) for y in years for p in range(YEAR)}
    head = value_key.rpartition("/")[0]
    if precision >= YEAR:
        ends |= {key_of_time(year, month, day, p) for p in range(YEAR, precision)}
        ranges = [(head + "-", head + "0")]  # "/" lies between
    else:
        ranges = [_within(year, precision, head)]
        ranges += [
            (last + "-", last + "0")
            for y in years
            for last in [head[: len("time:+")] + year_digits(abs(y))]
        ]
    same: dict[
        str, list[int]
    ] = {}  # precisions by digits: around a year of four digits lie six periods without any
    for key in ends:
        digits, _, around = key.rpartition("/")
        same.setdefault(digits, []).append(int(around))
    return _merged(
        [
            *ranges,
            *(
                (f"{digits}/{min(found)}", f"{digits}/{max(found)}\0")
                for digits, found in same.items()
            ),
        ]
    )


def _within(year: int, precision: int, head: str) -> tuple[str, str]:
    """The range of the keys that lie within a decade or longer period, less some at its ends.

    All begin with the period's own digits, but for the last year of a century and what is longer. A period from the year
    1 to 10,000 or beyond has no digits: its range ends where longer years begin.
    """
    sign = head[: len("time:+")]
    near, far = sorted(map(abs, years_of(year, precision)))
    stop = head + ":" if head != sign else sign + year_digits(far)[0]
    return sign + year_digits(near) + "-", stop


def _merged(ranges: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The same strings in ranges that do not overlap, sorted."""
    found: list[tuple[str, str]] = []
    for start, stop in sorted(ranges):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    return tuple(found)


def keys_overlap(one: str, other: str) -> bool:
    """Whether the values of two keys can be the same.

    >>> keys_overlap("time:+1832/9", "time:+1832-05-04/11"), keys_overlap("time:+1832-05/10", "time:+1832-06/10")
    (True, False)
    """
    return any(start <= other < stop for start, stop in overlapping(one))


def day_of(value: Value) -> datetime.date | None:
    """The day that a value is, to count with; None for any other value, and where there is no such day (see `Date.calendar_day`).

    >>> day_of(Value(kind="time", time="+1931-05-12T00:00:00Z", precision=11)), day_of(Value(kind="time", time="+1931-05-12T00:00:00Z", precision=10))
    (datetime.date(1931, 5, 12), None)
    """
    return dates_of(value)[-1].calendar_day if value.kind == "time" else None
