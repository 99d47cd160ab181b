"""The runners that can execute a job. The command line needs these names before Beam is imported."""

import os
from enum import StrEnum

from questloom.records.errors import QuestloomError


class RunnerKind(StrEnum):
    LOCAL = "local"
    """Beam's FnApiRunner in this process, with worker processes."""
    FLINK = "flink"
    DATAFLOW = "dataflow"


class NothingRun(QuestloomError):
    """Ends a command that only writes a job's template and runs no job."""


def cpus() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
