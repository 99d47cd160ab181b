"""Handles the signal SIGTERM. Schedulers of computing clusters send SIGTERM some seconds before
they kill a process.

After SIGTERM, the run finishes its update and writes a checkpoint. The same command continues the
stopped run.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from questloom.records.errors import InputError, QuestloomError
from questloom.train.run.parallel import World

STOPPED = 128 + signal.SIGTERM
"""The exit code of a run that was asked to stop; shells use the same code for SIGTERM."""


class Stopped(QuestloomError):
    """The user or a scheduler asked the run to stop."""


def exit_code(error: QuestloomError) -> int:
    """The exit code for an error: 2 for wrong input, 143 for a requested stop, else 1."""
    return 2 if isinstance(error, InputError) else STOPPED if isinstance(error, Stopped) else 1


@dataclass
class Stop:
    """Whether this process was asked to stop."""

    asked: bool = False

    def of_any(self, at: World) -> bool:
        """Whether any rank was asked to stop. All ranks must call this function together.

        All ranks stop together, because they write a checkpoint together.
        """
        return any(at.gather(self.asked))


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """Inside the block, SIGTERM is only recorded, and the process goes on. Only a process's main
    thread can handle signals.
    """

    def ask(number: int, frame: FrameType | None) -> None:
        stop.asked = True
        os.write(
            2, b"SIGTERM: the run stops after this update, or at once where it plays\n"
        )  # print could be called within another print

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def stop_error(update: int, updates: int) -> Stopped:
    """The error that ends a stopped run.

    Args:
        update: number of finished updates, which are in a checkpoint.
        updates: number of updates in the whole run.
    """
    kept = (
        f"after update {update} of {updates}; a checkpoint of it stands"
        if update
        else "before its first update"
    )
    return Stopped(f"the run was stopped by SIGTERM {kept}. The same command continues")
