"""A time limit whose clock stands still while a call waits for its place, by a clock that jumps."""

import asyncio

import pytest

from questloom.calls.caller import Caller
from questloom.calls.pacing import Pace
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.sqlite import SqliteCache
from questloom.calls.waiting import not_counted, time_limit
from tests.calls.virtual_time import run


@pytest.fixture
def caller(tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")
    yield Caller(cache, paces={"p": Pace(1)})
    cache.close()


async def ask(caller: Caller, what: object, seconds: float = 10.0) -> Reply:
    async def send(key: str) -> Reply:
        await asyncio.sleep(seconds)
        return Reply(body=b"")

    return await caller.call(
        CallRequest(provider="p", content=what, price=FREE, timeout=1_000.0), send
    )


def test_what_a_call_waits_for_its_place_is_not_counted(caller, monkeypatch):
    async def one(number: int) -> None:
        async with time_limit(25.0):
            await ask(caller, number)
            await asyncio.sleep(10)

    async def work() -> None:
        await asyncio.gather(*map(one, range(8)))

    assert run(work(), monkeypatch)[1] == pytest.approx(90.0, abs=0.1)


@pytest.mark.parametrize("before", [0.0, 20.0])
def test_what_it_takes_when_it_has_its_place_is_counted(caller, monkeypatch, before):
    async def limited() -> None:
        async with time_limit(25.0):
            await asyncio.sleep(before)
            await ask(caller, "second", 30.0 - before)

    async def work() -> None:
        first = asyncio.create_task(ask(caller, "first", 100.0))
        await asyncio.sleep(1)
        with pytest.raises(TimeoutError):
            await limited()
        await first

    assert run(work(), monkeypatch)[1] == pytest.approx(100.0 + 25.0 - before, abs=0.1)


def test_the_clock_stands_still_while_any_of_several_calls_waits(caller, monkeypatch):
    async def work() -> None:
        async with time_limit(15.0):
            await asyncio.gather(*(ask(caller, number) for number in range(4)))

    assert run(work(), monkeypatch)[1] == pytest.approx(40.0, abs=0.1)


def test_a_call_that_outlives_its_limit_and_a_limit_within_another_do_no_harm(caller, monkeypatch):
    async def cancelled() -> None:
        async with time_limit(100.0), time_limit(50.0):
            waiting = asyncio.ensure_future(ask(caller, "second"))
            await asyncio.sleep(1)
            waiting.cancel()
            await waiting

    async def work() -> None:
        first = asyncio.create_task(ask(caller, "first", 10.0))
        await asyncio.sleep(1)
        with pytest.raises(asyncio.CancelledError):
            await cancelled()
        await first
        assert (await ask(caller, "second")).body == b""
        with not_counted():
            pass

    run(work(), monkeypatch)
