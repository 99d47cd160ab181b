"""Measures how a model client copes with a slow server that handles few requests at once and queues
the rest.

    python -m benchmarks.first_contact

The server is a mock endpoint on loopback. The server handles one, two or sixteen requests at once,
and takes ten seconds per answer. The client uses the default limits of an endpoint: at most 64
requests at once, and 120 s for each. The client sends all questions at once, as a stage of a run
does. All servers are measured at the same time, because each measurement spends most of its time
waiting. For each server, the script prints the total time, the least possible time, the number of
requests, and how many timed out. `--limit` sets the maximum total time.
"""

import argparse
import asyncio
import datetime
import json
import math
import os
import platform
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from benchmarks.mock_endpoint import running
from questloom.calls.caller import Caller
from questloom.calls.sqlite import SqliteCache
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import user

SECONDS = 10.0
CASES = {1: 40, 2: 80, 16: 320}
"""The number of questions to ask, for each number of requests that the server handles at once."""


def meet(slots: int, num: int, limit: float) -> str:
    """Measures one server and returns the line to print about the server."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(mean=SECONDS, sigma=0.0, slots=slots) as url,
    ):
        cache = SqliteCache(os.path.join(folder, "calls.sqlite"))
        client = ChatClient(
            [EndpointConfig(name="local", base_url=url)],
            {"role": RoleConfig(endpoint="local", model="small")},
            Caller(cache),
        )

        async def ask() -> int:
            asked = [
                asyncio.create_task(client.chat("role", [user(f"question {number}")]))
                for number in range(num)
            ]
            done, left = await asyncio.wait(asked, timeout=limit)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            await client.aclose()
            return sum(task.exception() is None for task in done)

        began = time.monotonic()
        replied = asyncio.run(ask())
        took = time.monotonic() - began
        with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as stats:
            sent = json.load(stats)["num_requests"]
        late = cache._connection.execute(
            "SELECT COUNT(*) FROM attempts WHERE status = 'timeout'"
        ).fetchone()[0]
        cache.close()
    return (
        f"{slots:>2} slots: {replied} of {num} replies in {took:.0f} s (least possible {math.ceil(num / slots) * SECONDS:.0f} s), "
        f"{sent} requests sent, {late} without a reply in time"
    )


def main() -> None:
    """Prints one line per server."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--limit", type=float, default=3_600.0, help="seconds after which a server is given up"
    )
    asked = parser.parse_args()
    print(
        f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )
    with ThreadPoolExecutor() as threads:
        for line in threads.map(meet, CASES, CASES.values(), [asked.limit] * len(CASES)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
