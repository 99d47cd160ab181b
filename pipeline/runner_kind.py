"""The runners that a job can be sent to."""
from enum import StrEnum


class RunnerKind(StrEnum):
    LOCAL = "local"
    """Beam's FnApiRunner in this process, with worker processes."""
    FLINK = "flink"
    DATAFLOW = "dataflow"
