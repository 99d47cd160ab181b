"""SIGTERM, as schedulers send it some seconds before they kill: a run ends what it is at, writes a checkpoint, and the same command continues."""

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
"""The exit code of a run that was asked to stop, as shells have it."""


class Stopped(QuestloomError):
    """A run was asked to stop."""


def exit_code(error: QuestloomError) -> int:
    """Of a command that an error ended: 2 for wrong input, 143 where it was asked to stop, else 1."""
    return 2 if isinstance(error, InputError) else STOPPED if isinstance(error, Stopped) else 1


@dataclass
class Stop:
    """Whether this process was asked to stop."""

    asked: bool = False

    def of_any(self, at: World) -> bool:
        """Whether any rank was. A collective call: all ranks stop together, since they write a checkpoint together."""
        return any(at.gather(self.asked))


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """Notes SIGTERM, which ends the process elsewhere. Only a process's main thread can."""

    def ask(number: int, frame: FrameType | None) -> None:
        stop.asked = True
        os.write(
            2, b"SIGTERM: the run stops after this update, or at once where it plays\n"
        )  # print could be within a print

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def stop_error(update: int, updates: int) -> Stopped:
    """The error that ends the run.

    Args:
        update: how many are done, and are in a checkpoint.
        updates: of the whole run.
    """
    kept = (
        f"after update {update} of {updates}; a checkpoint of it stands"
        if update
        else "before its first update"
    )
    return Stopped(f"the run was stopped by SIGTERM {kept}. The same command continues")
