"""The text at the end of the demo: one question, the paths of the results and how to view them, and
the resources used."""

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
    """The question that the demo shows, always the same for the same run; None if no question was kept.

    Among the kept questions, those of the medium level in the training split come first. Next come
    questions for which no wrong answer nearly fits (the widest margin), then those that need a zoom
    into the picture, then the shortest.
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
    """The text of the demo's question with its answer and its picture's path, or "" if no question
    was kept."""
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
    """The paths of the data set and the report, and how to view them."""
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
    """Measures a command's use of the machine, from the creation of this object."""

    wall: float = field(default_factory=time.monotonic)
    cpu: float = field(default_factory=lambda: _cpu_seconds())

    def as_text(self, workers: int) -> str:
        """The seconds, processors and memory that the command used. `workers` is the number of
        worker processes."""
        processes = [
            resource.getrusage(who).ru_maxrss
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        ]
        largest = max(processes) * (
            1 if sys.platform == "darwin" else 1024
        )  # macOS reports bytes, Linux kibibytes
        return (
            f"It took {time.monotonic() - self.wall:.0f} s on {workers} of {os.cpu_count()} cores, {_cpu_seconds() - self.cpu:.0f} s of processor time, "
            f"and at most {largest / 1e9:.1f} GB of memory in one process."
        )


def _cpu_seconds() -> float:
    """The CPU time of this process and of its finished children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)
