"""A time limit that stops its clock while a call waits in the queue of a provider.

The waiting time does not count, because it depends on other tasks that use the same server.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar


class _Clock:
    """The clock of one time limit."""

    def __init__(self, limit: asyncio.Timeout) -> None:
        self._limit, self._num, self._left = limit, 0, 0.0
        self.open = True

    def stop(self) -> None:
        """Records that one more call waits, and stops the clock."""
        self._num += 1
        when = self._limit.when()
        if self._num == 1 and self.open and when is not None and not self._limit.expired():
            self._left = when - asyncio.get_running_loop().time()
            self._limit.reschedule(None)

    def go_on(self) -> None:
        """Records that one call no longer waits. If no other call waits, the clock runs again."""
        self._num -= 1
        if not self._num and self.open and self._limit.when() is None:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._left)


_CLOCKS: ContextVar[tuple[_Clock, ...]] = ContextVar("clocks", default=())


@asynccontextmanager
async def time_limit(seconds: float) -> AsyncIterator[None]:
    """A time limit like `asyncio.timeout`, but the time that calls spend in a queue does not count.
    The time limit also counts the time in which a call waits for the reply to an equal call.
    """
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
    """Stops the clocks of all time limits around the current task."""
    clocks = _CLOCKS.get()
    for clock in clocks:
        clock.stop()
    try:
        yield
    finally:
        for clock in clocks:
            clock.go_on()
