"""First contact with servers of few and many slots, by a clock that jumps: what time it takes, and how many requests run out of theirs."""

import asyncio
import math
import random

import pytest

from questloom.calls.caller import Caller
from questloom.calls.pacing import Lane, Latency, Pace
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.records.errors import ProviderFault
from tests.calls.virtual_time import run

TIMEOUT = 120.0


class Server:
    """Works at so many requests at once and queues the rest, those too whose client has gone away."""

    def __init__(self, slots: int, seconds: float, sigma: float = 0.0) -> None:
        self._free = asyncio.Semaphore(slots)
        self._seconds, self._sigma, self._chance = seconds, sigma, random.Random(0)
        self.num_asked = self.now = self.peak = 0

    async def send(self, key: str) -> Reply:
        self.num_asked += 1
        work = asyncio.ensure_future(self._work())
        await asyncio.shield(work)
        return Reply(body=b"")

    async def _work(self) -> None:
        self.now += 1
        self.peak = max(self.peak, self.now)
        async with self._free:
            seconds = self._seconds
            if self._sigma:
                seconds = self._chance.lognormvariate(
                    math.log(seconds) - self._sigma**2 / 2, self._sigma
                )
            await asyncio.sleep(seconds)
        self.now -= 1


def meet(
    monkeypatch,
    tmp_path,
    slots: int,
    seconds: float,
    num: int,
    *,
    sigma: float = 0.0,
    most: int = 64,
    slow_start: bool = True,
):
    """So many requests at once, as a stage asks them; the server, the seconds, and how many attempts ran out of time."""
    cache = SqliteCache(tmp_path / "calls.sqlite")

    async def work() -> Server:
        server = Server(slots, seconds, sigma)
        caller = Caller(cache, paces={"p": Pace(most, slow_start=slow_start)})
        await asyncio.gather(
            *(
                caller.call(
                    CallRequest(provider="p", content=n, price=FREE, timeout=TIMEOUT), server.send
                )
                for n in range(num)
            ),
            return_exceptions=not slow_start,
        )
        return server

    server, took = run(work(), monkeypatch)
    late = cache._connection.execute(
        "SELECT COUNT(*) FROM attempts WHERE status = 'timeout'"
    ).fetchone()[0]
    cache.close()
    return server, took, late


@pytest.mark.parametrize(("slots", "num"), [(1, 64), (2, 64), (16, 200)])
def test_a_server_of_few_slots_is_kept_busy_and_no_request_runs_out_of_its_time(
    monkeypatch, tmp_path, slots, num
):
    server, took, late = meet(monkeypatch, tmp_path, slots, 10.0, num)
    assert (late, server.num_asked) == (0, num)
    ideal = math.ceil(num / slots) * 10.0
    assert took <= ideal + 50.0, "but for the first waves it is always at work"


@pytest.mark.parametrize(("slots", "num", "sigma"), [(1, 64, 0.5), (2, 100, 0.5), (4, 200, 0.7)])
def test_answers_that_take_unequal_time_change_little(monkeypatch, tmp_path, slots, num, sigma):
    _, took, late = meet(monkeypatch, tmp_path, slots, 10.0, num, sigma=sigma)
    assert late <= 1
    assert took < 1.3 * num / slots * 10.0


@pytest.mark.parametrize("seconds", [40.0, 50.0])
def test_a_server_of_one_slot_whose_answers_take_a_third_of_the_time_and_more_makes_headway(
    monkeypatch, tmp_path, seconds
):
    _, took, late = meet(monkeypatch, tmp_path, 1, seconds, 20)
    assert late <= 15 and took < 1.8 * 20 * seconds


@pytest.mark.parametrize("most", [64, 256])
def test_a_server_that_can_bear_the_most_soon_bears_it(monkeypatch, tmp_path, most):
    num = 20 * most
    server, took, late = meet(monkeypatch, tmp_path, 10_000, 0.3, num, most=most)
    assert (server.peak, late) == (most, 0)
    assert took < 0.3 * (num / most + math.log2(most) + 1)


@pytest.mark.parametrize("seconds", [20.0, 40.0])
def test_a_server_that_is_slow_by_itself_bears_the_most_too(monkeypatch, tmp_path, seconds):
    server, took, late = meet(monkeypatch, tmp_path, 10_000, seconds, 1_000, sigma=0.2)
    assert server.peak > 60 and late <= 5
    assert took < 2 * seconds * 1_000 / 64


def test_without_a_slow_start_the_same_server_of_one_slot_loses_most_of_its_work(
    monkeypatch, tmp_path
):
    """What the tests above would show of a window that begins with the most."""
    _, took, late = meet(monkeypatch, tmp_path, 1, 10.0, 64, slow_start=False)
    assert late > 100 and took > 1_000


def test_a_server_that_never_replies_ends_all_calls_after_as_many_waves_as_one_call_has_tries(
    monkeypatch, tmp_path
):
    cache = SqliteCache(tmp_path / "calls.sqlite")

    async def work() -> list[BaseException]:
        caller = Caller(
            cache, paces={"p": Pace(64, slow_start=True)}, retry=RetryPolicy(max_attempts=9)
        )

        async def send(key: str) -> Reply:
            await asyncio.get_running_loop().create_future()
            return Reply(body=b"")

        return await asyncio.gather(
            *(
                caller.call(CallRequest(provider="p", content=n, price=FREE, timeout=TIMEOUT), send)
                for n in range(64)
            ),
            return_exceptions=True,
        )

    faults, took = run(work(), monkeypatch)
    assert all(
        isinstance(fault, ProviderFault) and "no reply within 120 s" in str(fault)
        for fault in faults
    )
    assert took < 9 * TIMEOUT + 120, "not 64 calls one after the other, each nine times"
    cache.close()


def test_a_reply_between_the_silences_begins_their_count_anew(monkeypatch, tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")
    answered = []

    async def work() -> None:
        caller = Caller(
            cache,
            paces={"p": Pace(1, slow_start=True)},
            retry=RetryPolicy(max_attempts=3, first_delay=0.1),
        )
        tries = iter(range(1_000))

        async def send(key: str) -> Reply:
            if next(tries) % 2 == 0:  # every second is answered
                await asyncio.get_running_loop().create_future()
            answered.append(key)
            return Reply(body=b"")

        await asyncio.gather(
            *(
                caller.call(CallRequest(provider="p", content=n, price=FREE, timeout=TIMEOUT), send)
                for n in range(3)
            ),
            return_exceptions=True,
        )

    run(work(), monkeypatch)
    assert len(answered) == 3
    cache.close()


# the window itself


def test_the_window_begins_with_one_call_and_doubles_a_window_of_replies(monkeypatch):
    async def work() -> list[int]:
        lane, widths = Lane(Pace(16, slow_start=True)), []

        async def worker() -> None:
            for _ in range(3):
                entered = await lane.enter()
                await asyncio.sleep(1)
                lane.leave(entered, replied=True, timeout=TIMEOUT)

        workers = asyncio.gather(*(worker() for _ in range(20)))
        await asyncio.sleep(0.5)
        for _ in range(6):
            widths.append(lane.in_flight)
            await asyncio.sleep(1)
        await workers
        return widths

    assert run(work(), monkeypatch)[0] == [1, 2, 4, 8, 16, 16]


def test_replies_to_fewer_calls_than_the_window_has_places_do_not_widen_it():
    async def work() -> None:
        lane = Lane(Pace(16, slow_start=True))
        for _ in range(20):
            lane.leave(await lane.enter(), replied=True, timeout=TIMEOUT)
        assert lane.window == 2, "nobody knows what more the server can bear"

    asyncio.run(work())


def test_after_overload_the_window_grows_by_one_a_window(monkeypatch):
    async def work() -> None:
        lane = Lane(Pace(64, slow_start=True))
        lane.window = 16.0
        for entered in [await lane.enter() for _ in range(16)]:
            lane.leave(entered, overloaded=True)
        assert lane.window == 8
        flight = [await lane.enter() for _ in range(8)]
        waiting = [asyncio.create_task(lane.enter()) for _ in range(50)]
        await asyncio.sleep(1)
        for entered in flight:
            lane.leave(entered, replied=True, timeout=TIMEOUT)
        assert 8.9 < lane.window < 9.1
        for task in waiting:
            task.cancel()

    run(work(), monkeypatch)


def test_a_reply_that_took_most_of_its_time_narrows_the_window_unless_all_take_so_long():
    crowded, slow = Latency(), Latency()
    for seconds in (10.0, 10.0, 10.0):
        crowded.step(seconds, TIMEOUT, 1)
    for seconds in (90.0, 90.0, 90.0):
        slow.step(seconds, TIMEOUT, 1)
    assert crowded.step(90.0, TIMEOUT, 4) < 0 < slow.step(90.0, TIMEOUT, 4)
    assert crowded.step(45.0, TIMEOUT, 4) == 0
    assert (
        crowded.step(20.0, TIMEOUT, 4) == pytest.approx(0.5)
        and crowded.step(28.0, TIMEOUT, 4) < 0.1
    ), "less the nearer it comes"


def test_one_timeout_among_many_replies_in_good_time_costs_half_a_place_and_many_halve_the_window(
    monkeypatch,
):
    async def work() -> None:
        lane = Lane(Pace(16, slow_start=True))
        while lane.window < 16:
            for entered in [await lane.enter() for _ in range(int(lane.window))]:
                lane.leave(entered, replied=True, timeout=TIMEOUT)
        flight = [await lane.enter() for _ in range(16)]
        await asyncio.sleep(TIMEOUT)
        lane.leave(flight[0], overloaded=True, late=True, timeout=TIMEOUT)
        assert lane.window == 15.5
        for entered in flight[1:]:
            lane.leave(entered, overloaded=True, late=True, timeout=TIMEOUT)
        assert lane.window < 8

    run(work(), monkeypatch)
