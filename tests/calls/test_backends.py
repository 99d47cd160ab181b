"""What every backend of the call cache promises, in a file and in Redis."""

import asyncio
import os
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from questloom.calls.attempts import Status
from questloom.calls.budget import Budget
from questloom.calls.cache import Decision
from questloom.calls.ledger import cost_lines, has_ledger, last_settled
from questloom.calls.request import CallRequest, Price, Reply
from tests.calls.redis_server import LIFE


def request(content: object = "question", **changes) -> CallRequest:
    return CallRequest(
        **{
            "provider": "p",
            "content": content,
            "tokens_in": 7,
            "tokens_out": 9,
            "price": Price(1.0, 2.0),
        }
        | changes
    )


DYING = """
import asyncio, os, sys
from questloom.calls.budget import Budget
from questloom.calls.open import open_cache
from questloom.calls.request import CallRequest
from questloom.calls.shared.redis_cache import RedisCache
place, life = sys.argv[1], float(sys.argv[2])
cache = RedisCache(place, life=life) if life else open_cache(place)
request = CallRequest(provider="p", content="question")
asyncio.run(cache.start(request.key(), request, Budget()))
os.kill(os.getpid(), 9)
"""


def test_a_call_in_flight_when_its_process_was_killed_is_lost_and_may_be_sent_again(backend):
    pytest.importorskip("redis")
    child = subprocess.run(
        [sys.executable, "-c", DYING, backend.place, str(backend.life)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": "."},
    )
    assert child.returncode == -9, child.stderr
    time.sleep(backend.life)
    cache, asked = backend.open(), CallRequest(provider="p", content="question")
    assert cost_lines(backend.place, by=())[0].num_lost == 1
    assert asyncio.run(cache.start(asked.key(), asked, Budget())).decision is Decision.SEND


def test_a_request_that_another_process_holds_is_busy_for_as_long_as_that_lives(backend):
    one, two, asked = backend.open(), backend.open(), request()

    async def ask() -> None:
        assert (await one.start(asked.key(), asked, Budget())).decision is Decision.SEND
        await asyncio.sleep(2 * LIFE)
        assert (await two.start(asked.key(), asked, Budget())).decision is Decision.BUSY

    asyncio.run(ask())


def test_an_attempt_that_was_lost_and_is_settled_after_all_keeps_its_reply_and_its_cost(backend):
    cache, asked = backend.open(), request(timeout=-61.0)  # its lease was over a second ago

    async def ask() -> None:
        first = await cache.start(asked.key(), asked, Budget())
        second = await cache.start(asked.key(), asked, Budget())
        assert second.decision is Decision.SEND
        await cache.settle(second.attempt_id, asked.key(), asked, Status.RATE_LIMITED, 0.1, None)
        await cache.settle(
            first.attempt_id,
            asked.key(),
            asked,
            Status.OK,
            0.1,
            Reply(body=b"late", tokens_in=1, tokens_out=1),
        )
        assert (await cache.lookup(asked.key())).body == b"late"

    asyncio.run(ask())
    assert (cache.spent().tokens, cache.spent().calls) == (2, 1)
    assert cost_lines(backend.place, by=())[0].num_lost == 0


def test_the_ledger_tells_when_an_attempt_last_ended(backend):
    assert not has_ledger(backend.place)
    assert last_settled(backend.place) == 0
    cache, asked = backend.open(), request()

    async def ask() -> None:
        started = await cache.start(asked.key(), asked, Budget())
        await cache.settle(started.attempt_id, asked.key(), asked, Status.OK, 0.1, Reply(body=b""))

    asyncio.run(ask())
    assert has_ledger(backend.place)
    assert time.time() - 5 < last_settled(backend.place) < time.time() + 1


ENDS = st.sampled_from([status for status in Status if status is not Status.IN_FLIGHT])


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(ENDS, st.integers(0, 50), st.booleans()), max_size=12))
def test_the_spend_is_always_the_sum_of_the_ledger(backend, ends):
    backend.renew()
    cache = backend.open()

    async def live() -> None:
        for i, (status, tokens, priced) in enumerate(ends):
            asked = request(i, price=Price(1.0, 2.0) if priced else None)
            started = await cache.start(asked.key(), asked, Budget())
            reply = (
                Reply(body=b"", tokens_in=tokens, tokens_out=tokens)
                if status is Status.OK
                else None
            )
            await cache.settle(started.attempt_id, asked.key(), asked, status, 0.1, reply)
        await cache.aclose()

    asyncio.run(live())
    line, spent = cost_lines(backend.place, by=())[0], cache.spent()
    assert (spent.tokens, spent.calls) == (line.tokens_in + line.tokens_out, line.num_calls)
    assert spent.money == pytest.approx(line.money)
