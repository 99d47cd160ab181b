"""The periods for which times in Wikidata stand: a day, a month, a year, a decade, a century, and
so on up to a billion years.

Wikidata stores a period as any moment within the period: with precision 7, "+2000" and "+1901" both
mean the 20th century. Therefore this module compares periods, not moments. A decade begins with a
year that ends in 0 (the 1830s are 1830 to 1839). A longer period begins with a year that ends in 1
(the 19th century is 1801 to 1900). Years before Christ are counted backwards by the same rules: the
1st century BC is 100 to 1 BC. There is no year 0. In this module, years before Christ are negative
numbers.

Source: https://www.wikidata.org/wiki/Help:Dates. For a time that is exact to 10,000 years or worse,
Wikidata's pages round to the nearest multiple of that precision. This module treats periods of
10,000 years or more like centuries.
"""

import datetime

MILLENNIUM, CENTURY, DECADE, YEAR, MONTH, DAY = range(6, 12)
"""Wikidata's precisions. Precision 0 is a billion years, and precision 9 is one year. From each
precision to the next, up to precision 9, the period becomes ten times shorter."""
GREGORIAN, JULIAN = "Q1985727", "Q1985786"
"""The Wikidata ids of the Gregorian and the Julian calendar."""
_DAYS_IN_400_YEARS = 146_097
_JULIAN_OFFSET = 308
"""Number of days from 1 March of the year 0 (Julian calendar) to the day before 1 January of the
year 1 (Gregorian calendar)."""


def parts_of(time: str) -> tuple[int, int, int]:
    """Year, month and day from a time string of Wikidata. A month or a day that is not given is 0.

    >>> parts_of("-0044-03-15T00:00:00Z"), parts_of("+00000001832-00-00T00:00:00Z")
    ((-44, 3, 15), (1832, 0, 0))
    """
    year, month, day = (int(part) for part in time[1:].partition("T")[0].split("-"))
    return -year if time.startswith("-") else year, month, day


def time_of(year: int, month: int = 0, day: int = 0) -> str:
    """The time string of Wikidata for a date.

    >>> time_of(-44, 3, 15)
    '-0044-03-15T00:00:00Z'
    """
    return f"{'-' if year < 0 else '+'}{abs(year):04d}-{month:02d}-{day:02d}T00:00:00Z"


def years_of(year: int, precision: int) -> tuple[int, int]:
    """The first and the last year of the period that contains a given year.

    >>> years_of(2000, 7), years_of(1832, 8), years_of(-44, 8), years_of(-44, 6), years_of(5, 8)
    ((1901, 2000), (1830, 1839), (-49, -40), (-1000, -1), (1, 9))
    """
    start, span = _start(abs(year), precision), 10 ** max(0, YEAR - precision)
    near, far = max(1, start), start + span - 1
    return (near, far) if year > 0 else (-far, -near)


def _start(year: int, precision: int) -> int:
    """The first year of the period that contains a given year; 0 for the decade of the years 1 to
    9."""
    if precision >= DECADE:
        return year if precision > DECADE else year // 10 * 10
    span: int = 10 ** (YEAR - precision)
    return (year - 1) // span * span + 1


def key_of_time(year: int, month: int, day: int, precision: int) -> str:
    """A string for a period. The string consists of the precision, and of those digits of year,
    month and day that all days of the period share.

    >>> [key_of_time(1832, 5, 4, p) for p in (11, 10, 9, 8, 7, 6, 5)]
    ['time:+1832-05-04/11', 'time:+1832-05/10', 'time:+1832/9', 'time:+183/8', 'time:+18/7', 'time:+1/6', 'time:+/5']
    """
    digits = year_digits(_start(abs(year), precision))
    if precision < YEAR:
        digits = digits[: precision - YEAR]
    else:
        digits += f"-{month:02d}" * (precision >= MONTH) + f"-{day:02d}" * (precision >= DAY)
    return f"time:{'-' if year < 0 else '+'}{digits}/{precision}"


def time_of_key(key: str) -> tuple[str, int]:
    """The inverse of `key_of_time`: the first time in a period, and the precision of that time.

    >>> time_of_key("time:+18/7"), time_of_key("time:-D66/3")
    (('+1801-00-00T00:00:00Z', 7), ('-66000001-00-00T00:00:00Z', 3))
    """
    digits, _, said = key.removeprefix("time:").rpartition("/")
    precision = int(said)
    year, *rest = digits[1:].lstrip("ABCDEFGHIJKLMNOP").split("-")
    number = int(year or 0)
    if precision < YEAR:
        number = max(1, number * 10 ** (YEAR - precision) + (precision < DECADE))
    return time_of(-number if digits[0] == "-" else number, *map(int, rest)), precision


def year_digits(year: int) -> str:
    """A year as a string. Strings of years sort as the years do.

    A short year gets four digits. A year with more than four digits gets a letter in front, which
    states the number of digits.

    >>> year_digits(44), year_digits(12_000)
    ('0044', 'A12000')
    """
    digits = f"{year:04d}"
    return digits if len(digits) == 4 else chr(ord("A") + len(digits) - 5) + digits


def to_gregorian(year: int, month: int, day: int) -> tuple[int, int, int]:
    """Converts a day of the Julian calendar to the Gregorian calendar, which is also used for days
    before 1582.

    >>> to_gregorian(1642, 12, 25), to_gregorian(-1, 12, 30)
    ((1643, 1, 4), (-1, 12, 28))
    """
    since_march, months = _counted(year) - (month < 3), (month - 3) % 12
    return date_of_day(
        365 * since_march + since_march // 4 + (153 * months + 2) // 5 + day - _JULIAN_OFFSET
    )


def day_number(year: int, month: int, day: int) -> int:
    """Number of a day in the Gregorian calendar; the first day of the year 1 has the number 1.

    Raises:
        ValueError: the calendar has no such day.
    """
    cycles, rest = divmod(_counted(year) - 1, 400)
    return datetime.date(rest + 1, month, day).toordinal() + cycles * _DAYS_IN_400_YEARS


def date_of_day(number: int) -> tuple[int, int, int]:
    """The day that has a given number, as `day_number` counts."""
    cycles, rest = divmod(number - 1, _DAYS_IN_400_YEARS)
    found = datetime.date.fromordinal(rest + 1)
    return _said(found.year + 400 * cycles), found.month, found.day


def years_after(year: int, years: int) -> int:
    """The year that comes a given number of years after another year. The year after 1 BC is AD 1.

    >>> years_after(-44, 57), years_after(14, -57)
    (14, -44)
    """
    return _said(_counted(year) + years)


def years_between(one: int, other: int) -> int:
    """Number of years from the first year to the second.

    >>> years_between(-44, 14)
    57
    """
    return _counted(other) - _counted(one)


def _counted(year: int) -> int:
    """The number of a year in a count that has no gap at Christ's birth: 1 BC has the number 0."""
    return year + (year < 0)


def _said(year: int) -> int:
    return year if year > 0 else year - 1
