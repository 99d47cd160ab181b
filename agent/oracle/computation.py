"""How the oracle (a scripted solver) computes differences, sums, ratios, durations and orders. The
oracle calls the Python tool. If the tool returns no number, this module computes the result."""

import re
from collections.abc import Generator, Mapping
from datetime import date
from typing import Any

from questloom.agent.oracle.desk import Desk
from questloom.agent.oracle.observation_reading import Line, Literal, Read, Thing
from questloom.agent.oracle.puzzle import Const, Sum
from questloom.agent.oracle.speech import Action, Observation, named

_OF_TWO = ("difference", "ratio", "sum", "duration_years")


def computed(
    solver: Desk, needed: Sum, bound: Mapping[str, Any]
) -> Generator[Action, Observation, tuple[Read, Line] | None]:
    """Computes a result. Returns the result and the line of text that states it, or None if an
    operand is missing."""

    def value(end: Any) -> Read | Const | None:
        return end if isinstance(end, Const) else bound[end].value if end in bound else None

    args, keys = [value(a) for a in needed.args], [value(k) for k in needed.keys]
    lines = [
        bound[e].line for e in (*needed.args, *needed.keys) if isinstance(e, str) and e in bound
    ]
    if any(a is None for a in (*args, *keys)) or not lines:
        return None
    last = max(lines, key=lambda line: line.turn)
    if needed.op in ("earliest", "smallest", "latest", "largest"):
        numbers = [_order(k) for k in keys]
        if None in numbers or not numbers:
            return None
        winner = (min if needed.op in ("earliest", "smallest") else max)(
            n for n in numbers if n is not None
        )
        chosen = args[numbers.index(winner)]
        return (chosen, last) if isinstance(chosen, Thing) else None
    if needed.op == "count":
        return Literal(str(len(args)), number=float(len(args))), last
    parts = [_number(a) for a in args]
    if needed.op not in _OF_TWO or len(parts) != 2 or None in parts:
        return None
    left, right = (p for p in parts if p is not None)
    code = _code(needed.op, args, left, right)
    observation = yield from solver.call(
        solver.manner.say(
            "compute",
            left=named(args[0]),
            right=named(args[1]),
            what=needed.op.replace("_", " "),
        ),
        "python_interpreter",
        code=code,
    )
    digits = re.findall(r"-?\d+(?:\.\d+)?", observation.text) if observation else []
    number = float(digits[-1]) if digits else _in_head(needed.op, args, left, right)
    unit = (
        args[0].unit
        if isinstance(args[0], Literal) and needed.op != "ratio" and args[0].year is None
        else ""
    )
    text = f"{number:.10g}"
    if observation and digits:
        return Literal(text, number=number, unit=unit), Line(digits[-1], observation.turn)
    return Literal(text, number=number, unit=unit), Line(
        f"{named(args[0])}, {named(args[1])}", last.turn
    )


def _code(op: str, args: list[Any], left: float, right: float) -> str:
    days = [_day(a) for a in args]
    if op == "duration_years" and days[0] and days[1]:
        first, last = sorted(d for d in days if d)
        return (
            f"from datetime import date\na, b = date({first.year}, {first.month}, {first.day}), date({last.year}, {last.month}, {last.day})\n"
            "print(b.year - a.year - ((b.month, b.day) < (a.month, a.day)))"
        )
    a, b = f"{left:.12g}", f"{right:.12g}"
    return f"print({ {'ratio': f'{a} / {b}', 'sum': f'{a} + {b}'}.get(op, f'abs({a} - {b})') })"


def _in_head(op: str, args: list[Any], left: float, right: float) -> float:
    days = [_day(a) for a in args]
    if op == "duration_years" and days[0] and days[1]:
        first, last = sorted(d for d in days if d)
        return float(last.year - first.year - ((last.month, last.day) < (first.month, first.day)))
    return left / right if op == "ratio" else left + right if op == "sum" else abs(left - right)


def _number(value: Any) -> float | None:
    if isinstance(value, Const):
        digits = re.match(r"-?\d+(?:\.\d+)?", value.text)
        return float(digits[0]) if digits else None
    if isinstance(value, Literal):
        return float(value.year) if value.year is not None else value.number
    return None


def _order(value: Any) -> float | None:
    day = _day(value)
    return day.toordinal() / 365.2425 if day else _number(value)


def _day(value: Any) -> date | None:
    return value.calendar_day if isinstance(value, Literal) else None
