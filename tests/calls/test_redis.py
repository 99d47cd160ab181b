"""The call cache in Redis against a real server that is killed, emptied, slow to come, closed by a password, or forgetful."""

import asyncio
import json
import logging
import multiprocessing
import os
import signal
import threading
import time
import urllib.request

import pytest

from benchmarks.mock_endpoint import running
from questloom.calls.attempts import Status
from questloom.calls.budget import Budget
from questloom.calls.cache import Decision
from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.open import open_cache
from questloom.calls.pacing import Pace
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import RetryPolicy
from questloom.calls.shared.place import place_of
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import user
from questloom.records.errors import BudgetExceeded, InputError, ProviderFault
from tests.calls.redis_server import RedisServer, free_port, needs_redis

pytest.importorskip("redis")
from questloom.calls.shared.redis_cache import RedisCache

pytestmark = needs_redis
SECRET = "a-very-secret-pass/word"


def request(content: object = "question", **changes) -> CallRequest:
    return CallRequest(
        **{
            "provider": "p",
            "model": "m",
            "content": content,
            "price": FREE,
            "tokens_in": 5,
            "tokens_out": 5,
        }
        | changes
    )


@pytest.fixture
def server(tmp_path):
    made = RedisServer(tmp_path)
    made.start()
    yield made
    made.stop()


async def answer(key: str) -> Reply:
    await asyncio.sleep(0.01)
    return Reply(body=key.encode(), tokens_in=5, tokens_out=5)


# the address


@pytest.mark.parametrize(
    "url",
    [
        "redis://",
        "redis://host:port/0",
        "redis://host/db",
        "redis://host/0?prefix=a%20b",
        "redis://host/0?pool=3",
        "rediss://host/0#x",
    ],
)
def test_an_address_that_is_none_is_the_users_error(url):
    with pytest.raises(InputError, match=r"call cache|redis"):
        place_of(url)


def test_the_password_is_in_no_message_representation_or_log(tmp_path, caplog, monkeypatch):
    server = RedisServer(tmp_path, requirepass=SECRET)
    server.start()
    caplog.set_level(logging.DEBUG)
    quoted = SECRET.replace("/", "%2F")
    try:
        cache = RedisCache(server.url("secret", user=f":{quoted}@"), life=0.5, patience=0.3)
        told = [repr(cache.place), str(cache.place)]
        with pytest.raises(InputError) as wrong:
            RedisCache(server.url("secret", user=f":{quoted}x@"))
        with pytest.raises(InputError) as unset:
            RedisCache(server.url("secret"))
        with pytest.raises(InputError) as malformed:
            place_of(f"redis://:{SECRET}@host:70000000/0")
        server.stop()
        with pytest.raises(ProviderFault) as away:
            asyncio.run(cache.lookup("key"))
        time.sleep(0.3)
        cache.close()
    finally:
        server.stop()
    told += [
        str(caught.value) + repr(caught.value) + repr(caught.value.__cause__)
        for caught in (wrong, unset, malformed, away)
    ] + [caplog.text]
    assert not any(SECRET in text or quoted in text or "very-secret" in text for text in told)
    assert "QUESTLOOM_REDIS_PASSWORD" in str(unset.value)


def test_the_password_comes_from_the_environment(tmp_path, monkeypatch):
    server = RedisServer(tmp_path, requirepass=SECRET)
    server.start()
    monkeypatch.setenv("QUESTLOOM_REDIS_PASSWORD", SECRET)
    open_cache(server.url()).close()
    server.stop()


# what is refused and told at the start


def test_a_server_that_is_not_there_is_the_users_error_within_seconds():
    began = time.monotonic()
    with pytest.raises(InputError, match="cannot be opened"):
        open_cache(f"redis://127.0.0.1:{free_port()}/0")
    assert time.monotonic() - began < 15


def test_a_server_that_throws_keys_away_is_refused(tmp_path):
    server = RedisServer(tmp_path, maxmemory="100mb", maxmemory_policy="allkeys-lru")
    server.start()
    with pytest.raises(InputError, match="noeviction"):
        open_cache(server.url())
    server.stop()


def test_a_server_without_an_append_only_file_is_told_of(tmp_path, caplog):
    server = RedisServer(tmp_path, appendonly="no")
    server.start()
    open_cache(server.url()).close()
    assert "appendonly yes" in caplog.text
    server.stop()


def test_data_of_another_version_are_refused(server):
    with server.client() as client:
        client.set("test:version", 99)
    with pytest.raises(InputError, match="version 99"):
        open_cache(server.url())


def test_prefixes_keep_replies_budget_and_ledger_apart(server):
    one, two = RedisCache(server.url("one")), RedisCache(server.url("two"))
    asyncio.run(Caller(one).call(request(), answer))
    assert (one.spent().calls, two.spent().calls) == (1, 0)
    assert asyncio.run(two.lookup(request().key())) is None
    with server.client() as client:
        assert all(key.startswith((b"one:", b"two:")) for key in client.keys("*"))
    one.close()
    two.close()


# outages


def test_a_pace_that_counts_a_providers_work_is_refused_before_anything_is_sent(server):
    cache = open_cache(server.url("work"))
    caller = Caller(cache, paces={"p": Pace(max_in_flight=1, work_per_minute=60)})

    async def call() -> None:
        try:
            await caller.call(request(), lambda _: pytest.fail("sent"))
        finally:
            await caller.aclose()

    with pytest.raises(InputError, match="60 s a minute"):
        asyncio.run(call())
    cache.close()


def test_a_server_that_is_killed_and_comes_back_in_the_middle_costs_no_reply_and_no_second_sending(
    server,
):
    cache = RedisCache(server.url(), life=5.0, patience=20.0)
    sent: list[str] = []

    async def send(key: str) -> Reply:
        sent.append(key)
        return await answer(key)

    async def ask() -> None:
        caller = Caller(cache)
        killer = threading.Thread(target=crash)
        killer.start()
        replies = await asyncio.gather(*(caller.call(request(i), send) for i in range(300)))
        killer.join()
        assert [reply.body for reply in replies] == [request(i).key().encode() for i in range(300)]
        await caller.aclose()

    def crash() -> None:
        time.sleep(0.5)
        server.stop(signal.SIGKILL)
        time.sleep(1.0)
        server.start()

    asyncio.run(ask())
    assert len(sent) == len(set(sent)) == 300
    assert (cache.spent().calls, cost_lines(server.url(), by=())[0].num_calls) == (300, 300)
    cache.close()


def test_an_outage_that_lasts_ends_in_a_typed_error_in_bounded_time_and_later_calls_wait_less(
    server,
):
    cache = RedisCache(server.url(), life=5.0, patience=1.0)

    async def ask() -> list[float]:
        caller, seconds = Caller(cache, retry=RetryPolicy(max_attempts=1)), []
        await caller.call(request("before"), answer)
        server.stop()
        for i in range(3):
            began = time.monotonic()
            with pytest.raises(ProviderFault, match="call cache redis://127"):
                await caller.call(request(i), answer)
            seconds.append(time.monotonic() - began)
        server.start()
        assert (await caller.call(request("before"), answer)).cached
        await caller.call(request("after"), answer)
        await caller.aclose()
        return seconds

    assert max(asyncio.run(ask())) < 6
    cache.close()


def test_a_reply_that_cannot_be_kept_is_not_passed_on_and_counts_as_lost(server):
    cache = RedisCache(server.url(), life=0.5, patience=0.5)

    async def send(key: str) -> Reply:
        server.stop()
        return await answer(key)

    async def ask() -> None:
        caller = Caller(cache)
        with pytest.raises(ProviderFault):
            await caller.call(request(), send)
        await caller.aclose()

    asyncio.run(ask())
    cache.close()
    server.start()
    time.sleep(1.1)  # the server gives owners time to tell that they live
    RedisCache(server.url(), life=0.5).close()
    line = cost_lines(server.url(), by=())[0]
    assert (line.num_lost, line.num_calls, line.tokens_in) == (1, 1, 5)


def test_a_server_that_forgot_its_data_stops_the_job_instead_of_starting_the_budget_again(server):
    cache = RedisCache(server.url())

    async def ask() -> None:
        caller = Caller(cache, budget=Budget(calls=2))
        await caller.call(request(0), answer)
        with server.client() as client:
            client.flushall()
        with pytest.raises(ProviderFault, match="data are gone"):
            await caller.call(request(1), answer)
        await caller.aclose()

    asyncio.run(ask())
    cache.close()


def test_an_emptied_server_does_not_take_a_reply_silently(server):
    cache = RedisCache(server.url())

    async def send(key: str) -> Reply:
        with server.client() as client:
            client.flushall()
        return await answer(key)

    with pytest.raises(ProviderFault, match="data are gone"):
        asyncio.run(Caller(cache).call(request(), send))
    cache.close()


def test_a_full_server_is_a_fault_and_not_a_silent_loss(server):
    cache = RedisCache(server.url(), patience=0.5)
    with server.client() as client:
        client.config_set("maxmemory", 1)
        with pytest.raises(ProviderFault, match="OutOfMemory"):
            asyncio.run(Caller(cache).call(request(), answer))
        client.config_set("maxmemory", 0)
    assert not asyncio.run(Caller(cache).call(request(), answer)).cached
    cache.close()


# messages that arrive twice


def test_a_message_that_is_sent_twice_counts_once(server):
    cache = RedisCache(server.url())
    asked, link = request(), cache._link
    key = asked.key()

    async def ask() -> None:
        started = await cache.start(key, asked, Budget())
        row = link.call_of(
            "start",
            key,
            started.attempt_id,
            cache._owner,
            cache._data,
            60_000,
            0,
            "0.0",
            10,
            b"{}",
            "",
            "",
            "",
        )
        assert (await link.submit(*row))[0] == b"send"
        assert cache.spent().calls == 1
        settle = cache._settle(
            started.attempt_id,
            key,
            asked,
            Status.OK,
            0.1,
            Reply(body=b"x", tokens_in=1, tokens_out=2),
        )
        for _ in range(2):
            assert (await link.submit(*settle))[0] == b"ok"

    asyncio.run(ask())
    assert (
        cache.spent().calls,
        cache.spent().tokens,
        cost_lines(server.url(), by=())[0].num_calls,
    ) == (1, 3, 1)
    cache.close()


def test_a_start_whose_caller_is_gone_is_taken_back(server):
    cache = RedisCache(server.url())

    async def ask() -> None:
        await cache.lookup("warm")
        task = asyncio.create_task(cache.start(request().key(), request(), Budget()))
        await asyncio.sleep(0)  # it is queued
        task.cancel()
        await asyncio.sleep(0.2)
        assert (await cache.start(request().key(), request(), Budget())).decision is Decision.SEND
        await cache.aclose()

    asyncio.run(ask())
    assert cache.spent().calls == 1
    cache.close()


# workers


def work(url: str, place: str, first: int, num: int, width: int, budget: int | None, told) -> None:
    """A worker's process: asks the questions from `first` on; tells how many the budget stopped."""

    async def ask() -> int:
        cache = RedisCache(place, life=1.0)
        endpoint = EndpointConfig(name="mock", base_url=url, max_in_flight=8)
        client = ChatClient(
            [endpoint],
            {"role": RoleConfig(endpoint="mock", model="small")},
            Caller(cache, budget=Budget(calls=budget)),
        )
        waiting, stopped = iter(range(first, first + num)), 0

        async def one() -> None:
            nonlocal stopped
            for number in waiting:
                try:
                    await client.chat("role", [user(f"question {number}")], item_id=str(number))
                except BudgetExceeded:
                    stopped += 1

        await asyncio.gather(*(one() for _ in range(width)))
        await client.aclose()
        cache.close()
        return stopped

    told.put(asyncio.run(ask()))


def start(*args) -> tuple[multiprocessing.Process, multiprocessing.Queue]:
    context = multiprocessing.get_context("fork")
    told: multiprocessing.Queue = context.Queue()
    process = context.Process(target=work, args=(*args, told))
    process.start()
    return process, told


def stats(url: str) -> dict:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return json.load(reply)


def test_two_workers_that_ask_the_same_send_each_request_once_within_one_limit(server):
    with running(mean=0.03) as url:
        workers = [start(url, server.url(), 0, 100, 50, None) for _ in range(2)]
        for process, _ in workers:
            process.join()
            assert process.exitcode == 0
        assert set(stats(url)["by_key"].values()) == {1}
        assert len(stats(url)["by_key"]) == 100
        assert stats(url)["peak"] <= 8


def test_workers_together_do_not_pass_the_budget(server):
    with running(mean=0.02) as url:
        workers = [start(url, server.url(), 1000 * i, 60, 40, 50) for i in range(2)]
        stopped = sum(told.get(timeout=60) for _, told in workers)
        for process, _ in workers:
            process.join()
        assert sum(stats(url)["by_key"].values()) == 50
        assert stopped == 70


def test_when_a_worker_that_holds_leases_and_slots_is_killed_the_other_finishes(server):
    with running(mean=0.4) as url:
        (dying, _), (other, _) = start(url, server.url(), 0, 40, 40, None), (None, None)
        while stats(url)["peak"] < 8:  # it holds all slots, each with a lease
            time.sleep(0.01)
        other, _ = start(url, server.url(), 0, 40, 40, None)
        os.kill(dying.pid, signal.SIGKILL)
        dying.join()
        began = time.monotonic()
        other.join(60)
        assert other.exitcode == 0
        assert time.monotonic() - began < 30
        assert len(stats(url)["by_key"]) == 40
    line = cost_lines(server.url(), by=())[0]
    assert 1 <= line.num_lost <= 8
    assert line.num_calls == 40 + line.num_lost
