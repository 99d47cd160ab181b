import asyncio
import itertools
import time

from questloom.calls.pacing import Lane, Pace


def test_no_more_calls_are_in_flight_than_the_window_allows():
    async def work() -> int:
        lane, now, peak = Lane(Pace(max_in_flight=3)), 0, 0

        async def one() -> None:
            nonlocal now, peak
            entered = await lane.enter()
            now += 1
            peak = max(peak, now)
            await asyncio.sleep(0.001)
            now -= 1
            lane.leave(entered, replied=True)

        await asyncio.gather(*(one() for _ in range(30)))
        assert lane.in_flight == 0
        return peak

    assert asyncio.run(work()) == 3


def test_overload_of_one_flight_halves_the_window_once_and_replies_widen_it_again():
    async def work() -> None:
        lane = Lane(Pace(max_in_flight=16))
        flight = [await lane.enter() for _ in range(16)]
        for entered in flight:
            lane.leave(entered, overloaded=True)
        assert lane.window == 8
        for _ in range(8):
            lane.leave(await lane.enter(), replied=True)
        assert 8.9 < lane.window < 9.1
        for _ in range(1000):
            lane.leave(await lane.enter(), replied=True)
        assert lane.window == 16

    asyncio.run(work())


def test_the_window_never_closes_altogether():
    async def work() -> None:
        lane = Lane(Pace(max_in_flight=4))
        for _ in range(20):
            lane.leave(await lane.enter(), overloaded=True)
        assert lane.window == 1

    asyncio.run(work())


def test_nobody_starts_before_retry_after_is_over():
    async def work() -> float:
        lane = Lane(Pace(max_in_flight=4))
        lane.leave(await lane.enter(), retry_after=0.1)
        began = time.monotonic()
        await asyncio.gather(lane.enter(), lane.enter())
        return time.monotonic() - began

    assert asyncio.run(work()) >= 0.099


def test_requests_a_minute_are_evenly_spaced():
    async def work() -> list[float]:
        lane, starts = Lane(Pace(max_in_flight=10, requests_per_minute=60 / 0.03)), []

        async def one() -> None:
            starts.append(await lane.enter())

        await asyncio.gather(*(one() for _ in range(5)))
        return starts

    starts = asyncio.run(work())
    assert all(later - earlier >= 0.029 for earlier, later in itertools.pairwise(starts))


def test_those_who_wait_are_served_in_order_and_a_cancelled_one_blocks_nobody():
    async def work() -> list[int]:
        lane, served = Lane(Pace(max_in_flight=1)), []
        first = await lane.enter()

        async def one(number: int) -> None:
            entered = await lane.enter()
            served.append(number)
            lane.leave(entered)

        tasks = [asyncio.create_task(one(number)) for number in range(5)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        lane.leave(first)
        tasks[0].cancel()  # it has its place, but has not run yet: the place must come back
        await asyncio.gather(*tasks, return_exceptions=True)
        assert lane.in_flight == 0
        return served

    assert asyncio.run(work()) == [2, 3, 4]
