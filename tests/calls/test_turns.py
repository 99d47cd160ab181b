"""Turns at a provider: one call at a time over processes, so much work a minute, and what a kill or a ban leaves behind."""

import asyncio
import json
import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.pacing import Pace
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import CallFault, RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.calls.turns import MINUTE, TurnLane

FORK = multiprocessing.get_context("fork")


def _lane(path, *, work=60.0, a_minute=None):
    return TurnLane(
        path / "turns",
        "p",
        Pace(max_in_flight=1, requests_per_minute=a_minute, work_per_minute=work),
    )


def _says(path, calls, closed_until=0.0):
    path.joinpath("turns").write_text(json.dumps({"calls": calls, "closed_until": closed_until}))


def _pauses(path, monkeypatch, **pace) -> float:
    """The seconds for which the next call would wait."""
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async def work():
        lane = _lane(path, **pace)
        lane.leave(await lane.enter())

    monkeypatch.setattr(asyncio, "sleep", sleep)
    asyncio.run(work())
    monkeypatch.undo()
    (wait,) = waits
    return wait


def test_work_is_limited_for_calls_one_after_the_other_only():
    with pytest.raises(ValueError, match="max_in_flight is 2"):
        Pace(max_in_flight=2, work_per_minute=60)


def test_no_more_work_a_minute_than_allowed(tmp_path, monkeypatch):
    now = time.time()
    _says(tmp_path, [[now - 200, now - 100], [now - 70, now - 50], [now - 16, now - 1]])
    assert 9 < _pauses(tmp_path, monkeypatch, work=30) < 10.5, (
        "until the 20 s of the second have left the minute; the first has left it"
    )
    _says(tmp_path, [[now - 70, now - 50], [now - 16, now - 1]])
    assert _pauses(tmp_path, monkeypatch, work=40) == 0


def test_starts_are_evenly_spaced(tmp_path, monkeypatch):
    _says(tmp_path, [[time.time() - 1, time.time()]])
    assert 3.9 < _pauses(tmp_path, monkeypatch, a_minute=12) <= 4


def test_a_call_that_was_killed_counts_as_work_until_now(tmp_path, monkeypatch):
    _says(tmp_path, [[time.time() - 20, 0.0]])
    assert MINUTE - 1 < _pauses(tmp_path, monkeypatch, work=15) <= MINUTE
    _says(tmp_path, [[time.time() - 20, 0.0]])
    assert _pauses(tmp_path, monkeypatch, work=25) == 0
    _says(tmp_path, [[time.time() - 3600, 0.0]])
    assert _pauses(tmp_path, monkeypatch, work=15) == 0, "the day before does not count"


@pytest.mark.parametrize(
    "text",
    [
        '{"calls": [[17',
        "[]",
        '{"calls": 1, "closed_until": 0}',
        '{"calls": [["x", 1]], "closed_until": 0}',
    ],
)
def test_a_file_that_was_half_written_is_taken_for_a_minute_of_work(tmp_path, monkeypatch, text):
    tmp_path.joinpath("turns").write_text(text)
    assert MINUTE - 1 < _pauses(tmp_path, monkeypatch, work=60) <= MINUTE


def test_retry_after_holds_for_whoever_comes_later(tmp_path):
    async def work() -> float:
        lane = _lane(tmp_path)
        lane.leave(await lane.enter(), overloaded=True, limited=True, retry_after=0.3)
        began = time.monotonic()
        later = _lane(tmp_path)
        later.leave(await later.enter(), replied=True)
        return time.monotonic() - began

    assert asyncio.run(work()) > 0.28


def test_a_ban_is_told_to_later_processes_and_nothing_is_sent(tmp_path):
    async def work() -> None:
        lane = _lane(tmp_path)
        lane.leave(await lane.enter(), limited=True, banned=86_400)
        with pytest.raises(CallFault, match="left alone for another 86") as caught:
            await _lane(tmp_path).enter()
        assert caught.value.kind is Status.RATE_LIMITED and caught.value.retry_after > 86_000

    asyncio.run(work())


def test_a_cancelled_call_gives_up_its_turn(tmp_path):
    async def work() -> None:
        lane, other = _lane(tmp_path), _lane(tmp_path)
        entered = await lane.enter()
        waiting = asyncio.create_task(other.enter())
        await asyncio.sleep(0.05)
        assert not waiting.done(), "the turn is taken"
        waiting.cancel()
        lane.leave(entered)
        _says(tmp_path, [], time.time() + 30)
        waiting = asyncio.create_task(other.enter())
        await asyncio.sleep(0.05)
        waiting.cancel()  # it has the lock and waits for the pause to end
        _says(tmp_path, [])
        await asyncio.wait_for(lane.enter(), 2)

    asyncio.run(work())


def _call(folder: Path, name: str, order, seconds: float) -> None:
    """One call of a process of its own."""

    async def send(_: str) -> Reply:
        order.put("in")
        time.sleep(seconds)
        order.put("out")
        return Reply(body=name.encode())

    cache = SqliteCache(folder / "calls.sqlite")
    caller = Caller(
        cache,
        paces={"p": Pace(max_in_flight=1, work_per_minute=60)},
        retry=RetryPolicy(max_attempts=1),
    )
    reply = asyncio.run(caller.call(CallRequest(provider="p", content=name, price=FREE), send))
    assert reply.body == name.encode()
    cache.close()


def test_processes_that_share_a_file_take_turns_and_ask_for_nothing_twice(tmp_path):
    order = FORK.SimpleQueue()  # a Queue's thread may write "out" after the next process's "in"
    processes = [FORK.Process(target=_call, args=(tmp_path, name, order, 0.1)) for name in "abca"]
    for process in processes:
        process.start()
    for process in processes:
        process.join(20)
        assert process.exitcode == 0
    told = []
    while not order.empty():
        told.append(order.get())
    assert told == ["in", "out"] * 3, "one at a time, and `a` once"


def test_a_killed_process_leaves_no_turn_behind(tmp_path):
    order = FORK.Queue()
    process = FORK.Process(target=_call, args=(tmp_path, "a", order, 30.0))
    process.start()
    assert order.get(timeout=10) == "in"
    os.kill(process.pid, signal.SIGKILL)
    process.join(10)
    began = time.monotonic()
    _call(tmp_path, "a", order, 0.0)
    assert time.monotonic() - began < 5
    begun, ended = json.loads((tmp_path / "calls.sqlite-turns-p").read_text())["calls"][0]
    assert 0 < ended - begun < 5, "the killed call counts"
