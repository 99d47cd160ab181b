"""What was looked at and what came of it: the lines of `questloom doctor`, and those that stop a job before it starts."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    OK = "ok"
    MISSING = "missing"
    INFO = "info"
    """Optional, or for the reader to judge."""


@dataclass(frozen=True)
class Line:
    """One thing that was looked at; `fix` says what to do where it is not ok."""

    topic: str
    name: str
    status: Status
    detail: str
    fix: str = ""
