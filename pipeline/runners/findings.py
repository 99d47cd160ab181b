"""The results of checks. `questloom doctor` prints all findings. A job prints those findings that
stop the job before it starts."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    OK = "ok"
    MISSING = "missing"
    INFO = "info"
    """Not an error: either the requirement is optional, or the reader must judge the finding."""


@dataclass(frozen=True)
class Line:
    """The result of one check. `fix` says what to do if the check did not pass."""

    topic: str
    name: str
    status: Status
    detail: str
    fix: str = ""
