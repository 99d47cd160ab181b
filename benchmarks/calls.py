"""Measures how close the rate of calls to a model comes to the ideal rate, and the CPU time per
call.

    python -m benchmarks.calls

A mock endpoint on loopback answers after a log-normal latency (mean 0.30 s). As in a real run,
`Caller` and `ChatClient` keep a fixed number of calls (the window) in flight, and store the cache
and the ledger on disk. The ideal rate is window ÷ mean latency. The measured rate counts all
replies up to the moment when the script stops starting calls. A second rate leaves out the first
seconds, in which the window grows from one call to its full size. Neither rate counts the calls
that are still in flight at the end.
"""

import argparse
import asyncio
import datetime
import json
import os
import platform
import statistics
import tempfile
import time
import urllib.request

from benchmarks.mock_endpoint import running
from questloom.calls.caller import Caller
from questloom.calls.sqlite import SqliteCache
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import system, user

MEAN = 0.3
RAMP = 5.0
"""The seconds until the full number of calls is in flight."""


async def measure(
    url: str, folder: str, window: int, seconds: float, run: int
) -> tuple[float, float, float]:
    """Measures one run. Returns the calls per second, the calls per second without the first
    seconds, and the CPU seconds per call.
    """
    cache = SqliteCache(os.path.join(folder, f"calls-{window}-{run}.sqlite"))
    endpoint = EndpointConfig(name="mock", base_url=url, max_in_flight=window)
    client = ChatClient(
        [endpoint],
        {"role": RoleConfig(endpoint="mock", model="mock", max_tokens=300)},
        Caller(cache),
    )
    instruction = system("You write one question about a picture and its article. " * 20)
    num_done = num_later = 0
    began = time.monotonic()
    end = began + seconds

    async def worker(place: int) -> None:
        nonlocal num_done, num_later
        turn = 0
        while time.monotonic() < end:
            turn += 1
            text = (
                f"Run {run}, item {place}-{turn}. "
                + "The lighthouse was built in 1871 on the northern cape. " * 20
            )
            await client.chat("role", [instruction, user(text)], item_id=f"{place}-{turn}")
            num_done += time.monotonic() < end
            num_later += began + RAMP <= time.monotonic() < end

    cpu = time.process_time()
    await asyncio.gather(*map(worker, range(window)))
    cpu = time.process_time() - cpu
    await client.aclose()
    cache.close()
    return num_done / seconds, num_later / (seconds - RAMP), cpu / (num_done + window)


def main() -> None:
    """Prints one line for each window size (number of calls in flight): measured rate ÷ ideal rate,
    with the spread over three runs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--windows", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each run")
    asked = parser.parse_args()
    print(
        f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for window in asked.windows:
            ratios, later, cpus = [], [], []
            for run in range(asked.runs):
                with running(mean=MEAN, seed=run) as url:
                    rate, rate_later, cpu = asyncio.run(
                        measure(url, folder, window, asked.seconds, run)
                    )
                    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as stats:
                        ideal = window / json.load(stats)["mean_latency"]
                ratios.append(rate / ideal)
                later.append(rate_later / ideal)
                cpus.append(cpu * 1e3)
            print(
                f"window {window}: rate ÷ ideal {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), after the first {RAMP:g} s "
                f"{statistics.median(later):.3f} ({min(later):.3f} to {max(later):.3f}), "
                f"CPU {statistics.median(cpus):.2f} ms a call"
            )


if __name__ == "__main__":
    main()
