"""The lane that workers share through a real server; two caches in one process are two workers."""

import asyncio
import itertools
import time

import pytest

from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.pacing import Pace
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import CallFault
from questloom.records.errors import ProviderFault
from tests.calls.redis_server import needs_redis

pytest.importorskip("redis")
from questloom.calls.shared.lane import SharedLane
from questloom.calls.shared.redis_cache import RedisCache

pytestmark = needs_redis
NAMES = (f"lane{i}" for i in itertools.count())


@pytest.fixture
def workers(redis_server):
    """Two workers that know each other through the server only."""
    place = redis_server.url(next(NAMES))
    made = [RedisCache(place, life=1.0) for _ in range(2)]
    yield made
    for cache in made:
        cache.close()


def lanes(workers, pace: Pace) -> list[SharedLane]:
    return [cache.new_lane("provider", "model", pace) for cache in workers]


async def told(lane: SharedLane) -> None:
    """Waits until the lane has told the server everything."""
    while lane._talk is not None and not lane._talk.done() and lane._news:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)


async def closed(workers) -> None:
    for cache in workers:
        await cache.aclose()


def test_no_more_calls_are_in_flight_over_all_workers_than_the_window_and_both_have_a_share(
    workers,
):
    async def work() -> tuple[int, list[int]]:
        now = peak = 0
        done = [0, 0]
        end = time.monotonic() + 2
        both = lanes(workers, Pace(max_in_flight=5))

        async def one(who: int) -> None:
            nonlocal now, peak
            while time.monotonic() < end:
                entered = await both[who].enter()
                now += 1
                peak = max(peak, now)
                await asyncio.sleep(0.1)
                now -= 1
                done[who] += 1
                both[who].leave(entered, replied=True)

        await asyncio.gather(*(one(who) for who in (0, 1) for _ in range(10)))
        await closed(workers)
        return peak, done

    peak, done = asyncio.run(work())
    assert peak == 5
    assert min(done) > 0.2 * sum(done)


def test_workers_take_turns_where_there_is_one_slot(workers):
    async def work() -> list[int]:
        served: list[int] = []
        both = lanes(workers, Pace(max_in_flight=1))

        async def one(who: int) -> None:
            for _ in range(4):
                entered = await both[who].enter()
                await asyncio.sleep(0.02)
                both[who].leave(entered, replied=True)
                served.append(who)

        await asyncio.gather(*(one(who) for who in (0, 0, 1, 1)))
        await closed(workers)
        return served

    assert set(asyncio.run(work())[:8]) == {0, 1}


def test_overload_that_one_worker_meets_halves_the_window_of_all_once(workers):
    async def work() -> None:
        one, two = lanes(workers, Pace(max_in_flight=16))
        flight = await asyncio.gather(*(one.enter() for _ in range(8)))
        for entered in flight:
            one.leave(entered, overloaded=True)
        await told(one)
        two.leave(await two.enter())
        assert two.window == pytest.approx(8, abs=0.01)
        await closed(workers)

    asyncio.run(work())


def test_a_slow_start_is_one_for_all_workers_and_what_one_learns_widens_the_window_of_all(workers):
    async def work() -> tuple[list[int], int]:
        now, seen, done = 0, [], 0
        both = lanes(workers, Pace(max_in_flight=16, slow_start=True))

        async def one(lane: SharedLane) -> None:
            nonlocal now, done
            for _ in range(4):
                entered = await lane.enter()
                now += 1
                seen.append(now)
                await asyncio.sleep(0.1)
                now, done = now - 1, done + 1
                lane.leave(entered, replied=True, timeout=60.0)

        await asyncio.gather(*(one(lane) for lane in both for _ in range(20)))
        await closed(workers)
        return seen, done

    seen, done = asyncio.run(work())
    assert (seen[0], max(seen), done) == (1, 16, 160)
    assert max(seen[:4]) <= 4, "not all at once"


def test_timeouts_narrow_the_window_of_all_by_half_a_place_each_or_halve_it_where_they_are_many(
    workers,
):
    async def work() -> None:
        one, two = lanes(workers, Pace(max_in_flight=16, slow_start=True))
        for _ in range(30):
            flight = await asyncio.gather(*(one.enter() for _ in range(max(1, int(one.window)))))
            for entered in flight:
                one.leave(entered, replied=True, timeout=60.0)
            await told(one)
            if one.window == 16:
                break
        one.leave(
            await one.enter() - 40.0, replied=True, timeout=60.0
        )  # it came, but so late that the window narrows
        one.leave(await one.enter(), overloaded=True, late=True, timeout=60.0)
        await told(one)
        two.leave(await two.enter())
        assert two.window == pytest.approx(16 - 0.25 - 0.5, abs=0.01)
        for entered in await asyncio.gather(*(one.enter() for _ in range(15))):
            one.leave(entered, overloaded=True, late=True, timeout=60.0)
        await told(one)
        two.leave(await two.enter())
        assert two.window < 8
        await closed(workers)

    asyncio.run(work())


def test_retry_after_that_one_worker_is_told_stops_the_other(workers):
    async def work() -> float:
        one, two = lanes(workers, Pace(max_in_flight=4))
        one.leave(await one.enter(), overloaded=True, limited=True, retry_after=0.6)
        began = time.monotonic()
        await told(one)
        two.leave(await two.enter())
        await closed(workers)
        return time.monotonic() - began

    assert 0.55 < asyncio.run(work()) < 1.5


def test_a_ban_that_one_worker_is_told_stops_the_other_without_a_call_or_a_long_wait(workers):
    async def work() -> list[str]:
        banned = CallFault(
            "provider", "go away", Status.RATE_LIMITED, status=429, retry_after=86_400.0
        )
        sent: list[str] = []

        async def send(key: str) -> Reply:
            sent.append(key)
            raise banned

        for number, cache in enumerate(workers):
            with pytest.raises(ProviderFault) as caught:
                await asyncio.wait_for(
                    Caller(cache).call(
                        CallRequest(provider="provider", content=number, price=FREE), send
                    ),
                    5,
                )
            assert caught.value.retry_after > 86_000
            await asyncio.sleep(0.2)
        await closed(workers)
        return sent

    assert len(asyncio.run(work())) == 1


def test_a_rate_that_is_stated_holds_for_all_workers_together(workers):
    async def work() -> list[float]:
        starts: list[float] = []
        both = lanes(workers, Pace(max_in_flight=64, requests_per_minute=60 * 40))

        async def one(lane: SharedLane) -> None:
            entered = await lane.enter()
            starts.append(entered)
            lane.leave(entered, replied=True)

        await asyncio.gather(*(one(lane) for lane in both for _ in range(20)))
        await closed(workers)
        return sorted(starts)

    starts = asyncio.run(work())
    assert starts[-1] - starts[0] >= 39 / 40 * 0.95


def test_a_429_teaches_all_workers_a_rate_and_leaves_the_window(workers):
    async def work() -> None:
        one, two = lanes(workers, Pace(max_in_flight=64))
        for _ in range(30):
            one.leave(await one.enter(), replied=True)
        one.leave(await one.enter(), overloaded=True, limited=True)
        await told(one)
        two.leave(await two.enter(), replied=True)
        assert two.window == 64
        assert two.rate < 64
        await closed(workers)

    asyncio.run(work())


def test_slots_of_a_worker_that_is_not_heard_of_come_back(workers):
    async def work() -> float:
        one, two = lanes(workers, Pace(max_in_flight=2))
        await asyncio.gather(one.enter(), one.enter())
        one._talk.cancel()  # as if its process were gone
        began = time.monotonic()
        two.leave(await two.enter())
        await closed(workers)
        return time.monotonic() - began

    assert 0.5 < asyncio.run(work()) < 3


def test_slots_of_long_calls_do_not_expire_while_their_worker_lives(workers):
    async def work() -> None:
        one, two = lanes(workers, Pace(max_in_flight=1))
        entered = await one.enter()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(two.enter(), 2.5)
        one.leave(entered, replied=True)
        await asyncio.wait_for(two.enter(), 2)
        two.leave(time.monotonic())
        await told(two)
        await closed(workers)

    asyncio.run(work())


def test_a_cancelled_waiter_gives_its_slot_back(workers):
    async def work() -> None:
        one, _ = lanes(workers, Pace(max_in_flight=1, requests_per_minute=600))
        entered = await one.enter()
        tasks = [asyncio.create_task(one.enter()) for _ in range(3)]
        await asyncio.sleep(0.02)
        tasks[1].cancel()
        one.leave(entered)
        await asyncio.sleep(0.03)  # the first has its slot and waits for its time to start
        tasks[0].cancel()
        await asyncio.gather(*tasks[:2], return_exceptions=True)
        await asyncio.wait_for(tasks[2], 2)
        assert one.in_flight == 1
        one.leave(time.monotonic())
        await told(one)
        await closed(workers)

    asyncio.run(work())


def test_an_event_loop_that_ends_leaves_no_slot_behind(workers):
    one, two = lanes(workers, Pace(max_in_flight=1))

    async def leave_at_once() -> None:
        async def hold() -> None:
            entered = await one.enter()
            try:
                await asyncio.sleep(60)
            finally:
                one.leave(entered)

        task = asyncio.create_task(hold())
        async with asyncio.timeout(5):
            while not one.in_flight:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        del task

    async def enter() -> None:
        two.leave(await asyncio.wait_for(two.enter(), 3))
        await told(two)
        await workers[1].aclose()

    asyncio.run(leave_at_once())
    assert one.in_flight == 0
    asyncio.run(enter())
