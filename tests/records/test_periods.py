"""Periods of Wikidata's times: which years each takes in, one key for all its times, and the two calendars."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.records.knowledge import Value, value_of_key
from questloom.records.periods import (
    JULIAN,
    date_of_day,
    day_number,
    key_of_time,
    parts_of,
    time_of,
    time_of_key,
    to_gregorian,
    year_digits,
    years_after,
    years_between,
    years_of,
)

YEARS = st.one_of(st.integers(1, 3000), st.integers(1, 10**11)).flatmap(
    lambda year: st.sampled_from([year, -year])
)


def time(text: str, precision: int, calendar: str = "") -> Value:
    return Value(kind="time", time=text, precision=precision, unit=calendar)


@pytest.mark.parametrize(
    ("year", "precision", "first", "last"),
    [
        (2000, 7, 1901, 2000),
        (1901, 7, 1901, 2000),
        (1900, 7, 1801, 1900),
        (1, 7, 1, 100),
        (100, 7, 1, 100),
        (101, 7, 101, 200),
        (-1, 7, -100, -1),
        (-100, 7, -100, -1),
        (-101, 7, -200, -101),
        (-44, 7, -100, -1),
        (1999, 8, 1990, 1999),
        (2000, 8, 2000, 2009),
        (9, 8, 1, 9),
        (-9, 8, -9, -1),
        (-10, 8, -19, -10),
        (-44, 8, -49, -40),
        (2000, 6, 1001, 2000),
        (2001, 6, 2001, 3000),
        (-1, 6, -1000, -1),
        (-1001, 6, -2000, -1001),
        (2000, 5, 1, 10_000),
        (10_001, 5, 10_001, 20_000),
        (-13_798_000_000, 3, -13_798_000_000, -13_797_000_001),
        (-4_540_000_000, 0, -5_000_000_000, -4_000_000_001),
        (1832, 9, 1832, 1832),
        (1832, 11, 1832, 1832),
    ],
)
def test_a_period_has_a_first_and_a_last_year(year, precision, first, last):
    assert years_of(year, precision) == (first, last)


@given(YEARS, st.integers(0, 8))
def test_periods_of_one_precision_part_the_years_and_there_is_no_year_0(year, precision):
    first, last = years_of(year, precision)
    assert (
        first <= year <= last and 0 not in (first, last) and (first > 0) == (last > 0) == (year > 0)
    )
    assert years_of(first, precision) == years_of(last, precision) == (first, last)
    assert years_of(years_after(last, 1), precision)[0] == years_after(last, 1) and years_of(
        years_after(first, -1), precision
    )[1] == years_after(first, -1)


@given(YEARS, YEARS, st.integers(0, 9))
def test_two_times_have_one_key_where_they_are_of_one_period(one, other, precision):
    keys = [
        time(time_of(year), precision).key() for year in (one, other, *years_of(one, precision))
    ]
    assert (keys[0] == keys[1]) == (
        years_of(one, precision) == years_of(other, precision)
    ) and keys[0] == keys[2] == keys[3]


@given(YEARS, st.integers(1, 12), st.integers(1, 28), st.integers(0, 11))
def test_a_key_gives_back_a_time_of_its_period(year, month, day, precision):
    value = time(time_of(year, month, day), precision)
    found = value_of_key(value.key())
    assert (
        found.key() == value.key()
        and found.precision == precision
        and years_of(parts_of(found.time)[0], precision) == years_of(year, precision)
    )


@given(YEARS, YEARS)
def test_keys_of_years_sort_as_the_years_do_in_each_era(one, other):
    one, other = abs(one), abs(other)
    assert (year_digits(one) < year_digits(other)) == (one < other)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("+1832-05-04T00:00:00Z", (1832, 5, 4)),
        ("-0044-00-00T00:00:00Z", (-44, 0, 0)),
        ("+00000001832-05-04T00:00:00Z", (1832, 5, 4)),
        ("-13798000000-00-00T00:00:00Z", (-13_798_000_000, 0, 0)),
        ("+1832", None),
        ("soon", None),
    ],
)
def test_a_time_is_read_whatever_its_number_of_digits(text, parts):
    if parts is None:
        with pytest.raises(ValueError):
            parts_of(text)
    else:
        assert parts_of(text) == parts and parts_of(time_of(*parts)) == parts


@pytest.mark.parametrize(
    ("key", "first", "precision"),
    [
        ("time:+19/7", "+1901-00-00T00:00:00Z", 7),
        ("time:-00/7", "-0001-00-00T00:00:00Z", 7),
        ("time:+1/6", "+1001-00-00T00:00:00Z", 6),
        ("time:+/5", "+0001-00-00T00:00:00Z", 5),
        ("time:+000/8", "+0001-00-00T00:00:00Z", 8),
        ("time:+A1832/9", "+1832-00-00T00:00:00Z", 9),
    ],
)
def test_a_key_is_read_as_the_first_time_of_its_period(key, first, precision):
    assert time_of_key(key) == (first, precision)


# The days are those of Wikibase's own tests of its RDF export, written in our count of years.
@pytest.mark.parametrize(
    ("julian", "gregorian"),
    [
        ((2014, 1, 5), (2014, 1, 18)),
        ((-2014, 1, 5), (-2015, 12, 19)),
        ((200, 2, 31), (200, 3, 2)),
        ((204, 2, 31), (204, 3, 2)),
        ((1582, 10, 5), (1582, 10, 15)),
        ((1642, 12, 25), (1643, 1, 4)),
        ((1700, 2, 29), (1700, 3, 11)),
        ((1, 1, 1), (-1, 12, 30)),
        ((1, 1, 3), (1, 1, 1)),
    ],
)
def test_a_julian_day_is_a_gregorian_day(julian, gregorian):
    assert to_gregorian(*julian) == gregorian
    assert time(time_of(*julian), 11, JULIAN).key() == time(time_of(*gregorian), 11).key()


@given(st.integers(-3_000_000, 3_000_000))
def test_days_are_numbered_and_found_again_by_their_number(number):
    day = date_of_day(number)
    assert day_number(*day) == number


@given(st.dates())
def test_days_are_numbered_as_python_does(day):
    assert day_number(day.year, day.month, day.day) == day.toordinal() and date_of_day(
        day.toordinal()
    ) == (
        day.year,
        day.month,
        day.day,
    )


@pytest.mark.parametrize("precision", [6, 7, 8, 9, 10])
def test_of_a_month_and_what_is_longer_the_calendar_counts_for_nothing(precision):
    assert (
        time("+1642-12-25T00:00:00Z", precision, JULIAN).key()
        == time("+1642-12-25T00:00:00Z", precision).key()
    )


@pytest.mark.parametrize(
    ("one", "other", "years"), [(-44, 14, 57), (-1, 1, 1), (1832, 1850, 18), (14, -44, -57)]
)
def test_years_are_counted_without_a_year_0(one, other, years):
    assert years_between(one, other) == years and years_after(one, years) == other


def test_keys_of_usual_dates_are_as_they_always_were():
    """Stores and runs hold them."""
    said = [key_of_time(1832, 5, 4, p) for p in (11, 10, 9, 8, 7)] + [
        key_of_time(-44, 3, 15, p) for p in (11, 10, 9, 8)
    ]
    assert said == [
        "time:+1832-05-04/11",
        "time:+1832-05/10",
        "time:+1832/9",
        "time:+183/8",
        "time:+18/7",
        "time:-0044-03-15/11",
        "time:-0044-03/10",
        "time:-0044/9",
        "time:-004/8",
    ]
