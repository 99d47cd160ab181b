"""The operations of a form, each with where it is undefined."""

import pytest

from questloom.records.errors import InputError
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.certificate.compute import as_quantity, compute
from tests.small_facts import year


def metres(number: float) -> Value:
    return as_quantity(number, "Q11573")


def about(number: float) -> Value:
    return Value(kind="quantity", number=number, lower=number - 1, upper=number + 1)


def day(text: str) -> Value:
    return Value(kind="time", time=f"+{text}T00:00:00Z", precision=11)


def before_christ(number: int, precision: int = 9) -> Value:
    return Value(kind="time", time=f"-{number:04d}-03-15T00:00:00Z", precision=precision)


A, B, C = (entity_value(q) for q in ("Q1", "Q2", "Q3"))
CENTURY, MAY = (
    Value(kind="time", time="+1900-00-00T00:00:00Z", precision=7),
    Value(kind="time", time="+1832-05-00T00:00:00Z", precision=10),
)
JULIAN = Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786")
DECADE = Value(kind="time", time="+1830-00-00T00:00:00Z", precision=8)


@pytest.mark.parametrize(
    ("op", "args", "number", "unit"),
    [
        ("difference", (metres(30), metres(50)), 20.0, "Q11573"),
        ("sum", (metres(30), metres(50)), 80.0, "Q11573"),
        ("ratio", (metres(30), metres(60)), 0.5, ""),
        ("difference", (year(1850), year(1832)), 18.0, ""),
        ("difference", (year(1832), year(1850)), 18.0, ""),
        ("duration_years", (year(1832), year(1850)), 18.0, ""),
        ("duration_years", (day("1832-05-10"), day("1850-05-09")), 17.0, ""),
        ("duration_years", (day("1850-05-10"), day("1832-05-10")), 18.0, ""),
        ("duration_years", (day("1832-05-10"), day("1850-06-01")), 18.0, ""),
        ("duration_years", (day("1832-05-10"), day("1850-04-30")), 17.0, ""),
        ("count", (A, B, C), 3.0, ""),
        ("difference", (before_christ(44), year(14)), 57.0, ""),
        ("duration_years", (before_christ(1), year(1)), 1.0, ""),
        ("difference", (before_christ(44), before_christ(31)), 13.0, ""),
        ("duration_years", (JULIAN, day("1643-01-04")), 0.0, ""),
        ("duration_years", (JULIAN, day("1644-01-03")), 0.0, ""),
        ("duration_years", (JULIAN, day("1644-01-04")), 1.0, ""),
    ],
)
def test_an_operation_gives_its_number_with_the_unit(op, args, number, unit):
    assert compute(op, args) == Value(kind="quantity", number=number, unit=unit)


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("difference", (metres(30),)),
        ("difference", (metres(30), metres(50), metres(60))),
        ("difference", (metres(30), as_quantity(50))),
        ("sum", (metres(30), as_quantity(50))),
        ("ratio", (metres(30), metres(0))),
        ("ratio", (metres(30), as_quantity(5))),
        ("difference", (A, metres(1))),
        ("difference", (metres(1), A)),
        ("difference", (DECADE, year(1850))),
        ("duration_years", (day("1832-05-10"), year(1850))),
        ("duration_years", (year(1850), day("1832-05-10"))),
        ("duration_years", (MAY, day("1850-05-10"))),
        ("duration_years", (MAY, MAY)),
        ("duration_years", (before_christ(44, 11), before_christ(31, 11))),
        ("difference", (CENTURY, year(1850))),
    ],
)
def test_an_operation_is_undefined_over_unlike_units_too_few_things_and_what_is_no_number(op, args):
    assert compute(op, args) is None


@pytest.mark.parametrize(
    ("op", "winner"), [("earliest", A), ("smallest", A), ("latest", C), ("largest", C)]
)
def test_of_things_the_one_with_the_first_or_last_key_wins(op, winner):
    assert compute(op, (B, A, C), (year(1800), year(1700), year(1900))) == winner


@pytest.mark.parametrize(
    ("args", "keys"),
    [
        ((A,), (year(1800),)),
        ((A, B), (year(1800),)),
        ((A, B), (year(1800), CENTURY)),
        ((A, B), (about(35), about(36))),
        ((A, B), (year(1800), year(1800))),
        ((A, B), (year(1800), B)),
        ((A, B), (metres(1), as_quantity(2))),
    ],
)
def test_nobody_wins_by_a_tie_a_missing_key_or_unlike_units(args, keys):
    assert compute("earliest", args, keys) is None


def test_two_with_the_losing_key_do_not_keep_the_third_from_winning():
    keys = (year(1800), year(1800), year(1900))
    assert compute("latest", (A, B, C), keys) == C and compute("earliest", (A, B, C), keys) is None


def test_a_julian_day_is_compared_with_a_gregorian_year_and_a_measure_wins_that_is_surely_more():
    assert compute("earliest", (A, B), (JULIAN, year(1700))) == A
    assert (
        compute("largest", (A, B), (about(35), about(38))) == B
        and compute("smallest", (A, B), (about(35), about(38))) == A
    )


def test_an_unknown_operation_is_an_error_and_digits_do_not_depend_on_the_way():
    with pytest.raises(InputError, match="unknown operation"):
        compute("modulo", (metres(1), metres(2)))
    assert as_quantity(0.1 + 0.2).number == 0.3
