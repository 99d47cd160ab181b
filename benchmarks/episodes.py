"""Measures the speed of the harness (the code that plays episodes) with many episodes at once, and
its CPU time per turn.

    python -m benchmarks.episodes

For the rate, episodes of five turns ask a mock endpoint on loopback, with log-normal latency (mean
0.30 s by default). The measurement includes the chat client, the call cache on disk, the strict
check of turns, the tools, and the journal on disk. The rate counts the replies that came while the
full number of episodes was running. The ideal rate is the number of episodes ÷ the mean latency.
The tools answer without delay.

The overhead is the CPU time per turn that is spent outside the tools. The overhead is measured with
an engine that answers at once. For the overhead, episodes run one after the other with 30 calls
each, so the figure includes long conversations.
"""

import argparse
import asyncio
import datetime
import itertools
import json
import os
import platform
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.mock_endpoint import running
from questloom.agent.engines.engine import Sample
from questloom.agent.engines.openai_engine import OpenAIEngine
from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Player, Task
from questloom.agent.providers.provider import Answered, PageHit
from questloom.agent.tools import ToolBox, ToolSettings
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.limits import Limits
from questloom.calls.caller import Caller
from questloom.calls.sqlite import SqliteCache
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import Message

MEAN = 0.3
CALLS = 4


class Instant:
    """A provider that answers every search at once with the same passage."""

    snapshot = "instant"

    async def search_text(self, query: str, k: int) -> Answered[tuple[PageHit, ...]]:
        """Returns five search hits of 300 characters each."""
        return Answered(
            value=tuple(
                PageHit(
                    title=f"Page {n}",
                    url=f"https://world.example/{n}",
                    snippet=f"{query} {n} " * 20,
                )
                for n in range(k)
            )
        )


def toolbox() -> ToolBox:
    """Makes a real tool box with one tool."""
    return ToolBox(Instant(), settings=ToolSettings(tools=("text_search",), cache_bytes=0))  # type: ignore[arg-type]


class CountingEngine(OpenAIEngine):
    """Counts the turns that end before a given time."""

    until = 0.0
    num_in_time = 0

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`."""
        sample = await super().step(conversation, max_new_tokens=max_new_tokens)
        self.num_in_time += time.monotonic() < self.until
        return sample


async def rate(
    url: str, folder: Path, at_once: int, seconds: float, run: int
) -> tuple[float, float]:
    """Measures one run: turns per second, and CPU seconds per turn."""
    cache = SqliteCache(folder / f"calls-{run}.sqlite")
    endpoint = EndpointConfig(name="mock", base_url=url, max_in_flight=at_once)
    client = ChatClient(
        [endpoint], {"agent": RoleConfig(endpoint="mock", model=f"agent:{CALLS}")}, Caller(cache)
    )
    engine = CountingEngine(client)
    player = Player(engine, toolbox(), Limits())
    engine.until = time.monotonic() + seconds
    numbers = itertools.takewhile(lambda _: time.monotonic() < engine.until, itertools.count())
    tasks = (Task(task_id=f"{run}-{n}", question=f"Question {n}?") for n in numbers)
    cpu, num = time.process_time(), 0
    with Journal(folder / f"journal-{run}", player.settings) as journal:
        async for episode in player.play_all(tasks, journal=journal, at_once=at_once):
            assert episode.end == "answered", episode.end_evidence
            num += len(episode.turns)
    cpu = time.process_time() - cpu
    await client.aclose()
    cache.close()
    return engine.num_in_time / seconds, cpu / num


class Instantly:
    """An engine that writes a search call in every turn, without delay and without end."""

    name = "instant"
    model = "instant"
    sampling: Mapping[str, Any] = {}
    seconds = 0.0

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """Writes a turn: a thought of 2,000 characters, then a search call."""
        thought = f"What of {conversation.turn}? " * 120
        call = json.dumps(
            {"name": "text_search", "arguments": {"query": f"query {conversation.turn}"}}
        )
        return Sample(
            text=f"<think>{thought}</think>\n<tool_call>{call}</tool_call>", num_new_tokens=500
        )

    def num_tokens(self, message: Message) -> int:
        """An estimate."""
        return message.num_tokens()

    def forget(self, conversation: Conversation) -> None:
        """Does nothing, because this engine stores nothing about episodes."""


class TimedBox:
    """A tool box that adds up the time spent inside it."""

    def __init__(self) -> None:
        self._box, self.seconds = toolbox(), 0.0
        self.schemas, self.provider, self.settings = (
            self._box.schemas,
            self._box.provider,
            self._box.settings,
        )

    def for_task(self, withheld: frozenset[str]) -> "TimedBox":
        """Returns this tool box itself, because it serves all tasks."""
        return self

    async def call(self, *args: Any, **kwargs: Any) -> Any:
        """See `ToolBox.call`."""
        began = time.process_time()
        try:
            return await self._box.call(*args, **kwargs)
        finally:
            self.seconds += time.process_time() - began


async def overhead(folder: Path, num: int) -> float:
    """Measures the CPU seconds per turn that are spent outside the tools."""
    box = TimedBox()
    player = Player(Instantly(), box, Limits(calls=30))  # type: ignore[arg-type]
    turns = 0
    with Journal(folder, player.settings) as journal:
        began = time.process_time()
        async for episode in player.play_all(
            (Task(task_id=str(n), question="?") for n in range(num)), journal=journal, at_once=1
        ):
            turns += len(episode.turns)
        seconds = time.process_time() - began
    return (seconds - box.seconds) / turns


def main() -> None:
    """Prints the measured rate ÷ the ideal rate, then the overhead per turn. Each printed figure
    has its spread over three runs.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--at-once", type=int, default=256)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each run")
    parser.add_argument(
        "--mean",
        type=float,
        default=MEAN,
        help="mean latency in seconds; longer where the machine is busy with other things",
    )
    asked = parser.parse_args()
    print(
        f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ratios, cpus = [], []
        for run in range(asked.runs):
            with running(mean=asked.mean, seed=run) as url:
                found, cpu = asyncio.run(rate(url, folder, asked.at_once, asked.seconds, run))
                with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as stats:
                    ideal = asked.at_once / json.load(stats)["mean_latency"]
            ratios.append(found / ideal)
            cpus.append(cpu * 1e3)
        print(
            f"{asked.at_once} episodes at once, mean latency {asked.mean:g} s: "
            f"rate ÷ ideal {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), "
            f"CPU {statistics.median(cpus):.2f} ms a turn with call, tool and journal"
        )
        costs = [
            asyncio.run(overhead(folder / f"overhead-{run}", 20)) * 1e3 for run in range(asked.runs)
        ]
        print(
            f"harness without model and tools: {statistics.median(costs):.2f} ms of CPU a turn ({min(costs):.2f} to {max(costs):.2f})"
        )


if __name__ == "__main__":
    main()
