"""Reads published scores from the table `published.yaml`.

Tables show the published scores beside ours, and always mark them as published.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

TABLE = Path(__file__).parent / "published.yaml"
HARNESSES = ("direct", "rag", "workflow", "agent")
"""The ways in which papers ran their agents.

The agent has no tools (`direct`), gets the results of searches (`rag`), follows a fixed workflow
(`workflow`), or acts freely (`agent`).
"""


@dataclass(frozen=True, kw_only=True)
class Published:
    """One score that a paper reports."""

    benchmark: str
    """The name of the benchmark, perhaps followed by a colon and a subset. If several benchmarks
    were scored together, a plus joins their names. A name that begins with "=" stands for the mean
    of several benchmarks.
    """
    agent: str
    harness: str
    percent: float
    metric: str
    source: str
    protocol: str

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The names of the benchmarks that this score covers, without their subsets."""
        return (
            tuple(name.partition(":")[0] for name in self.benchmark.split("+"))
            if not self.benchmark.startswith("=")
            else ()
        )


@functools.cache
def published() -> tuple[Published, ...]:
    """Every published score."""
    return tuple(_rows(yaml.safe_load(TABLE.read_text(encoding="utf-8"))))


def published_for(benchmark: str) -> list[Published]:
    """The published scores that include a benchmark: the whole benchmark, a subset, or several
    benchmarks together.
    """
    return [row for row in published() if benchmark in row.benchmarks]


def published_text(benchmark: str) -> str:
    """A text table of the published scores on a benchmark, sorted by source and by harness (how the
    paper ran its agent).
    """
    rows = published_for(benchmark)
    lines = []
    for source in dict.fromkeys((row.source, row.metric, row.protocol) for row in rows):
        lines += ["", f"{source[0]}; {source[1]}; {source[2]}"]
        lines += [
            f"  {row.harness:<9}{row.agent:<30}{row.percent:>6.1f}  {row.benchmark}"
            for row in rows
            if (row.source, row.metric, row.protocol) == source
        ]
    return "\n".join([f"{len(rows)} published scores" if rows else "no published scores", *lines])


def _rows(tables: list[dict[str, Any]]) -> Iterator[Published]:
    for table in tables:
        for harness in HARNESSES:
            for agent, scores in table.get(harness, {}).items():
                for benchmark, percent in zip(table["columns"], scores, strict=True):
                    if percent != "-":
                        yield Published(
                            benchmark=benchmark,
                            agent=agent,
                            harness=harness,
                            percent=float(percent),
                            metric=table.get("metric", "pass@1"),
                            source=table["source"],
                            protocol=table["protocol"],
                        )
