"""Processes that are stopped, starved or dead but not reaped: while one exists, nobody else sends what it holds."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from questloom.calls.attempts import Status
from questloom.calls.budget import Budget
from questloom.calls.cache import Decision
from questloom.calls.caller import Caller
from questloom.calls.owner import boot_and_pid_namespace, is_alive, this_owner
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import CallFault, RetryPolicy
from tests.calls.redis_server import LIFE, needs_redis

HOLDING = """
import asyncio, sys
from questloom.calls.attempts import Status
from questloom.calls.budget import Budget
from questloom.calls.open import open_cache
from questloom.calls.request import FREE, CallRequest, Reply
place, life = sys.argv[1], float(sys.argv[2])
if life:
    from questloom.calls.shared.redis_cache import RedisCache
    cache = RedisCache(place, life=life)
else:
    cache = open_cache(place)
request = CallRequest(provider="p", content="question", price=FREE)

async def hold():
    started = await cache.start(request.key(), request, Budget())
    print("holds", flush=True)
    sys.stdin.readline()
    await cache.settle(started.attempt_id, request.key(), request, Status.OK, 0.1, Reply(body=b"its own"))

asyncio.run(hold())
print("settled", flush=True)
sys.stdin.readline()
"""


def question(**changes) -> CallRequest:
    return CallRequest(**{"provider": "p", "content": "question", "price": FREE} | changes)


@pytest.fixture
def holder(backend):
    """Another process that holds the question in flight; a line on its standard input lets it settle."""
    if backend.life:
        pytest.importorskip("redis")
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, backend.place, str(backend.life)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        env=os.environ | {"PYTHONPATH": "."},
    )
    assert process.stdout is not None and process.stdout.readline() == "holds\n"
    yield process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def decision(cache, budget: Budget | None = None) -> Decision:
    return asyncio.run(cache.start(question().key(), question(), budget or Budget())).decision


def test_what_a_stopped_process_holds_is_sent_by_nobody_else_however_long_nothing_is_heard_of_it(
    backend, holder
):
    os.kill(holder.pid, signal.SIGSTOP)
    time.sleep(2 * LIFE)
    cache = backend.open()  # at opening the dead are looked for, too
    assert decision(cache) is Decision.BUSY
    os.kill(holder.pid, signal.SIGCONT)
    holder.stdin.write("\n")
    assert holder.stdout.readline() == "settled\n"
    assert decision(cache) is Decision.HIT
    assert backend.statuses(question().key()) == ["ok"]


def test_what_a_stopped_process_has_reserved_stays_reserved(backend, holder):
    os.kill(holder.pid, signal.SIGSTOP)
    time.sleep(2 * LIFE)
    cache, other = backend.open(), question(content="another")
    assert asyncio.run(cache.start(other.key(), other, Budget(calls=1))).decision is Decision.FULL
    assert backend.statuses(question().key()) == ["in_flight"]


def test_what_a_dead_process_has_reserved_is_lost_to_the_budget(backend, holder):
    cache, other = backend.open(), question(content="another")
    holder.kill()
    holder.wait()
    end = time.monotonic() + 20
    while (
        asyncio.run(cache.start(other.key(), other, Budget(calls=1))).decision
        is not Decision.EXCEEDED
    ):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert backend.statuses(question().key()) == ["lost"]


def test_a_process_that_was_killed_and_not_reaped_holds_nothing(backend, holder):
    cache = backend.open()
    holder.kill()
    end = time.monotonic() + 20
    while decision(cache) is not Decision.SEND:
        assert time.monotonic() < end, "a zombie counts as alive"
        time.sleep(0.05)
    assert backend.statuses(question().key()).count("lost") == 1


def test_an_attempt_whose_time_is_long_over_is_sent_by_others_though_its_process_exists(backend):
    cache, asked = backend.open(), question(timeout=-61.0)
    asyncio.run(cache.start(asked.key(), asked, Budget()))
    assert decision(backend.open()) is Decision.SEND


def test_a_process_whose_start_cannot_be_seen_counts_as_alive(monkeypatch):
    monkeypatch.setattr("questloom.calls.owner._state_and_start", lambda pid: ("", ""))
    assert is_alive(f"{os.getpid()}:12345")


@needs_redis
def test_a_worker_of_another_machine_is_known_by_its_signs_of_life_alone(redis_server):
    pytest.importorskip("redis")
    from questloom.calls.shared.redis_cache import _is_gone

    for silent in (True, False):
        assert _is_gone(f"another-machine|{this_owner()}|abc", silent) is silent
        assert _is_gone("host:12:abc", silent) is silent, "as earlier versions named it"
        assert not _is_gone(
            f"{boot_and_pid_namespace()}|{os.getppid()}:{_start(os.getppid())}|abc", silent
        )
        assert _is_gone(f"{boot_and_pid_namespace()}|{os.getppid()}:1|abc", silent), (
            "its pid is another's now"
        )
        assert _is_gone(f"{boot_and_pid_namespace()}|{this_owner()}|closed", silent), (
            "a cache of this process that was closed"
        )


def _start(pid: int) -> str:
    from questloom.calls.owner import _state_and_start

    return _state_and_start(pid)[1]


# the time limit of one's own


def call(cache, send, **changes) -> Reply:
    asked = question(**changes)
    return asyncio.run(
        Caller(cache, retry=RetryPolicy(max_attempts=2, first_delay=0.001)).call(asked, send)
    )


def test_a_reply_that_came_while_the_process_was_stopped_is_read_though_the_time_is_over(backend):
    cache, sent = backend.open(), []

    async def send(key: str) -> Reply:
        sent.append(key)
        ours, theirs = os.pipe()
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours, "rb")
        )
        os.write(theirs, b"reply\n")
        time.sleep(
            1.6
        )  # as a stop does: nothing of this process runs, and meanwhile the reply is there
        line = await reader.readline()
        os.close(theirs)
        await asyncio.sleep(0.05)  # the rest of it takes a few more steps of the loop
        return Reply(body=line)

    assert call(cache, send, timeout=0.3).body == b"reply\n"
    assert len(sent) == 1


def test_a_reply_that_does_not_come_is_late_though_the_process_was_stopped(backend, monkeypatch):
    monkeypatch.setattr("questloom.calls.caller.GRACE_SECONDS", 0.2)

    async def send(key: str) -> Reply:
        time.sleep(1.3)
        await asyncio.sleep(60)
        return Reply(body=b"")

    with pytest.raises(CallFault, match="no reply within"):
        call(backend.open(), send, timeout=0.1)
    assert backend.statuses(question().key()) == [Status.TIMEOUT.value] * 2
