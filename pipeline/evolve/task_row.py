"""One task's row of `verify.json`, with the results of its rollouts and its tag."""

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
    """A wrong answer that also satisfies the question's formal query; see `rivals.FittingRival`."""

    said: str
    key: str
    passed_by: str


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """The row of one task. The fields have the same order as in the file. Measures that are means
    over rollouts come from ODE (`verify.behaviour`)."""

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
    """The pass rate `correct` / `judged`, 0 to 1; None if no rollout was judged."""
    interval: list[float]
    """The lower and the upper end of the confidence interval of `rate`."""
    by_provider: int
    """The number of failed rollouts for which a provider was responsible."""
    probes: int
    recovered: int
    """The number of probes (continuations of failed rollouts) that gave the right answer."""
    teacher: TeacherResult
    rival: RowRival | None
    outcomes: dict[str, int]
    """The number of rollouts with each outcome."""
    wrong: list[str]
    """The wrong answers, at most eight."""
    chains: list[list[str]]
    """For each rollout, the names of the called tools in order. `chain_outcomes` and
    `chain_answers` list the rollouts in the same order."""
    chain_outcomes: list[str]
    chain_answers: list[str]
    solved_chains: list[list[str]]
    unfit: int
    """The number of rollouts that gave the right answer but broke a rule of the process."""
    dynamic_pictures: float
    calls_with_picture: float
    secondary_use: float
    calls: float
    faults: float
    """The share of failed calls, 0 to 1."""


def row_as_json(row: TaskRow) -> dict[str, Any]:
    """The row as `verify.json` stores it, with keys in the order of the fields."""
    return {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in asdict(row).items()
    }


def row_from_json(found: object, where: str) -> TaskRow:
    """Reads a row that `row_as_json` wrote.

    Args:
        where: the file and the row, for the error message.

    Raises:
        InputError: a key is missing or unknown, or its value has another type.
    """
    made: TaskRow = _record(TaskRow, found, where)
    return made


FIRST_VERSION: dict[str, list[str]] = {"chain_outcomes": [], "chain_answers": []}
"""Keys that rows of version 1 (`loop_folder.VERSION`) lack, each with its default value."""


def read_rows(at: RoundFolder) -> list[TaskRow]:
    """The rows of a round's `verify.json`.

    Returns:
        One row per task, in the order of the file. In loops of the first version `chain_outcomes`
        and `chain_answers` are empty.

    Raises:
        InputError: a row is invalid. The message names the row and the key.
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
    """Checks a value against a field's type. An enum or a record is built from its JSON value."""
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
