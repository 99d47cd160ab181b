"""A time limit whose clock stops while one of its calls waits for a place in a provider's window.

Waiting for a place says nothing about the limited work itself: many tasks may use the same server
at once.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar


class _Clock:
    """The clock of one limit."""

    def __init__(self, limit: asyncio.Timeout) -> None:
        self._limit, self._num, self._left = limit, 0, 0.0
        self.open = True

    def stop(self) -> None:
        """Counts one more waiting call and stops the clock."""
        self._num += 1
        when = self._limit.when()
        if self._num == 1 and self.open and when is not None and not self._limit.expired():
            self._left = when - asyncio.get_running_loop().time()
            self._limit.reschedule(None)

    def go_on(self) -> None:
        """Ends one call's waiting. The clock goes on if no other call waits."""
        self._num -= 1
        if not self._num and self.open and self._limit.when() is None:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._left)


_CLOCKS: ContextVar[tuple[_Clock, ...]] = ContextVar("clocks", default=())


@asynccontextmanager
async def time_limit(seconds: float) -> AsyncIterator[None]:
    """A time limit like `asyncio.timeout` that does not count the time in which calls wait for
    their place. A call that joins an equal call in flight counts as working."""
    async with asyncio.timeout(seconds) as limit:
        clock = _Clock(limit)
        token = _CLOCKS.set((*_CLOCKS.get(), clock))
        try:
            yield
        finally:
            clock.open = False  # a call may outlive the task that it was made for
            _CLOCKS.reset(token)


@contextmanager
def not_counted() -> Iterator[None]:
    """Stops the clocks of all limits that surround this task."""
    clocks = _CLOCKS.get()
    for clock in clocks:
        clock.stop()
    try:
        yield
    finally:
        for clock in clocks:
            clock.go_on()
