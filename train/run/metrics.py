"""Writes what a run shows to its user: metrics.jsonl, TensorBoard files, curves.png, and progress
on stderr."""

import json
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import torch
from matplotlib.figure import Figure
from torch.utils.tensorboard import SummaryWriter

from questloom.files.parquet import write_whole

CURVES = ("loss", "validation_loss", "lr", "grad_norm", "tokens_per_second", "peak_memory_gb")
DRAW_SECONDS = 60.0
"""Minimum number of seconds between two drawings of the curves."""


@dataclass
class Metrics:
    """Writes the metrics of a run. Only one rank writes metrics.

    Args:
        folder: OUT, the folder of the training run.
        updates: number of updates in the whole run.
        done: number of updates that earlier starts of the run have finished. If a killed run has
            left metrics of later updates, these metrics are removed.
        curves: names of the metrics that are drawn.
    """

    folder: Path
    updates: int
    done: int = 0
    curves: Sequence[str] = CURVES
    stream: TextIO = field(default_factory=lambda: sys.stderr)

    def __post_init__(self) -> None:
        self._began = time.perf_counter()
        kept = [
            line for line in read_metrics(self.folder) if self.done and line["update"] <= self.done
        ]  # without a checkpoint everything begins anew
        write_whole(self._path, "".join(json.dumps(line) + "\n" for line in kept).encode())
        self._drawn = self._began
        self._board = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.done + 1)

    @property
    def _path(self) -> Path:
        return self.folder / "metrics.jsonl"

    def note(self, update: int, **figures: float) -> None:
        """Writes the metrics of an update.

        Args:
            update: number of finished updates.
        """
        with open(self._path, "a", encoding="utf-8") as out:
            out.write(json.dumps({"update": update, **figures}) + "\n")
        for name, value in figures.items():
            self._board.add_scalar(name, value, update)
        if time.perf_counter() - self._drawn > DRAW_SECONDS:
            self._draw()

    def say(self, text: str) -> None:
        """Prints a line of text."""
        print(text, file=self.stream, flush=True)

    def progress(self, update: int, *, epoch: float, loss: float, tokens_per_second: float) -> None:
        """Prints a line about an update: how far the run has come, the speed, the remaining
        time."""
        pace = (time.perf_counter() - self._began) / max(1, update - self.done)
        self.say(
            f"update {update}/{self.updates} · epoch {epoch:.2f} · loss {loss:.4f} · {tokens_per_second:,.0f} tokens/s · "
            f"{duration(pace * (self.updates - update))} left"
        )

    def close(self) -> None:
        """Draws the curves and closes all open files."""
        self._board.close()
        self._draw()

    def _draw(self) -> None:
        self._drawn = time.perf_counter()
        lines = read_metrics(self.folder)
        found = [name for name in self.curves if any(name in line for line in lines)]
        if not found:
            return
        figure = Figure(figsize=(9, 2.2 * len(found)))
        figure.subplots_adjust(left=0.13, right=0.97, top=0.98, bottom=0.08, hspace=0.15)
        for axes, name in zip(
            figure.subplots(len(found), 1, sharex=True, squeeze=False)[:, 0], found, strict=True
        ):
            points = [(line["update"], line[name]) for line in lines if name in line]
            axes.plot(*zip(*points, strict=True), marker="." if len(points) < 50 else "")
            axes.set_ylabel(name)
            axes.grid(alpha=0.3)
        axes.set_xlabel("update")
        part = self.folder / ".curves.png"
        figure.savefig(part, format="png", dpi=110)
        part.replace(self.folder / "curves.png")


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The complete lines of OUT/metrics.jsonl. If the run was killed, an incomplete last line is
    left out. If the file does not exist, the list is empty.
    """
    path = folder / "metrics.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def duration(seconds: float) -> str:
    """Formats a number of seconds for people to read.

    >>> duration(42), duration(4000)
    ('42 s', '1 h 07 min')
    """
    minutes = round(seconds / 60)
    return (
        f"{seconds:.0f} s"
        if seconds < 90
        else f"{minutes} min"
        if minutes < 60
        else f"{minutes // 60} h {minutes % 60:02d} min"
    )


def peak_memory_gb(device: torch.device) -> float:
    """The largest amount of memory used so far, in GB: torch's memory on a GPU, or the memory of
    this process on a CPU.
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 1e9
    return (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        * (1 if sys.platform == "darwin" else 1024)
        / 1e9
    )
