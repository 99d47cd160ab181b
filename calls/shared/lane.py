"""The pace of all workers together for one model of a provider. The lane here works like the `Lane`
of `questloom.calls.pacing`, but its state is stored in Redis.

The script `scripts/lane.lua` sets three limits. The first limit is a window for the calls in
flight. The window grows step by step, and a 5xx status or a timeout halves it. The second limit is
a rate of starts per second. After each 429, the rate follows a cubic curve. The third limit is a
time before which no call starts, as set by a `Retry-After` header.

A worker tells the server which slots it holds and how many more it wants. A slot is permission for
one call in flight. One message from the server gives a worker the slots and start times for many
calls. If the server hears nothing from a worker, the worker's slots expire.
"""

import asyncio
import math
import time
from collections import deque

from questloom.calls.attempts import Status
from questloom.calls.pacing import Latency, Pace
from questloom.calls.retry import CallFault, RetryPolicy
from questloom.calls.shared.link import Link
from questloom.records.errors import ProviderFault

FLOOR_SECONDS = 0.004
"""Minimum time in seconds between two messages to the server. Each message reports all events since
the previous message.
"""
AHEAD_MS = 50
"""The number of milliseconds between the message with a start time and the start itself. The
interval is short, so that few calls are still sent after a 429.
"""
LONGEST_WAIT = 0.5
LONGEST_PAUSE = RetryPolicy().max_retry_after


class SharedLane:
    """One worker's part of a lane that all workers share. Within one worker, calls start in the
    order in which they came. Only one event loop at a time may use a worker's part.

    Args:
        pair: name of the lane (provider and model).
        worker: name of this worker, under which the server knows its part of the lane.
        life: number of seconds after which the slots of a silent worker expire.
    """

    def __init__(self, link: Link, pair: str, worker: str, pace: Pace, *, life: float) -> None:
        self._link, self._pair, self._worker, self._pace, self._life = (
            link,
            pair,
            worker,
            pace,
            life,
        )
        self.in_flight = 0
        self.window = float(pace.first)
        self.rate = 0.0
        """The rate that users see: how many calls all workers together start per second.
        """
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._granted: set[asyncio.Future[None]] = set()
        self._latency = Latency()
        self._replied, self._wider = 0, 0.0
        self._overloaded_at = self._limited_at = 0.0  # monotonic seconds, 0 means no time
        self._closed_until = 0.0
        self._news = False
        self._server_ahead = 0.0  # the server's clock minus ours, in seconds
        self._bell = asyncio.Event()
        self._talk: asyncio.Task[None] | None = None

    async def enter(self) -> float:
        """Waits for a slot and a start time. Returns the time (monotonic seconds) at which the call
        got the slot; the caller passes the time to `leave`.

        Raises:
            ProviderFault: the Redis server cannot be reached for long, or the provider asked a
                worker for a longer pause than any call waits.
        """
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self._tell()
        try:
            await waiter
        except BaseException:
            if waiter in self._granted:
                self.in_flight -= 1
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
            self._tell()
            raise
        finally:
            self._granted.discard(waiter)
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
        """Gives the slot back and reports how the call went; see `Lane.leave`. A 429 lowers the rate but does not
        change the window; a ban stops all workers."""
        full = (
            not self._pace.slow_start or bool(self._waiters) or self.in_flight >= int(self.window)
        )
        self.in_flight -= 1
        self._replied += replied
        if replied:
            step = (
                self._latency.step(time.monotonic() - entered, timeout, self.window)
                if self._pace.slow_start
                else 1.0
            )
            self._wider += step if step < 0 or full else 0.0
        elif late and self._pace.slow_start and not self._latency.is_crowd(timeout, self.window):
            self._wider, overloaded = self._wider - 0.5, False
        if limited:
            self._limited_at = max(self._limited_at, entered)
        elif overloaded:
            self._overloaded_at = max(self._overloaded_at, entered)
        pause = retry_after if banned is None else banned
        if pause is not None:
            self._closed_until = max(self._closed_until, time.monotonic() + pause)
        self._tell()

    def _tell(self) -> None:
        self._news = True
        loop = asyncio.get_running_loop()
        if self._talk is None or self._talk.get_loop() is not loop or self._talk.done():
            if self._talk is not None and self._talk.get_loop() is loop and self._talk.cancelled():
                return  # the loop ends; the next loop reports it
            self._bell = asyncio.Event()
            self._waiters = deque(w for w in self._waiters if w.get_loop() is loop)
            self._talk = loop.create_task(self._negotiate())
        self._bell.set()

    async def _negotiate(self) -> None:
        """Exchanges messages with the server as long as there are events to report, slots to
        request or slots to keep.
        """
        while self._news or self._waiters or self.in_flight:
            self._news = False
            try:
                wait = await self._ask()
            except ProviderFault as fault:
                self._fail(fault)
                wait = 1.0
            if self._news or self._waiters:
                await asyncio.sleep(FLOOR_SECONDS)
            if not self._news:
                self._bell.clear()
                longest = min(LONGEST_WAIT, wait) if self._waiters else self._life / 4
                timer = asyncio.get_running_loop().call_later(longest, self._bell.set)
                if self._waiters or self.in_flight:
                    await self._bell.wait()
                timer.cancel()

    async def _ask(self) -> float:
        """Sends one message to the server. Returns the number of seconds after which the next
        message is useful.
        """
        told = self._overloaded_at, self._limited_at, self._closed_until
        replied, wider = self._replied, self._wider
        now = time.monotonic()
        pause = max(0, round((self._closed_until - now) * 1000)) if self._closed_until else 0
        self._replied, self._wider, self._overloaded_at, self._limited_at, self._closed_until = (
            0,
            0.0,
            0.0,
            0.0,
            0.0,
        )
        try:
            answer = await self._link.submit(
                *self._link.call_of(
                    "lane",
                    self._pair,
                    self._worker,
                    self.in_flight,
                    len(self._waiters),
                    replied,
                    self._server_ms(told[0]),
                    self._server_ms(told[1]),
                    pause,
                    self._pace.max_in_flight,
                    (self._pace.requests_per_minute or 0) / 60,
                    round(self._life * 1000),
                    AHEAD_MS,
                    self._pace.first,
                    f"{wider:.6f}",
                ),
                keep=True,
            )
        except ProviderFault:
            self._replied, self._wider = self._replied + replied, self._wider + wider
            self._overloaded_at, self._limited_at, self._closed_until = map(
                max,
                zip(told, (self._overloaded_at, self._limited_at, self._closed_until), strict=True),
            )
            raise
        stamp, _allowed, starts, first, spacing, wait, window, rate = map(float, answer)
        after = time.monotonic()
        self._server_ahead = stamp / 1000 - (now + after) / 2
        self.window, self.rate = window, rate
        loop = asyncio.get_running_loop()
        for i in range(int(starts)):
            waiter = self._next_waiter()
            if waiter is None:
                break
            self.in_flight += 1
            self._granted.add(waiter)
            delay = (first + i * spacing) / 1000 - self._server_ahead - after
            if delay > 0.001:
                loop.call_later(delay, _let_go, waiter)
            else:
                _let_go(waiter)
        if wait / 1000 > LONGEST_PAUSE:
            self._fail(
                CallFault(
                    self._pair.partition("/")[0],
                    f"another worker was told to send nothing for {wait / 1000:.0f} s",
                    Status.RATE_LIMITED,
                    status=429,
                    retry_after=wait / 1000,
                )
            )
        return wait / 1000

    def _server_ms(self, moment: float) -> str:
        return f"{(moment + self._server_ahead) * 1000:.3f}" if moment else "0"

    def _next_waiter(self) -> asyncio.Future[None] | None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                return waiter
        return None

    def _fail(self, fault: ProviderFault) -> None:
        while (waiter := self._next_waiter()) is not None:
            waiter.set_exception(fault)


def _let_go(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
