"""What the demo says at its end: one question, where everything is and how to look at it, and what it took."""

import os
import resource
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder

LEVEL, SPLIT = "medium", "train"


def example(questions: Iterable[Question]) -> Question | None:
    """The question that the demo shows: always the same of the same run; None where nothing was kept.

    Before all of the medium level and from the training part, then with the widest margin, then one that needs the picture close up, then the
    shortest.
    """

    def place(question: Question) -> tuple:
        certificate = question.certificate
        margin = certificate.margin if certificate is not None else 0
        width = (
            float("inf") if certificate is not None and certificate.basis == "closed" else margin
        )
        return (
            question.level != LEVEL,
            not question.split.endswith(SPLIT),
            -width,
            not question.needs_detail,
            len(question.text),
            question.id,
        )

    return min(questions, key=place, default=None)


def example_text(run: RunFolder) -> str:
    """That question with its answer and its picture's path, or "" where nothing was kept."""
    chosen = example(run.read(run.label("split"), "kept", Question))
    if chosen is None:
        return ""
    return "\n".join(
        [
            f"One of its questions ({chosen.level}):",
            f"  {chosen.text}",
            f"answer    {chosen.answer.text}",
            f"picture   {run.picture(chosen.image_id)}",
        ]
    )


def places_text(dataset: str, report: str, message: str = "") -> str:
    """Where the data set and the report are, and how to look at them."""
    lines = (
        [
            f"data set  {dataset}",
            f'          from datasets import load_dataset; load_dataset("{dataset}", "tasks")   # "sft" for the trajectories',
        ]
        if dataset
        else []
    )
    return "\n".join(
        [
            *lines,
            f"report    {report}",
            "          open it in a browser; it needs no server",
            *([message] if message else []),
        ]
    )


@dataclass(frozen=True)
class Clock:
    """What a command takes of the machine, from where it was made."""

    wall: float = field(default_factory=time.monotonic)
    cpu: float = field(default_factory=lambda: _cpu_seconds())

    def as_text(self, workers: int) -> str:
        """Seconds, processors and memory. `workers` is the number of worker processes."""
        processes = [
            resource.getrusage(who).ru_maxrss
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        ]
        largest = max(processes) * (
            1 if sys.platform == "darwin" else 1024
        )  # macOS counts bytes, Linux kibibytes
        return (
            f"It took {time.monotonic() - self.wall:.0f} s on {workers} of {os.cpu_count()} cores, {_cpu_seconds() - self.cpu:.0f} s of processor time, "
            f"and at most {largest / 1e9:.1f} GB of memory in one process."
        )


def _cpu_seconds() -> float:
    """Of this process and of those of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)
