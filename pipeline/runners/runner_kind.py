"""The runners that a job can be sent to; what the command line needs to know before Beam is imported."""

import os
from enum import StrEnum

from questloom.records.errors import QuestloomError


class RunnerKind(StrEnum):
    LOCAL = "local"
    """Beam's FnApiRunner in this process, with worker processes."""
    FLINK = "flink"
    DATAFLOW = "dataflow"


class NothingRun(QuestloomError):
    """The end of a command that was asked for no job but for its template."""


def cpus() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
