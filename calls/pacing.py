"""Limits the calls in flight to one (provider, model), and decides when the next call may start.

The window is the number of calls that may be in flight. The window follows additive increase,
multiplicative decrease. A full window of replies widens the window by one; a sign of overload (429,
5xx, a timeout) halves the window. Calls that were in flight together halve the window only once.
`Retry-After` stops all calls to the provider and model.

With `slow_start` the window begins with one call. The window doubles with each full window of
replies, while replies come well within their time limit. `Latency` decides how much a reply widens
or narrows the window. Slow start keeps a server busy that works on a few requests and queues the
rest. Calls beyond the window wait in this process, where no time limit runs.
"""

import asyncio
import math
import time
from collections import deque
from dataclasses import dataclass
from typing import Protocol

DECREASE = 0.5


@dataclass(frozen=True, slots=True)
class Pace:
    """The highest load for a provider, for each of its models.

    Args:
        max_in_flight: the highest number of calls at once.
        requests_per_minute: evenly spaced starts; None means no limit.
        work_per_minute: seconds in any minute during which the provider may work for us. With this
            limit, calls run one after the other in all processes that share the cache
            (`questloom.calls.turns`). With None, calls may overlap.
        slow_start: the window begins with one call instead of `max_in_flight`, and the replies
            widen it.

    Raises:
        ValueError: work is limited and more than one call may be in flight.
    """

    max_in_flight: int = 64
    requests_per_minute: float | None = None
    work_per_minute: float | None = None
    slow_start: bool = False

    @property
    def first(self) -> int:
        """The number of calls at once in the beginning."""
        return 1 if self.slow_start else self.max_in_flight

    def __post_init__(self) -> None:
        if self.work_per_minute is not None and self.max_in_flight != 1:
            raise ValueError(
                f"work_per_minute counts calls one after the other, and max_in_flight is {self.max_in_flight}"
            )


class AnyLane(Protocol):
    """The queue that a call passes through. There are three kinds: this process's `Lane`, turns
    with other processes (`questloom.calls.turns`), and the lane of all workers
    (`questloom.calls.shared.lane`)."""

    async def enter(self) -> float:
        """Waits for a place in the window. Returns the time (monotonic seconds) at which the place
        was given, for `leave`."""

    def leave(
        self,
        entered: float,
        *,
        replied: bool = False,
        overloaded: bool = False,
        limited: bool = False,
        timeout: float = math.inf,
        late: bool = False,
        retry_after: float | None = None,
        banned: float | None = None,
    ) -> None:
        """Gives the place back and reports how the call went."""


class Latency:
    """Measures how long the replies of a (provider, model) pair take, and adapts the window."""

    CROWDED = 1.5
    """A reply that takes this many times the best usual time is slow because too many calls are in flight."""
    LEAST_NEWS = 8
    """The usual time is a mean over at least this many replies."""

    def __init__(self) -> None:
        self.usual = 0.0
        """The usual time of a reply in seconds: a moving mean over a window of replies."""
        self.best = math.inf
        """The lowest usual time so far. The lowest time is measured anew when calls go one by one."""
        self._num = 0

    def step(self, seconds: float, timeout: float, window: float) -> float:
        """How much a reply changes the window: up to +1, which doubles the window within a window
        of replies, or down to -½."""
        self._learn(seconds, window)
        room = (
            min(1.0, timeout / 4 / max(seconds, 1e-9) - 1)
            if seconds <= timeout / 4
            else min(0.0, timeout / 2 / seconds - 1)
        )
        return max(0.5, room) if seconds <= self.CROWDED * self.best else max(-0.5, room)

    def is_crowd(self, timeout: float, window: float) -> bool:
        """Whether a timeout shows that too many calls are in flight, and is not just one slow reply
        among many fast ones."""
        self._learn(timeout, window)
        return self.usual > max(timeout / 2, 1.3 * self.best)

    def _learn(self, seconds: float, window: float) -> None:
        self._num += 1
        self.usual += (seconds - self.usual) / min(self._num, max(self.LEAST_NEWS, window))
        self.best = self.usual if window < 2 else min(self.best, self.usual)


class Lane:
    """The window of one (provider, model): first come, first served. One event loop uses the lane at a time."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self.window = float(pace.first)
        self.in_flight = 0
        self._latency = Latency()
        self._doubles_below = math.inf if pace.slow_start else 0.0
        self._not_before = 0.0
        self._last_decrease = 0.0
        self._waiters: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> float:
        """Waits for a place in the window. Returns the time (monotonic seconds) at which the place
        was given, for `leave`."""
        if self._waiters or not self._may_start():
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            self._wake()
            try:
                await waiter
            except asyncio.CancelledError:
                if waiter.done() and not waiter.cancelled():
                    self.in_flight -= 1
                    self._wake()
                elif waiter in self._waiters:
                    self._waiters.remove(waiter)
                raise
        else:
            self._take()
        return time.monotonic()

    def leave(
        self,
        entered: float,
        *,
        replied: bool = False,
        overloaded: bool = False,
        limited: bool = False,
        timeout: float = math.inf,
        late: bool = False,
        retry_after: float | None = None,
        banned: float | None = None,
    ) -> None:
        """Gives the place back and reports how the call went.

        Args:
            entered: what `enter` returned, or when the call was sent.
            replied: a reply came, so the window may grow. During a slow start the window grows only
                if it was full.
            overloaded: the provider showed overload, so the window shrinks, unless it has shrunk
                since the call began.
            limited: the overload was a 429; this lane treats it like any other overload.
            timeout: the call's time limit in seconds.
            late: whether the overload was a timeout.
            retry_after: seconds during which no call may start.
            banned: `retry_after` is longer than any call waits. After a ban this process's `Caller`
                stops by itself; a shared lane also has to tell the other processes.
        """
        full = (
            not self._pace.slow_start or bool(self._waiters) or self.in_flight >= int(self.window)
        )
        self.in_flight -= 1
        now, step = time.monotonic(), 0.0
        if replied:
            step = (
                self._latency.step(now - entered, timeout, self.window)
                if self._pace.slow_start
                else 1.0
            )
        elif late and self._pace.slow_start and not self._latency.is_crowd(timeout, self.window):
            step, overloaded = -0.5, False
        if step < 0 or full:
            wider = self.window + (
                step if step < 0 or self.window < self._doubles_below else step / self.window
            )
            self.window = max(1.0, min(self._pace.max_in_flight, wider))
        if overloaded and entered > self._last_decrease:
            self.window = self._doubles_below = max(1.0, self.window * DECREASE)
            self._last_decrease = now
        if retry_after is not None:
            self._not_before = max(self._not_before, now + retry_after)
        self._wake()

    def _may_start(self) -> bool:
        return self.in_flight < int(self.window) and time.monotonic() >= self._not_before

    def _take(self) -> None:
        self.in_flight += 1
        if self._pace.requests_per_minute is not None:
            self._not_before = (
                max(self._not_before, time.monotonic()) + 60 / self._pace.requests_per_minute
            )

    def _wake(self) -> None:
        while self._waiters and self._may_start():
            waiter = self._waiters.popleft()
            if not waiter.done():
                self._take()
                waiter.set_result(None)
        wait = self._not_before - time.monotonic()
        if self._waiters and wait > 0:
            # One timer too many is harmless; a timer lost with an ended event loop would not be.
            self._waiters[0].get_loop().call_later(wait, self._wake)
