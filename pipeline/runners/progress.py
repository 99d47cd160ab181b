"""Shows progress on stderr. A terminal gets bars; any other output gets one line every ten seconds.
The display works for any runner and for any number of workers."""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column

from questloom.pipeline.runners.stage_words import left

POLL_SECONDS, SLOW_POLL_SECONDS = 0.5, 5.0
LINE_SECONDS = 10.0
"""The number of seconds between two lines, if stderr is not a terminal."""
STEPS = {
    "parts": "writing articles and facts",
    "drawings": "drawing pictures",
    "read": "reading the dumps",
    "index": "sorting out who is who",
    "articles": "joining the articles",
    "entities": "joining the entities",
    "pictures": "joining pictures with what they show",
    "images": "joining the pictures' files",
    "tables": "writing the store's tables",
}
"""Words for the steps of two jobs: making a fictional world, and ingesting."""
LOG = logging.getLogger("questloom")
_QUIET = ContextVar("quiet", default=False)


@contextmanager
def quiet() -> Iterator[None]:
    """As long as the block runs, no progress appears on stderr. Lines that would normally stay on
    the screen go to the log at level INFO."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)


class _Shown:
    """A bar with words next to it. If stderr is not a terminal, lines replace the bar."""

    def __init__(self, title: str, *, transient: bool = False) -> None:
        self.title = title
        self._quiet = (
            _QUIET.get()
        )  # read here, since the thread that shows the progress does not inherit this context
        self._console = Console(stderr=True)
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[words]}", table_column=Column()),  # wraps in a narrow window
            TimeElapsedColumn(),
            console=self._console,
            disable=self._quiet or not self._console.is_terminal,
            transient=transient,
        )
        self._tasks: dict[str, TaskID] = {}
        self._last = time.monotonic()

    def show(self, done: int, total: int, words: str, *, bar: str = "") -> None:
        """Moves the bar with this name. Without a terminal, prints a line when a bar first appears,
        and then at most one line every ten seconds."""
        if self._quiet:
            return
        is_new = bar not in self._tasks
        if is_new:
            self._tasks[bar] = self.bars.add_task(self.title, total=total, words=words)
        self.bars.update(self._tasks[bar], completed=done, total=total, words=words)
        if not self._console.is_terminal and (
            is_new or time.monotonic() - self._last > LINE_SECONDS
        ):
            self._last = time.monotonic()
            say(f"{self.title}: {words}")

    def say(self, line: str) -> None:
        """Prints a line that stays on the screen."""
        if self._quiet:
            LOG.info("%s: %s", self.title, line)
        elif self._console.is_terminal:
            self.bars.console.print(f"{self.title}: {line}", highlight=False, markup=False)
        else:
            say(f"{self.title}: {line}")


def say(line: str) -> None:
    """Prints a line on stderr. Inside `quiet`, the line goes to the log."""
    if _QUIET.get():
        LOG.info("%s", line)
        return
    print(line, file=sys.stderr, flush=True)


@contextmanager
def counting(title: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a callback (done, total) that shows a bar on stderr. The first call makes the bar
    appear. What came before it, such as loading a model, does not count for the remaining time."""
    shown, first = _Shown(title, transient=True), list[tuple[int, float]]()

    def show(done: int, total: int) -> None:
        now = time.monotonic()
        if not first:
            first.append((done, now))
        before, began = first[0]
        shown.show(done, total, counted(done, total, now - began, before=before))

    with shown.bars:
        yield show


def counted(done: int, total: int, seconds: float, *, before: int = 0) -> str:
    """How far a count has come, and how much time remains at this speed. `before` is the count at
    the beginning of the seconds.

    >>> counted(1200, 4800, 10.0), counted(0, 4, 1.0), counted(16, 1406, 3.0, before=16)
    ('1,200 of 4,800, about 30 s left', '0 of 4', '16 of 1,406')
    """
    is_known = before < done < total and seconds >= 2
    return f"{done:,} of {total:,}" + (
        f", {left(seconds / (done - before) * (total - done))}" if is_known else ""
    )


@contextmanager
def watching(
    title: str,
    total: int,
    done: Callable[[], tuple[int, str]],
    *,
    news: Callable[[], Sequence[str]] = tuple,
    slow: bool = False,
) -> Iterator[None]:
    """Shows a job's progress on stderr while the block runs.

    Args:
        title: the name of the job, shown beside the bar.
        total: the number of units of work in the whole job.
        done: a function that returns the number of finished units, and the progress in words.
            `done` is called twice a second, and once at the end. If `done` returns no words, the
            number of units is shown instead.
        news: a function that returns lines which should stay on the screen; it is called after each
            call of `done`.
        slow: whether `done` takes long, for example because it lists a bucket. A slow `done` is
            called only every five seconds.
    """
    shown, stop, started = _Shown(title), threading.Event(), time.monotonic()

    def look() -> None:
        count, words = done()
        for line in news():
            shown.say(line)
        shown.show(count, total, words or counted(count, total, time.monotonic() - started))

    def poll() -> None:
        while not stop.wait(SLOW_POLL_SECONDS if slow else POLL_SECONDS):
            look()

    thread = threading.Thread(target=poll, daemon=True)
    with shown.bars:
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
        look()


@contextmanager
def staged(title: str = "") -> Iterator[Callable[[str, int, int], None]]:
    """Yields a callback (step, done, total) that shows one bar per step on stderr.

    Args:
        title: the name of the job to which the steps belong.
    """
    shown, began = _Shown(title or "questloom"), dict[str, float]()
    with shown.bars:

        def show(step: str, done: int, total: int) -> None:
            seconds = time.monotonic() - began.setdefault(step, time.monotonic())
            shown.show(
                done, total, f"{STEPS.get(step, step)}, {counted(done, total, seconds)}", bar=step
            )

        yield show
