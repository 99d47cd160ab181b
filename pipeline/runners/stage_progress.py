"""How far a job of stages is, in words, from the files that stand: so it works for any engine and number of workers.

On a local disk a poll lists the stages' folders and reads the footer and the reasons of each shard once, when it is new. In a bucket it
lists and reads nothing, so there it tells parts and not questions.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pyarrow.parquet as pq

from questloom.files.locations import Location, is_remote, readable
from questloom.files.parquet import read_metadata
from questloom.pipeline.runners.stage_words import UNITS, because, doing, left, units
from questloom.records.outcomes import StageCount
from questloom.transforms.stages.run_folder import RunFolder, count_of
from questloom.transforms.stages.stage import Stage, source_of


@dataclass
class _Seen:
    """What is known of one stage."""

    whole: set[int] = field(default_factory=set)
    """Shards of which nothing waits."""
    counts: dict[int, StageCount] = field(default_factory=dict)
    reasons: dict[int, Counter[str]] = field(default_factory=dict)
    ages: dict[int, int] = field(default_factory=dict)
    """Modification time of the counted file of each shard, since a shard may be computed again."""

    def total(self, name: str) -> int:
        return sum(getattr(count, name) for count in self.counts.values())


class StageProgress:
    """Looks at a job's files; one object a job.

    Args:
        run: where the stages write.
        stages: the job's.
        num_shards: of each stage.
        beside: gives what else is to be told beside the words of a stage; "" for nothing.
    """

    def __init__(
        self,
        run: RunFolder,
        stages: Sequence[Stage],
        num_shards: int,
        *,
        beside: Callable[[], str] = str,
    ) -> None:
        self.run, self.stages, self.num_shards, self._beside = run, stages, num_shards, beside
        self._remote = is_remote(run.path)
        self._seen = {stage.name: _Seen() for stage in stages}
        self._told: set[str] = set()
        self._front, self._since, self._stood = "", 0.0, 0

    def look(self) -> tuple[int, str]:
        """Finished shards of all stages, and what is being done, in words."""
        for stage in self.stages:
            self._read(stage)
        return sum(len(seen.whole) for seen in self._seen.values()), "; ".join(
            filter(None, (self._words(), self._beside()))
        )

    def news(self) -> list[str]:
        """A line for each stage that came to its end since the last call, where it has something to tell."""
        ended = [
            s
            for s in self.stages
            if s.name not in self._told and len(self._seen[s.name].whole) == self.num_shards
        ]
        self._told.update(stage.name for stage in ended)
        return [] if self._remote else [line for stage in ended if (line := self._summary(stage))]

    def _read(self, stage: Stage) -> None:
        seen = self._seen[stage.name]
        for path in self.run.shards(stage.label, "kept"):
            shard = int(path.stem.split("-")[1])
            if self._remote:
                seen.whole.add(shard)
                continue
            try:
                age = os.stat(str(path)).st_mtime_ns
                if seen.ages.get(shard) == age or (facts := read_metadata(path)) is None:
                    continue
                seen.counts[shard], seen.reasons[shard] = (
                    count_of(stage.label, shard, facts),
                    _reasons(self.run.shard(stage.label, "rejected", shard)),
                )
            except FileNotFoundError:
                continue  # it is being written anew; the next look finds it
            seen.ages[shard] = age
            (seen.whole.discard if seen.counts[shard].num_pending else seen.whole.add)(shard)

    def _words(self) -> str:
        """What the first stage does that has not ended, and how far it is."""
        front = next(
            (stage for stage in self.stages if len(self._seen[stage.name].whole) < self.num_shards),
            self.stages[-1],
        )
        seen, what = self._seen[front.name], doing(front.name)
        if front.name != self._front:
            self._front, self._since, self._stood = front.name, time.monotonic(), len(seen.whole)
        if front is self.stages[0] or self._remote:
            return f"{what}, {len(seen.whole):,} of {self.num_shards:,} parts done{self._left(len(seen.whole))}"
        source = self._seen[source_of(self.stages, front).name].total("num_out")
        if not seen.counts:
            return f"{what}, none of {units(source, front.takes)} done yet"
        out = seen.total("num_out")
        made = (
            f"{f'{out:,} kept' if front.takes is front.gives else units(out, front.gives)} so far"
        )
        return f"{what}, {seen.total('num_in'):,} of {units(source, front.takes)} done, {made}{self._left(len(seen.whole))}"

    def _left(self, whole: int) -> str:
        """How long this step takes still, by its own pace; nothing is known of those behind it."""
        done = whole - self._stood
        if done <= 0 or whole == self.num_shards:
            return ""
        return f", {left((time.monotonic() - self._since) / done * (self.num_shards - whole))} for this step"

    def _summary(self, stage: Stage) -> str:
        """What a stage did, where it made or dropped something."""
        seen = self._seen[stage.name]
        num_in, num_out, dropped = (
            seen.total("num_in"),
            seen.total("num_out"),
            seen.total("num_rejected"),
        )
        reasons = sum(seen.reasons.values(), Counter())
        why = f"; {dropped:,} dropped: {because(reasons.items())}" if dropped else ""
        if stage is self.stages[0]:
            return f"{units(num_out, stage.gives)} chosen{why}"
        if stage.takes is not stage.gives and stage.gives.__name__ in UNITS:
            return f"{units(num_out, stage.gives)} from {units(num_in, stage.takes)}{why}"
        return (
            f"{doing(stage.name)}: {num_out:,} of {units(num_in, stage.takes)} kept{why}"
            if dropped
            else ""
        )


def _reasons(path: Location) -> Counter[str]:
    return Counter(pq.read_table(readable(path), columns=["reason"]).column("reason").to_pylist())
