"""The operations of `questloom.records.form.Compute` (sums, comparisons and others) on typed
values."""

from questloom.knowledge.dates import day_of
from questloom.records.errors import InputError
from questloom.records.form import OPERATIONS
from questloom.records.knowledge import Value
from questloom.records.periods import YEAR, years_between


def _number(value: Value) -> float | None:
    """The number of a quantity, or the year of a date. Years are counted without a gap at Christ's
    birth, so one year lies between 1 BC and AD 1."""
    if value.kind == "quantity":
        return value.number
    return (
        float(years_between(-1, value.year))
        if value.kind == "time" and value.year is not None
        else None
    )


def _bounds(value: Value) -> tuple[float, float]:
    number = _number(value)
    return value.bounds if number is None or value.kind == "quantity" else (number, number)


def as_quantity(number: float, unit: str = "") -> Value:
    """A quantity whose number is rounded to a fixed number of digits. The digits do not depend on
    the order of computing."""
    return Value(kind="quantity", number=float(f"{number:.10g}"), unit=unit)


def compute(op: str, args: tuple[Value, ...], keys: tuple[Value, ...] = ()) -> Value | None:
    """The result of an operation. The result is None for unknown arguments, different units, a tie
    or a division by zero.

    `difference` is never negative. `duration_years` counts whole calendar years, from day to day or
    from year to year. `earliest`, `latest`, `largest` and `smallest` return that argument whose key
    is the earliest, latest, largest or smallest.

    >>> compute("difference", (as_quantity(1850), as_quantity(1832))).number
    18.0
    """
    if op in ("earliest", "latest", "largest", "smallest"):
        numbers = [_number(k) for k in keys]
        units = {k.unit for k in keys if k.kind == "quantity"}
        if len(numbers) != len(args) or len(args) < 2 or None in numbers or len(units) > 1:
            return None
        wants_least = op in ("earliest", "smallest")
        winner = numbers.index((min if wants_least else max)(numbers))  # type: ignore[type-var]
        least, most = _bounds(keys[winner])
        others = [_bounds(key) for place, key in enumerate(keys) if place != winner]
        return (
            args[winner]
            if all(most < low if wants_least else least > high for low, high in others)
            else None
        )
    if op == "count":
        return as_quantity(len(args))
    if op not in ("difference", "ratio", "sum", "duration_years"):
        raise InputError(
            "logical form", f"unknown operation {op!r}", f"Use one of {', '.join(OPERATIONS)}."
        )
    if len(args) != 2:
        return None
    left, right = _number(args[0]), _number(args[1])
    if left is None or right is None:
        return None
    if op == "duration_years":
        days = [day_of(a) for a in args]
        if days[0] and days[1]:
            first, last = sorted(d for d in days if d)
            return as_quantity(
                last.year - first.year - ((last.month, last.day) < (first.month, first.day))
            )
        if any(a.kind == "time" and a.precision > YEAR for a in args):
            return None  # a day or month against a bare year may be off by one; days before Christ are not counted
        return as_quantity(abs(left - right))
    if (
        op != "ratio"
        and args[0].kind == args[1].kind == "quantity"
        and args[0].unit != args[1].unit
    ):
        return None
    unit = args[0].unit if args[0].kind == "quantity" else ""
    if op == "ratio":
        return as_quantity(left / right) if right and args[0].unit == args[1].unit else None
    return as_quantity(abs(left - right) if op == "difference" else left + right, unit)
