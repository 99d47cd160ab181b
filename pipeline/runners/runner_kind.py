"""The runners that a job can be sent to; what the command line needs to know before Beam is imported."""

from enum import StrEnum

from questloom.records.errors import QuestloomError


class RunnerKind(StrEnum):
    LOCAL = "local"
    """Beam's FnApiRunner in this process, with worker processes."""
    FLINK = "flink"
    DATAFLOW = "dataflow"


class NothingRun(QuestloomError):
    """The end of a command that was asked for no job but for its template."""
