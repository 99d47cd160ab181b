"""Limits the number of calls in flight to one model of one provider. Decides when the next call may
start.

The maximum number of calls in flight is called the window. The window follows the rule "additive
increase, multiplicative decrease" (AIMD). The window grows by one after a full window of replies
(as many replies as calls may be in flight). A sign of overload (429, 5xx, a timeout) halves the
window. If several calls that were in flight together fail, the window is halved only once. A
`Retry-After` header stops all calls to the same model of the provider.

With `slow_start` the window begins with one call. In a slow start, the window doubles after each
full window of replies, while replies come well before their time limit. The class `Latency` decides
how much a reply changes the window. Slow start suits a server that works on a few requests at once
and lets the others wait. Calls that find no place in the window wait in this process. No time limit
runs while calls wait.
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
    """The maximum load on each model of a provider.

    Args:
        max_in_flight: maximum number of calls at the same time.
        requests_per_minute: maximum number of calls that start in a minute, evenly spaced; None
            means no limit.
        work_per_minute: in any minute, the maximum number of seconds in which the provider works on
            our calls. With `work_per_minute`, all processes that share the cache send their calls
            one after the other (see `questloom.calls.turns`). If `work_per_minute` is None, calls
            may run at the same time.
        slow_start: whether the window begins with one call and grows with the replies; otherwise
            it begins with `max_in_flight` calls.

    Raises:
        ValueError: `work_per_minute` is set although several calls may be in flight.
    """

    max_in_flight: int = 64
    requests_per_minute: float | None = None
    work_per_minute: float | None = None
    slow_start: bool = False

    @property
    def first(self) -> int:
        """The number of calls that may be in flight at the start."""
        return 1 if self.slow_start else self.max_in_flight

    def __post_init__(self) -> None:
        if self.work_per_minute is not None and self.max_in_flight != 1:
            raise ValueError(
                f"work_per_minute counts calls one after the other, and max_in_flight is {self.max_in_flight}"
            )


class AnyLane(Protocol):
    """The queue in which a call waits for its start. There are three kinds of queue: the `Lane` of
    this process, turns with other processes (`questloom.calls.turns`), and the lane that all
    workers share (`questloom.calls.shared.lane`).
    """

    async def enter(self) -> float:
        """Waits for a place in the window. Returns the time (monotonic seconds) at which the call
        got its place; the caller passes the time to `leave`.
        """

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
    """Measures how long the replies of one model take, and adapts the window to this time."""

    CROWDED = 1.5
    """If replies take this many times as long as the best usual time, too many calls are in flight.
    """
    LEAST_NEWS = 8
    """Minimum number of replies over which the usual time is computed as a mean."""

    def __init__(self) -> None:
        self.usual = 0.0
        """The usual time of a reply in seconds. The usual time is a moving mean over a full window
        of replies.
        """
        self.best = math.inf
        """The lowest usual time so far, in seconds. The lowest time is measured anew when calls run
        one by one.
        """
        self._num = 0

    def step(self, seconds: float, timeout: float, window: float) -> float:
        """Returns the change of the window after a reply, from -½ to +1. The window doubles if each
        reply of a full window adds 1.
        """
        self._learn(seconds, window)
        room = (
            min(1.0, timeout / 4 / max(seconds, 1e-9) - 1)
            if seconds <= timeout / 4
            else min(0.0, timeout / 2 / seconds - 1)
        )
        return max(0.5, room) if seconds <= self.CROWDED * self.best else max(-0.5, room)

    def is_crowd(self, timeout: float, window: float) -> bool:
        """Whether a timeout shows that too many calls are in flight. If the result is False, the
        timeout is one slow reply among many fast ones.
        """
        self._learn(timeout, window)
        return self.usual > max(timeout / 2, 1.3 * self.best)

    def _learn(self, seconds: float, window: float) -> None:
        self._num += 1
        self.usual += (seconds - self.usual) / min(self._num, max(self.LEAST_NEWS, window))
        self.best = self.usual if window < 2 else min(self.best, self.usual)


class Lane:
    """The queue for one model of a provider. Calls start in the order in which they came. Only one
    event loop at a time may use the lane.
    """

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
        """Waits for a place in the window. Returns the time (monotonic seconds) at which the call
        got its place; the caller passes the time to `leave`.
        """
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
            entered: time that `enter` returned, or time at which the request was sent.
            replied: whether a reply came, after which the window may grow. In a slow start, the
                window grows only if all its places were taken.
            overloaded: whether the provider showed overload; if so, the window shrinks, unless it
                already shrank after the start of this call.
            limited: whether the sign of overload was a 429; this lane treats a 429 like any other
                overload.
            timeout: the call's time limit in seconds.
            late: whether the sign of overload was a timeout.
            retry_after: number of seconds during which no call may start.
            banned: whether `retry_after` is so long that no call waits for it. After a ban, the
                `Caller` stops the calls of its own process. A shared lane must also stop the calls
                of the other processes.
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
