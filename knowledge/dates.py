"""Reads dates in texts with one grammar, and compares dates.

The grammar has two variants, which are called "free" and "plain". "free" reads dates as people
write them in the languages of the large Wikipedias. Before a "free" reading, the caller must put
the text into lower case and remove accents. "plain" reads only the date formats of an English
encyclopedia: "26 August 1825", "August 26, 1825", "August 1825", "1825-08-26" and "1825". Under
"plain", the text "may 1850" is not a month.
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
"""Maps ordinal words to numbers. "20-first" and "20 first" count as "twenty-first", because a judge
of answers replaces number words by digits before it reads dates.
"""


@dataclass(frozen=True, slots=True)
class Date:
    """A date as year (negative before Christ), month and day, with its precision. An unknown month
    or an unknown day is 0.

    The first year of a decade or longer period represents the whole period. `precision` is a number
    from Wikidata: 6 is a millennium, 7 a century, 8 a decade, 9 a year, 10 a month, 11 a day. See
    `questloom.records.periods`.
    """

    year: int
    month: int = 0
    day: int = 0
    precision: int = 9

    @property
    def span(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Returns the first and the last day that a date may mean, as (year, month, day). The
        function counts 31 days in every month.
        """
        first, last = years_of(self.year, self.precision)
        return (first, self.month or 1, self.day or 1), (last, self.month or 12, self.day or 31)

    def agrees(self, other: "Date") -> bool:
        """Whether the other date lies within this date, as "4 May 1832" lies within "1832"."""
        return self.span[0] <= other.span[0] and other.span[1] <= self.span[1]

    @property
    def calendar_day(self) -> datetime.date | None:
        """Returns the date as a calendar day. Returns None if the day is missing, if the year is
        before Christ, or if the calendar lacks the day (31 February).
        """
        try:
            return datetime.date(self.year, self.month, self.day)
        except ValueError:
            return None


def dates_in(
    text: str, wording: Wording, *, day_first: bool = False
) -> list[tuple[Date, int, int]]:
    """Finds the dates in a text. Returns (date, start, end) in the order of the text.

    If a date is impossible, all its parts are skipped: "45 May 1850" is not read as May 1850.

    Args:
        text: for "free", text in lower case and without accents; for "plain", the unchanged text.
        wording: "free" or "plain", see the docstring of the module.
        day_first: for "free", whether 05/12/1931 means 5 December. If False, a numeric date is left
            out unless day and month are clear: one of the two is above 12, or both are equal.

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
    """The patterns of the grammar. The most certain pattern comes first."""
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
        # "His 40s" name no years.
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
    """Makes a `Date` from a Wikidata time. Parts beyond the precision of the time are left out.

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
    """Returns the dates that a time may mean: first the stated date, then the Gregorian date if it
    is different.

    >>> newton = Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit=JULIAN)
    >>> [(d.year, d.month, d.day) for d in dates_of(newton)]
    [(1642, 12, 25), (1643, 1, 4)]
    """
    stated = date_of(value.time, value.precision)
    return (stated,) if value.unit != JULIAN else (stated, Date(*value.gregorian, stated.precision))


def time_value(date: Date) -> Value:
    """Returns the `Value` of a date in Wikidata's notation.

    >>> time_value(Date(-44, 3, 15, 11)).time, time_value(Date(1931)).key()
    ('-0044-03-15T00:00:00Z', 'time:+1931/9')
    """
    return Value(
        kind="time", time=time_of(date.year, date.month, date.day), precision=date.precision
    )


def coarsened(value: Value, precision: int) -> Value:
    """Returns the time at a coarser precision. A time that is already coarser stays unchanged.

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
    """Returns the values without those dates that another value states more precisely. For example,
    "1732" is dropped beside "22 February 1732".

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
    """Whether two dates can be the same day. The dates 1832 and 4 May 1832 can be the same day, but
    1832 and 1833 cannot.

    The function compares days in the Gregorian calendar. A year or a month matches a Julian day if
    it contains the day in the Julian or in the Gregorian calendar.
    """
    return any(
        keys_overlap(asked.key(), key)
        for asked, found in ((a, b), (b, a))
        for key in index_keys(found)
    )


def index_keys(value: Value) -> tuple[str, ...]:
    """Returns the keys under which an index lists a value.

    If a Julian day falls into another month of the Gregorian calendar, the day gets a second key
    for its Julian month. Look-ups by month, by year or by a longer period find both keys. Look-ups
    by day do not find the second key, because this key contains the letter J.

    >>> index_keys(Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit=JULIAN))
    ('time:+1643-01-04/11', 'time:+1642-12-J/11')
    """
    if value.unit != JULIAN or value.gregorian[:2] == parts_of(value.time)[:2]:
        return (value.key(),)
    return value.key(), f"{coarsened(value, MONTH).key().removesuffix(f'/{MONTH}')}-J/{DAY}"


@functools.lru_cache(1 << 12)
def overlapping(value_key: str) -> tuple[tuple[str, str], ...]:
    """Returns the keys of all values that may equal a given value, as sorted ranges [start, stop)
    that do not overlap.

    For example, the key of a year overlaps with the keys of its days and months, and with the keys
    of its decade, its century and longer periods. A value that is not a time overlaps only with
    itself.

    >>> overlapping("time:+1832/9")[-1], overlapping("time:+1832/9")[-2][0]
    (('time:+1832-', 'time:+18320'), 'time:+183/8')
    """
    if not value_key.startswith("time:"):
        return ((value_key, value_key + "\0"),)
    value = value_of_key(value_key)
    (year, month, day), precision = parts_of(value.time), value.precision
    years = years_of(year, precision)
    # The periods that contain the value, and those of its first and last year.
    ends = {key_of_time(y, 0, 0, p) for y in years for p in range(YEAR)}
    head = value_key.rpartition("/")[0]
    if precision >= YEAR:
        ends |= {key_of_time(year, month, day, p) for p in range(YEAR, precision)}
        ranges = [(head + "-", head + "0")]  # "/" sorts between "-" and "0"
    else:
        ranges = [_within(year, precision, head)]
        ranges += [
            (last + "-", last + "0")
            for y in years
            for last in [head[: len("time:+")] + year_digits(abs(y))]
        ]
    same: dict[
        str, list[int]
    ] = {}  # digits to precisions; the six periods around a four-digit year may have no digits
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
    """Returns the range of all keys within a decade or longer period, except a few keys at both
    ends.

    A key within a period begins with the digits that the years of the period share. Only the last
    year of a century or longer period has other digits: the 19th century ends with 1900. A period
    that begins in year 1 and lasts 10,000 years or more has no shared digits. The range of such a
    period therefore ends where the years get one more digit.
    """
    sign = head[: len("time:+")]
    near, far = sorted(map(abs, years_of(year, precision)))
    stop = head + ":" if head != sign else sign + year_digits(far)[0]
    return sign + year_digits(near) + "-", stop


def _merged(ranges: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Merges ranges of date strings. Returns sorted ranges that do not overlap."""
    found: list[tuple[str, str]] = []
    for start, stop in sorted(ranges):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    return tuple(found)


def keys_overlap(one: str, other: str) -> bool:
    """Whether the values that belong to two keys may be equal.

    >>> keys_overlap("time:+1832/9", "time:+1832-05-04/11"), keys_overlap("time:+1832-05/10", "time:+1832-06/10")
    (True, False)
    """
    return any(start <= other < stop for start, stop in overlapping(one))


def day_of(value: Value) -> datetime.date | None:
    """Returns the calendar day of a value. Returns None if the value is not a day, or if
    `Date.calendar_day` is None.

    >>> day_of(Value(kind="time", time="+1931-05-12T00:00:00Z", precision=11)), day_of(Value(kind="time", time="+1931-05-12T00:00:00Z", precision=10))
    (datetime.date(1931, 5, 12), None)
    """
    return dates_of(value)[-1].calendar_day if value.kind == "time" else None
