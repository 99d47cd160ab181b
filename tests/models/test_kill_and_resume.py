"""Processes that are killed at any moment, or that run side by side, pay no reply twice."""

import asyncio
import json
import multiprocessing
import random
import sqlite3
import time
import urllib.request

import pytest
from redis import Redis

from benchmarks.mock_endpoint import running
from questloom.calls.cache import CallCache
from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.open import open_cache
from questloom.calls.shared.place import is_url
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import user
from tests.calls.redis_server import RedisServer, needs_redis

NUM_CALLS = 300
WINDOW = 16
NUM_KILLS = 10


def open_here(path: str) -> CallCache:
    """The cache; in Redis with signs of life so short that a killed worker is soon known to be dead."""
    if not is_url(path):
        return open_cache(path)
    from questloom.calls.shared.redis_cache import RedisCache

    return RedisCache(path, life=0.5)


def work(url: str, path: str, num_calls: int) -> None:
    """Asks every question, a window of them at a time."""

    async def ask() -> None:
        endpoint = EndpointConfig(name="mock", base_url=url, max_in_flight=WINDOW)
        cache = open_here(path)
        client = ChatClient(
            [endpoint], {"role": RoleConfig(endpoint="mock", model="small")}, Caller(cache)
        )
        questions = iter(range(num_calls))

        async def worker() -> None:
            for number in questions:
                await client.chat("role", [user(f"question {number}")], item_id=str(number))

        await asyncio.gather(*(worker() for _ in range(WINDOW)))
        await client.aclose()
        cache.close()

    asyncio.run(ask())


def start(*args) -> multiprocessing.Process:
    # A fork has its imports done; the process itself and its death are real.
    process = multiprocessing.get_context("fork").Process(target=work, args=args)
    process.start()
    return process


def arrived_keys(path: str) -> list[str]:
    """The keys of all replies that are kept, read by somebody else."""
    if is_url(path):
        port = int(path.split(":")[2].split("/")[0])
        with Redis(port=port) as client:
            return [
                name.decode().rpartition(":")[2]
                for name in client.scan_iter("test:reply:*", count=1000)
            ]
    with sqlite3.connect(path) as cache:
        return [key for (key,) in cache.execute("SELECT key FROM replies")]


def stats(url: str) -> dict:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return json.load(reply)


@pytest.fixture
def server():
    with running(mean=0.03) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=needs_redis)])
def path(request, tmp_path):
    """A fresh place of the call cache, in a file and in Redis."""
    if request.param == "sqlite":
        yield str(tmp_path / "calls.sqlite")
        return
    redis = RedisServer(tmp_path)
    redis.start()
    yield redis.url()
    redis.stop()


def test_after_kills_at_ten_random_points_no_request_whose_reply_had_arrived_is_sent_again(
    server, path
):
    points = sorted(random.Random(0).sample(range(1, NUM_CALLS), NUM_KILLS))
    arrived: dict[str, int] = {}
    for point in points:
        process = start(server, path, NUM_CALLS)
        while process.is_alive() and stats(server)["num_replied"] < point:
            time.sleep(0.002)
        process.kill()
        process.join()
        time.sleep(0.1)  # requests that were on the wire reach the server
        by_key = stats(server)["by_key"]
        for key in arrived_keys(path):
            arrived.setdefault(key, by_key[key])
    process = start(server, path, NUM_CALLS)
    process.join()
    assert process.exitcode == 0
    sent = stats(server)["by_key"]
    assert len(sent) == NUM_CALLS
    assert all(sent[key] == num for key, num in arrived.items())
    line = cost_lines(path, by=())[0]
    assert line.num_calls == NUM_CALLS + line.num_lost
    assert 0 < line.num_lost <= NUM_KILLS * WINDOW
    # A row is written before its request is sent, so that a few lost ones never reached the server.
    assert NUM_CALLS < sum(sent.values()) <= line.num_calls


def test_two_processes_that_ask_the_same_at_once_send_each_request_once(server, path):
    processes = [start(server, path, 100) for _ in range(2)]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert set(stats(server)["by_key"].values()) == {1}
