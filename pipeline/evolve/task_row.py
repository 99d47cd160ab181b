"""A task's row of `verify.json`: what its rollouts came to, and the tag that they earn it."""

import typing
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any

from questloom.pipeline.evolve.loop_folder import RoundFolder
from questloom.pipeline.evolve.tags import Cause, Tag, TeacherResult
from questloom.records.errors import InputError


@dataclass(frozen=True)
class RowRival:
    """A wrong answer that fits the form too; see `rivals.FittingRival`."""

    said: str
    key: str
    passed_by: str


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """The fields stand in the order of the file. Means over rollouts are ODE's (`verify.behaviour`)."""

    id: str
    question: str
    answer: str
    domain: str
    profile: str
    level: str
    method: str
    needs_detail: bool
    needs_computation: bool
    enhanced: bool
    tag: Tag
    cause: Cause
    correct: int
    judged: int
    rate: float | None
    """`correct` of `judged`, 0 to 1; None where nothing was judged."""
    interval: list[float]
    """Of `rate`: low and high."""
    by_provider: int
    """Failed rollouts whose failure is the provider's."""
    probes: int
    recovered: int
    """Of the probes those that were right."""
    teacher: TeacherResult
    rival: RowRival | None
    outcomes: dict[str, int]
    """Rollouts by outcome."""
    wrong: list[str]
    """Wrong answers, at most eight."""
    chains: list[list[str]]
    """Tools that each rollout called, in order; `chain_outcomes` and `chain_answers` run beside it."""
    chain_outcomes: list[str]
    chain_answers: list[str]
    solved_chains: list[list[str]]
    unfit: int
    """Right rollouts that broke a rule of the process."""
    dynamic_pictures: float
    calls_with_picture: float
    secondary_use: float
    calls: float
    faults: float
    """Share of the calls that failed, 0 to 1."""


def row_as_json(row: TaskRow) -> dict[str, Any]:
    """The row as `verify.json` keeps it, keys in the order of the fields."""
    return {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in asdict(row).items()
    }


def row_from_json(found: object, where: str) -> TaskRow:
    """The row that `row_as_json` wrote.

    Args:
        where: the file and the row in it, for the error.

    Raises:
        InputError: a key is missing, unknown, or of another type.
    """
    made: TaskRow = _record(TaskRow, found, where)
    return made


FIRST_VERSION: dict[str, list[str]] = {"chain_outcomes": [], "chain_answers": []}
"""Keys that rows of the first version lack (`loop_folder.VERSION`), and what they are read as."""


def read_rows(at: RoundFolder) -> list[TaskRow]:
    """The rows of a round's `verify.json`.

    Returns:
        One a task, in the order of the file. Rows of a loop of the first version have no
        `chain_outcomes` and `chain_answers`: both are empty there.

    Raises:
        InputError: one is no row; says which, and which key.
    """
    return [
        row_from_json(
            {**FIRST_VERSION, **found} if isinstance(found, Mapping) else found,
            f"{at.path / 'verify.json'}, row {number}",
        )
        for number, found in enumerate(at.read("verify")["tasks"], 1)
    ]


def _record(kind: Any, found: object, where: str) -> Any:
    if not isinstance(found, Mapping):
        raise _refused(where, f"{found!r} is no object")
    names = [each.name for each in fields(kind)]
    if missing := [name for name in names if name not in found]:
        raise _refused(where, f"the key {missing[0]!r} is missing")
    if unknown := [name for name in found if name not in names]:
        raise _refused(where, f"unknown key {unknown[0]!r}")
    types = typing.get_type_hints(kind)
    return kind(**{name: _value(types[name], found[name], f"{where}, {name}") for name in names})


def _value(kind: Any, found: Any, where: str) -> Any:
    """A value checked against a field's type; enums and records are made of what JSON holds."""
    outer, inner = typing.get_origin(kind), typing.get_args(kind)
    if outer is UnionType:
        (some,) = (each for each in inner if each is not NoneType)
        return None if found is None else _value(some, found, where)
    if outer is list and isinstance(found, list):
        return [_value(inner[0], each, where) for each in found]
    if outer is dict and isinstance(found, dict):
        return {_value(inner[0], k, where): _value(inner[1], v, where) for k, v in found.items()}
    if kind is RowRival:
        return _record(RowRival, found, where)
    if kind in (Tag, Cause, TeacherResult):
        if found not in list(kind):
            known = ", ".join(repr(each.value) for each in kind)
            raise _refused(where, f"{found!r} is none of {known}")
        return kind(found)
    if type(found) is kind or (kind is float and type(found) is int):
        return found
    raise _refused(where, f"{found!r} is no {kind.__name__ if outer is None else kind}")


def _refused(where: str, what: str) -> InputError:
    return InputError(where, what, "Delete verify.json and run the loop again.")
