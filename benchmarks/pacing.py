"""Measures how much of an endpoint's rate limit several workers use when they share one Redis
server.

    python -m benchmarks.pacing

A test endpoint on this machine accepts 100 requests in any second. The endpoint answers all further
requests with status 429. The endpoint does not state its limit. The endpoint's latency has a
log-normal distribution with a mean of 0.10 s. The worker processes share nothing but a Redis
server, and send requests as fast as their limits allow. The script starts the Redis server unless
`--redis` gives an address. `allowed` is the number of replies as a share of the allowed requests
(100 a second). `refused` is the share of the sent requests that got a 429. Both figures, `allowed`
and `refused`, include the time in which the workers find the limit.

Further cases change one thing each: the endpoint sends `Retry-After: 1`, the recipe states the
limit (`requests_per_minute`), or `kill -9` ends one worker midway. The last line shows the cost of
a call through Redis and of a call through SQLite. The script measures calls through Redis and calls
through SQLite in turn.
"""

import argparse
import asyncio
import datetime
import json
import multiprocessing
import os
import platform
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from typing import Any

from benchmarks.mock_endpoint import running
from questloom.calls.caller import Caller
from questloom.calls.open import open_cache
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import user
from questloom.records.errors import ProviderFault

RATE, MEAN = 100, 0.1
WARM_UP = 2_000
"""The number of warm-up calls before the measured calls."""


@contextmanager
def redis_running():
    """Runs a Redis server with an append-only file on a free port. Yields the server's address."""
    binary = shutil.which("redis-server")
    if binary is None:
        raise SystemExit(
            "redis-server is not installed (Debian package redis-server); or give --redis"
        )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [
                binary,
                "--port",
                str(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                folder,
                "--appendonly",
                "yes",
            ],
            stdout=subprocess.DEVNULL,
        )
        try:
            for _ in range(500):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.01)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.kill()
            server.wait()


async def ask(
    url: str, place: str, worker: int, seconds: float, per_minute: float | None, width: int
) -> None:
    """Sends new questions, `width` at a time, until the time is over. Then the function waits for
    the replies that are still missing.
    """
    cache = open_cache(place)
    endpoint = EndpointConfig(
        name="mock", base_url=url, max_in_flight=64, requests_per_minute=per_minute
    )
    client = ChatClient(
        [endpoint], {"role": RoleConfig(endpoint="mock", model="mock")}, Caller(cache)
    )
    end = time.monotonic() + seconds

    async def one(place_: int) -> None:
        turn = 0
        while time.monotonic() < end:
            turn += 1
            await client.chat("role", [user(f"worker {worker}, question {place_}-{turn}")])

    results = await asyncio.gather(*map(one, range(width)), return_exceptions=True)
    assert all(r is None or isinstance(r, ProviderFault) for r in results), results
    await client.aclose()
    cache.close()


def work(*args) -> None:
    """The main function of a worker process."""
    asyncio.run(ask(*args))


def stats(url: str) -> dict:
    """Returns the endpoint's statistics."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return json.load(reply)


def measure(
    place: str,
    *,
    seconds: float,
    workers: int = 2,
    width: int = 50,
    retry_after: float = 0.0,
    per_minute: float | None = None,
    kill_at: float = 0.0,
) -> tuple[float, float]:
    """Returns two shares: the share of allowed requests that got a reply, and the share of sent
    requests that were refused.
    """
    context = multiprocessing.get_context("fork")
    with running(mean=MEAN, rate=RATE, retry_after=retry_after) as url:
        processes = [
            context.Process(target=work, args=(url, place, i, seconds, per_minute, width))
            for i in range(workers)
        ]
        for process in processes:
            process.start()
        while not stats(url)["by_key"]:
            time.sleep(0.005)
        began = time.monotonic()
        if kill_at:
            time.sleep(kill_at)
            processes[0].kill()
        time.sleep(max(0.0, began + seconds - 0.5 - time.monotonic()))
        seen, passed = stats(url), time.monotonic() - began
        for process in processes:
            process.join()
    return seen["num_replied"] / (RATE * passed), seen["num_refused"] / sum(seen["by_key"].values())


async def overhead(place: str, num: int, width: int) -> tuple[float, float]:
    """Returns the wall-clock and CPU milliseconds per call. The function that sends the request
    returns at once, so only the bookkeeping takes time.
    """
    cache = open_cache(place)
    caller = Caller(cache)

    async def send(key: str) -> Reply:
        return Reply(body=b"x" * 2_000, tokens_in=500, tokens_out=200)

    async def one() -> None:
        for number in numbers:
            await caller.call(
                CallRequest(
                    provider="p",
                    model="m",
                    content=f"question {number}",
                    price=FREE,
                    tokens_in=500,
                    tokens_out=300,
                ),
                send,
            )

    numbers = iter(range(-WARM_UP, 0))  # a shared lane begins slowly
    await asyncio.gather(*(one() for _ in range(width)))
    numbers = iter(range(num))
    wall, cpu = time.monotonic(), time.process_time()
    await asyncio.gather(*(one() for _ in range(width)))
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    await caller.aclose()
    cache.close()
    return wall / num * 1e3, cpu / num * 1e3


def print_overhead(redis: str, run: str) -> None:
    """Measures both backends in turn, so a busy machine affects both."""
    with tempfile.TemporaryDirectory() as folder:
        for width in (1, 64):
            rows: dict[str, list[tuple[float, float]]] = {"SQLite": [], "Redis": []}
            for turn in range(5):
                rows["SQLite"].append(
                    asyncio.run(
                        overhead(os.path.join(folder, f"{width}-{turn}.sqlite"), 1000, width)
                    )
                )
                rows["Redis"].append(
                    asyncio.run(overhead(f"{redis}?prefix={run}-cost-{width}-{turn}", 1000, width))
                )
            for name, found in rows.items():
                wall, cpu = (statistics.median(values) for values in zip(*found, strict=True))
                print(
                    f"overhead, {width:>2} at once, {name:<6}: {wall:.2f} ms a call ({min(w for w, _ in found):.2f} to {max(w for w, _ in found):.2f}), "
                    f"CPU {cpu:.2f} ms",
                    flush=True,
                )


def main() -> None:
    """Prints one line per case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of each case")
    parser.add_argument("--redis", default="", help="redis://host:port/db of a running server")
    parser.add_argument(
        "--cases", nargs="+", default=["plain", "retry-after", "stated", "kill", "overhead"]
    )
    asked = parser.parse_args()
    print(
        f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )
    cases: dict[str, dict[str, Any]] = {
        "plain": {},
        "retry-after": {"retry_after": 1.0},
        "stated": {"per_minute": 60 * RATE * 0.98},
        "kill": {"kill_at": asked.seconds / 3},
    }
    run = f"bench-{os.getpid()}"
    with redis_running() if not asked.redis else _given(asked.redis) as redis:
        for name in asked.cases:
            if name == "overhead":
                print_overhead(redis, run)
                continue
            share, refused = measure(
                f"{redis}?prefix={run}-{name}", seconds=asked.seconds, **cases[name]
            )
            print(
                f"{name:<12}: {share:.1%} of what is allowed, {refused:.2%} of the requests refused ({asked.seconds:g} s, 2 workers)",
                flush=True,
            )


@contextmanager
def _given(address: str):
    yield address


if __name__ == "__main__":
    main()
