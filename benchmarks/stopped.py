"""Checks that no request is sent twice when the system stops a process for longer than its
heartbeat lasts.

    python -m benchmarks.stopped

Three processes send the same questions to a mock endpoint on this machine. The processes share one
call cache, in a file or in a Redis server that the script starts. The heartbeats of the processes
expire after one second. In each run, the script stops one process with SIGSTOP four times. The
stops last two to three seconds and come at random moments. Meanwhile, ten other processes keep the
processor busy. The script prints the number of runs in which every request was sent only once. The
script also prints the number of requests that were sent more than once. `--timeout 2` makes a
request's time limit shorter than the stops.
"""

import argparse
import asyncio
import contextlib
import datetime
import json
import multiprocessing
import os
import platform
import random
import signal
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator

from benchmarks.mock_endpoint import running
from benchmarks.pacing import redis_running
from questloom.calls.cache import CallCache
from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.open import open_cache
from questloom.calls.shared.place import is_url
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import user

WORKERS, QUESTIONS, WINDOW, MEAN = 3, 150, 16, 0.3
LIFE = 1.0
STOPS = 4
"""The number of times that a run stops a process."""
FORK = multiprocessing.get_context("fork")


def opened(place: str) -> CallCache:
    """Opens the call cache. In Redis, the heartbeat of a process expires after `LIFE` seconds."""
    if not is_url(place):
        return open_cache(place)
    from questloom.calls.shared.redis_cache import RedisCache

    return RedisCache(place, life=LIFE)


def work(url: str, place: str, timeout: float) -> None:
    """The code of a worker process, which sends every question."""

    async def ask() -> None:
        cache = opened(place)
        endpoint = EndpointConfig(name="mock", base_url=url, max_in_flight=WINDOW, timeout=timeout)
        client = ChatClient(
            [endpoint], {"role": RoleConfig(endpoint="mock", model="small")}, Caller(cache)
        )
        await asyncio.gather(
            *(client.chat("role", [user(f"question {number}")]) for number in range(QUESTIONS))
        )
        await client.aclose()
        cache.close()

    asyncio.run(ask())


def compute() -> None:
    """Keeps a core busy."""
    while True:
        sum(range(100_000))


@contextlib.contextmanager
def load(number: int) -> Iterator[None]:
    """Runs a number of processes that only compute."""
    busy = [FORK.Process(target=compute, daemon=True) for _ in range(number)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.join()


def run(place: str, chance: random.Random, timeout: float) -> tuple[Counter[int], int, int]:
    """Makes one run. Returns three counts: how many requests were sent once, twice and so on; how
    many stops happened; and how many attempts were recorded as lost.
    """
    with running(mean=MEAN) as url:
        workers = [FORK.Process(target=work, args=(url, place, timeout)) for _ in range(WORKERS)]
        for process in workers:
            process.start()
        num = 0
        while any(process.is_alive() for process in workers):
            time.sleep(chance.uniform(0.1, 0.5))
            alive = [process for process in workers if process.is_alive()]
            if alive and num < STOPS:
                pid = chance.choice(alive).pid
                assert pid is not None
                os.kill(pid, signal.SIGSTOP)
                time.sleep(chance.uniform(2 * LIFE, 3 * LIFE))
                os.kill(pid, signal.SIGCONT)
                num += 1
        for process in workers:
            process.join()
            assert process.exitcode == 0, process.exitcode
        with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as stats:
            sent = json.load(stats)["by_key"]
    assert len(sent) == QUESTIONS
    return Counter(sent.values()), num, cost_lines(place, by=())[0].num_lost


def main() -> None:
    """Prints one line per backend."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--load", type=int, default=10, help="processes that compute beside them")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds of a request")
    parser.add_argument("--backends", nargs="+", default=["sqlite", "redis"])
    asked = parser.parse_args()
    print(
        f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} before"
    )
    with redis_running() as redis, load(asked.load), tempfile.TemporaryDirectory() as folder:
        for backend in asked.backends:
            sums, stops, lost, once = Counter[int](), 0, 0, 0
            for number in range(asked.runs):
                place = (
                    os.path.join(folder, f"{number}.sqlite")
                    if backend == "sqlite"
                    else f"{redis}?prefix=stopped-{os.getpid()}-{number}"
                )
                found, num, gone = run(place, random.Random(number), asked.timeout)
                sums, stops, lost, once = (
                    sums + found,
                    stops + num,
                    lost + gone,
                    once + (set(found) == {1}),
                )
            print(
                f"{backend:<6}: each request once in {once} of {asked.runs} runs; {sum(sums.values()):,} requests, "
                f"{sum(n for times, n in sums.items() if times > 1):,} of them more than once; {stops} stops of {2 * LIFE:g} to {3 * LIFE:g} s, "
                f"{lost} attempts lost, load {os.getloadavg()[0]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
