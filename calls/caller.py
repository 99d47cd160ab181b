"""Every call to an outside service goes through `Caller`. A `Caller` adds a cache, pacing, budget,
ledger and retries, and sends equal requests only once.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from questloom.calls import meter
from questloom.calls.attempts import Status
from questloom.calls.budget import Budget
from questloom.calls.cache import CallCache, Decision
from questloom.calls.pacing import AnyLane, Pace
from questloom.calls.request import CallRequest, Reply
from questloom.calls.retry import WRONG_CREDENTIALS, CallFault, RetryPolicy
from questloom.calls.waiting import not_counted
from questloom.records.errors import BudgetExceeded

Send = Callable[[str], Awaitable[Reply]]
"""Sends the request once with the given idempotency key, and raises `CallFault` if no reply
comes.
"""

OVERLOAD = frozenset({Status.RATE_LIMITED, Status.SERVER_ERROR, Status.TIMEOUT})
SILENT_SECONDS = 60.0
"""Pause in seconds before the next call to a provider that this process has never reached. The
pause begins when a call has failed in all its attempts.
"""
LATE_SECONDS = 1.0
"""A time limit usually fires at most this number of seconds late. A longer delay shows that the
process was stopped or starved. A stopped process could not read its replies in time.
"""
GRACE_SECONDS = 5.0
"""When a time limit has fired late, these extra seconds serve to read a reply that has already
arrived.
"""
POLL_SECONDS = (0.01, 0.1)
"""The first pause and the longest pause in seconds between two checks of a request that another
process has sent.
"""


class Caller:
    """Sends calls. A `Caller` adds a cache, pacing, budget, ledger and retries, and sends equal
    requests only once.

    A process has one `Caller`. Only one event loop at a time may use the `Caller`. Another event
    loop may use the `Caller` afterwards.

    Args:
        cache: the backend that stores replies; several processes may share it.
        budget: hard limits on the total spending of all runs in the folder.
        paces: the pace of each provider; a provider that is missing here gets the default pace.
    """

    def __init__(
        self,
        cache: CallCache,
        *,
        budget: Budget | None = None,
        paces: Mapping[str, Pace] | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.cache = cache
        self.budget = budget or Budget()
        self.retry = retry or RetryPolicy()
        self._paces = dict(paces or {})
        self._lanes: dict[tuple[str, str], AnyLane] = {}
        self._in_flight: dict[str, asyncio.Task[Reply]] = {}
        self._shut: dict[tuple[str, str], tuple[float, CallFault]] = {}
        self._reached: set[str] = set()
        self._silence: dict[tuple[str, str], tuple[int, float]] = {}

    def set_pace(self, provider: str, pace: Pace) -> None:
        """Sets the pace of a provider before the first call to the provider. Afterwards the pace
        can no longer be changed.
        """
        assert self._paces.get(provider) == pace or all(
            name != provider for name, _ in self._lanes
        ), provider
        self._paces[provider] = pace

    async def aclose(self) -> None:
        """Releases the cache's resources for the event loop that runs now. Another event loop may
        use the `Caller` afterwards.
        """
        await self.cache.aclose()

    async def call(
        self, request: CallRequest, send: Send, *, is_reply: Callable[[Reply], bool] | None = None
    ) -> Reply:
        """Returns the reply to a request: from the cache, from an equal request that is already in
        flight, or from the provider.

        If the task that waits is cancelled, the call still runs to its end and the reply is cached,
        because the provider may charge for the call anyway.

        Args:
            is_reply: function that tells whether a cached reply is valid. An invalid reply, for
                example of an earlier version, is removed and the request is sent again.

        Raises:
            ProviderFault: all attempts ended without a reply, or no reply is possible. A fault is
                never stored in the cache.
            BudgetExceeded: the reply could cost more than the rest of the budget.
            InputError: the budget limits money and the price is unknown, or the cache's file cannot
                be written. (If a shared cache cannot be reached for long, the error is
                `ProviderFault`.)
        """
        self.budget.check_price(request.provider, request.model, request.price)
        key = request.key()
        reply = await self.cache.lookup(key)
        if reply is not None:
            if is_reply is None or is_reply(reply):
                return reply
            await self.cache.forget(key, reply)
        task = self._in_flight.get(key)
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(self._fetch(key, request, send))
            self._in_flight[key] = task
            task.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(task)

    def _forget(self, key: str, task: asyncio.Task[Reply]) -> None:
        if self._in_flight.get(key) is task:
            del self._in_flight[key]
        if not task.cancelled():
            task.exception()  # marks the exception as seen, if everybody who waited was cancelled

    async def _fetch(self, key: str, request: CallRequest, send: Send) -> Reply:
        pair = (request.provider, request.model)
        lane = self._lanes.get(pair)
        if lane is None:
            lane = self._lanes[pair] = self.cache.new_lane(
                *pair, self._paces.get(request.provider, Pace())
            )
        attempt = 0
        while True:
            attempt += 1
            with not_counted():
                entered = await lane.enter()
            reply, fault = None, None
            try:
                self._check_open(pair)
                attempt_id, reply = await self._start(key, request)
                if reply is None:
                    entered = time.monotonic()
                    reply, fault = await self._send_once(key, request, send, attempt_id)
                    self._shut_after(pair, fault, entered)
            finally:
                lane.leave(
                    entered,
                    replied=reply is not None and not reply.cached,
                    overloaded=fault is not None and fault.kind in OVERLOAD,
                    limited=fault is not None and fault.kind is Status.RATE_LIMITED,
                    timeout=request.timeout,
                    late=fault is not None and fault.kind is Status.TIMEOUT,
                    retry_after=None if fault is None or pair in self._shut else fault.retry_after,
                    banned=None if fault is None or pair not in self._shut else fault.retry_after,
                )
            if reply is not None or (fault is not None and fault.kind is not Status.UNREACHABLE):
                self._reached.add(request.provider)
            if reply is not None:
                return reply
            assert fault is not None
            if self.retry.gives_up(fault, attempt):
                if (
                    fault.retryable and request.provider not in self._reached
                ):  # a wrong address: thousands of calls need not discover it one by one
                    self._shut[pair] = (time.monotonic() + SILENT_SECONDS, fault)
                raise fault
            await asyncio.sleep(self.retry.delay(key, attempt))

    def _shut_after(self, pair: tuple[str, str], fault: CallFault | None, entered: float) -> None:
        """Stops all calls to a provider in two cases: the provider refuses the credentials, or it
        asks for a longer pause than the policy allows.

        A series of timeouts also stops the provider's calls for a while. The series must be as long
        as one call's number of attempts. While a provider's calls are stopped, further calls fail
        at once instead of waiting for one timeout after the other.
        """
        if fault is None:
            self._silence.pop(pair, None)
        elif fault.status in WRONG_CREDENTIALS:
            self._shut[pair] = (math.inf, fault)
        elif fault.retry_after is not None and fault.retry_after > self.retry.max_retry_after:
            self._shut[pair] = (time.monotonic() + fault.retry_after, fault)
        elif fault.kind is Status.TIMEOUT:
            num, noticed = self._silence.get(pair, (0, 0.0))
            if entered >= noticed:  # calls that were in flight together count once
                self._silence[pair] = (num + 1, time.monotonic())
                if num + 1 >= self.retry.max_attempts:
                    self._shut[pair] = (time.monotonic() + SILENT_SECONDS, fault)

    def _check_open(self, pair: tuple[str, str]) -> None:
        until, fault = self._shut.get(pair, (0.0, None))
        if fault is not None and time.monotonic() < until:
            raise fault.with_traceback(None)
        self._shut.pop(pair, None)

    async def _start(self, key: str, request: CallRequest) -> tuple[int, Reply | None]:
        """Waits until an attempt may be sent, and returns the id of the attempt. If another process
        receives the reply first, the function returns the reply and no id.
        """
        pause, longest = POLL_SECONDS
        while True:
            started = await self.cache.start(key, request, self.budget)
            match started.decision:
                case Decision.SEND:
                    return started.attempt_id, None
                case Decision.HIT:
                    return 0, started.reply
                case Decision.EXCEEDED:
                    raise BudgetExceeded(
                        f"{request.provider}, stage {request.stage or '-'}: {started.limit} is used up"
                    )
            await asyncio.sleep(pause)
            pause = min(longest, pause * 2)

    async def _send_once(
        self, key: str, request: CallRequest, send: Send, attempt_id: int
    ) -> tuple[Reply | None, CallFault | None]:
        began = time.monotonic()
        reply, fault = None, None
        try:
            async with _time_limit(request.timeout):
                reply = await send(key)
        except CallFault as error:
            fault = error
        except TimeoutError:
            fault = CallFault(
                request.provider, f"no reply within {request.timeout:g} s", Status.TIMEOUT
            )
        except BaseException:
            self.cache.drop(attempt_id, key, request, time.monotonic() - began)
            raise
        status = Status.OK if fault is None else fault.kind
        # If the task is cancelled here, the reply still arrives: the step is queued before the
        # first suspension.
        await self.cache.settle(attempt_id, key, request, status, time.monotonic() - began, reply)
        if reply is not None:
            meter.add(request, reply)
        return reply, fault


@asynccontextmanager
async def _time_limit(seconds: float) -> AsyncIterator[None]:
    """A time limit, like `asyncio.timeout`. If the limit fires late, the function still reads a
    reply that has already arrived.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    async with asyncio.timeout(None) as limit:
        strike = loop.call_at(
            end,
            lambda: limit.reschedule(
                loop.time() + (GRACE_SECONDS if loop.time() - end > LATE_SECONDS else 0.0)
            ),
        )
        try:
            yield
        finally:
            strike.cancel()
