"""Dates of all precisions beside each other: what overlaps, what says more exactly, where a look-up finds them, and how texts say them."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from questloom.agent.judges.dates import dates
from questloom.knowledge.dates import (
    Date,
    coarsened,
    date_of,
    dates_of,
    dates_overlap,
    day_of,
    index_keys,
    keys_overlap,
    overlapping,
    refined,
    time_value,
)
from questloom.records.knowledge import Value
from questloom.records.periods import JULIAN, time_of, years_after, years_of

TURNS = [10**zeros + more for zeros in range(1, 11) for more in (-1, 0, 1)]
YEARS = st.one_of(st.integers(1, 3000), st.sampled_from(TURNS), st.integers(1, 10**10)).flatmap(
    lambda year: st.sampled_from([year, -year])
)


def time(year: int, precision: int = 9, month: int = 0, day: int = 0, calendar: str = "") -> Value:
    return Value(kind="time", time=time_of(year, month, day), precision=precision, unit=calendar)


def newton(precision: int = 11) -> Value:
    """Born on Christmas Day of 1642 by the calendar of his country."""
    return time(1642, precision, 12, 25, JULIAN if precision == 11 else "")


VALUES = st.builds(
    lambda year, precision, month, day: time(
        year, precision, month * (precision >= 10), day * (precision >= 11)
    ),
    YEARS,
    st.integers(0, 11),
    st.integers(1, 12),
    st.integers(1, 28),
)


@st.composite
def neighbours(draw) -> tuple[Value, Value]:
    """A date and one that begins or ends near where it does."""
    one = draw(VALUES)
    first, last = (end[0] for end in date_of(one.time, one.precision).span)
    year = draw(st.sampled_from([first, last, years_after(first, -1), years_after(last, 1)]))
    precision = draw(st.integers(0, 11))
    return one, time(year, precision, 1 * (precision >= 10), 1 * (precision >= 11))


@given(st.one_of(neighbours(), st.tuples(VALUES, VALUES)))
@example((time(2000, 7), time(1950))).via("a century holds its years")
@example((time(1900, 8), time(1900, 7))).via("the first year of a decade is the last of a century")
def test_two_dates_overlap_where_their_spans_do_and_a_look_up_finds_just_those(pair):
    one, other = pair
    (first, last), (other_first, other_last) = (date_of(v.time, v.precision).span for v in pair)
    expected = first <= other_last and other_first <= last
    assert (
        dates_overlap(one, other)
        == dates_overlap(other, one)
        == keys_overlap(one.key(), other.key())
        == keys_overlap(other.key(), one.key())
        == expected
    )


@given(VALUES)
def test_the_ranges_of_a_look_up_are_sorted_and_apart_so_that_no_row_counts_twice(value):
    ranges = overlapping(value.key())
    assert all(start < stop for start, stop in ranges) and all(
        one[1] <= other[0] for one, other in itertools.pairwise(ranges)
    )
    assert sum(start <= value.key() < stop for start, stop in ranges) == 1


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        (time(2000, 7), time(1901, 7), True),
        (time(2000, 7), time(1950), True),
        (time(2000, 7), time(2010), False),
        (time(2000, 7), time(2000), True),
        (time(2000, 7), time(1900), False),
        (time(1900, 7), time(1900), True),
        (time(2000, 7), time(1950, 11, 5, 4), True),
        (time(2000, 7), time(1905, 8), True),
        (time(2000, 6), time(2000, 7), True),
        (time(2001, 6), time(2000, 7), False),
        (time(1500, 6), time(2000, 6), True),
        (time(-44, 7), time(-1), True),
        (time(-100, 7), time(-44), True),
        (time(-101, 7), time(-44), False),
        (time(-44, 7), time(44), False),
        (time(-44, 8), time(-49), True),
        (time(-44, 8), time(-50), False),
        (time(-1, 8), time(1, 8), False),
        (time(-13_798_000_000, 3), time(-13_797_500_000), True),
        (time(-13_798_000_000, 3), time(-1379), False),
        (time(-66_000_000, 3), time(-4_000_000_000, 0), False),
        (time(12_000, 9), time(1200, 9), False),
        (time(5000, 5), time(1950), True),
        (time(1950, 0), time(1950, 11, 5, 4), True),
    ],
)
def test_a_period_overlaps_what_it_holds_and_nothing_else(one, other, overlap):
    assert dates_overlap(one, other) is dates_overlap(other, one) is overlap
    assert (
        keys_overlap(one.key(), other.key()) is keys_overlap(other.key(), one.key()) is overlap
    ), "a look-up of either finds the other"


@pytest.mark.parametrize(
    ("other", "overlap"),
    [
        (time(1643, 11, 1, 4), True),
        (newton(), True),
        (time(1642, 11, 12, 25), False),
        (time(1642, 11, 12, 3), False),
        (time(1643, 11, 1, 5), False),
        (time(1642), True),
        (time(1643), True),
        (time(1641), False),
        (time(1642, 10, 12), True),
        (time(1643, 10, 1), True),
        (time(1642, 10, 11), False),
        (time(1700, 7), True),
        (time(1640, 8), True),
        (time(1642, 11, 12, 26, JULIAN), False),
    ],
)
def test_a_julian_day_is_its_gregorian_day_and_lies_in_the_month_and_year_of_either_calendar(
    other, overlap
):
    assert dates_overlap(newton(), other) is dates_overlap(other, newton()) is overlap
    if not other.unit:
        assert any(keys_overlap(other.key(), key) for key in index_keys(newton())) is overlap, (
            "as a look-up finds it"
        )


def test_a_julian_day_of_the_same_month_is_looked_up_once():
    assert (
        index_keys(time(1642, 11, 12, 5, JULIAN)) == ("time:+1642-12-15/11",)
        and len(index_keys(newton())) == 2
    )


def test_a_julian_day_may_be_taken_for_either_day_and_is_counted_by_the_gregorian():
    assert (
        dates_of(newton()) == (Date(1642, 12, 25, 11), Date(1643, 1, 4, 11))
        and str(day_of(newton())) == "1643-01-04"
    )
    assert newton().year == 1642, "as it is stated"
    assert coarsened(newton(), 9) == Value(kind="time", time="+1642-00-00T00:00:00Z", precision=9)


@pytest.mark.parametrize(
    ("dates", "left"),
    [
        ((time(1900, 7), time(1850)), (1,)),
        ((time(1801, 7), time(1900)), (1,)),
        ((time(1801, 7), time(1901)), (0, 1)),
        ((time(2000, 6), time(2000, 7)), (1,)),
        ((time(1900, 7), time(1890, 8), time(1895)), (2,)),
        ((time(-100, 7), time(-44, 11, 3, 15)), (1,)),
        ((time(1642), newton()), (1,)),
        ((time(1643), newton()), (1,)),
        ((time(1641), newton()), (0, 1)),
    ],
)
def test_a_date_beside_one_that_says_more_is_no_second_value(dates, left):
    assert refined(dates) == tuple(dates[i] for i in left)


@pytest.mark.parametrize(
    ("precision", "key"),
    [
        (11, "time:+1642-05-04/11"),
        (10, "time:+1642-05/10"),
        (9, "time:+1642/9"),
        (8, "time:+164/8"),
        (7, "time:+16/7"),
        (6, "time:+1/6"),
    ],
)
def test_a_day_can_be_told_less_exactly(precision, key):
    assert coarsened(time(1642, 11, 5, 4), precision).key() == key


@pytest.mark.parametrize(
    ("year", "precision", "key"),
    [
        (1700, 7, "time:+16/7"),
        (-100, 7, "time:-00/7"),
        (12_345, 9, "time:+A12345/9"),
        (-44, 8, "time:-004/8"),
    ],
)
def test_a_turn_a_year_before_christ_and_a_long_year_can_be_told_less_exactly(year, precision, key):
    assert coarsened(time(year, 11, 5, 4), precision).key() == key


def test_what_is_told_already_less_exactly_stays():
    assert coarsened(time(1850, 7), 9) == time(1850, 7)


@pytest.mark.parametrize(
    ("said", "year", "precision"),
    [
        ("in the 19th century", 1801, 7),
        ("the nineteenth century", 1801, 7),
        ("the twenty-first century", 2001, 7),
        ("1st century BC", -100, 7),
        ("in the 1820s", 1820, 8),
        ("the 40s BC", -49, 8),
        ("the 1820s BC", -1829, 8),
        ("in the 2nd millennium BC", -2000, 6),
        ("the first millennium AD", 1, 6),
        ("the 3rd millennium b.c.e.", -3000, 6),
    ],
)
def test_decades_centuries_and_millennia_are_read_in_words(said, year, precision):
    ((date, _, _),) = dates(said)
    assert date == Date(year, precision=precision) and years_of(year, precision)[0] == year


@pytest.mark.parametrize(
    "said", ["in his 40s", "the 0th century", "thirtieth street", "the last century"]
)
def test_what_is_no_period_is_read_as_none(said):
    assert dates(said) == []


@given(YEARS, st.integers(6, 9))
def test_a_date_survives_being_written_as_a_value(year, precision):
    date = Date(years_of(year, precision)[0], precision=precision)
    assert date_of(time_value(date).time, precision) == date
