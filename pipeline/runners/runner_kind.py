"""The runners (Beam's engines) that can execute a job. The names of the runners are in a module of
their own, because the command line needs the names before Beam is imported."""

import os
from enum import StrEnum

from questloom.records.errors import QuestloomError


class RunnerKind(StrEnum):
    LOCAL = "local"
    """Beam's FnApiRunner. The runner works in this process and starts worker processes."""
    FLINK = "flink"
    DATAFLOW = "dataflow"


class NothingRun(QuestloomError):
    """Raised when a command only had to write a job's template, and no job ran."""


def cpus() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
