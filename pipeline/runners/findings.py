"""The results of checks: the lines of `questloom doctor`, and those that stop a job before it starts."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    OK = "ok"
    MISSING = "missing"
    INFO = "info"
    """Not an error: the requirement is optional, or the reader must judge the finding."""


@dataclass(frozen=True)
class Line:
    """The result of one check. `fix` says what to do if the result is not ok."""

    topic: str
    name: str
    status: Status
    detail: str
    fix: str = ""
