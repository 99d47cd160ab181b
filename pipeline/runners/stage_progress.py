"""Describes in words how far a job has come. The figures come from finished files, so they do not
depend on the runner or on the number of workers.

On a local disk, the display counts questions: it reads the footer of each finished file once, and
the reasons for rejections. In a bucket, the display only lists the files, and therefore counts
shards (files) and not questions.
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
    """What the progress display knows about one stage."""

    whole: set[int] = field(default_factory=set)
    """The numbers of the finished shards, in which no item waits."""
    counts: dict[int, StageCount] = field(default_factory=dict)
    reasons: dict[int, Counter[str]] = field(default_factory=dict)
    ages: dict[int, int] = field(default_factory=dict)
    """For each counted shard, the modification time of its file. A new time shows that the shard
    was computed again and must be counted again."""

    def total(self, name: str) -> int:
        return sum(getattr(count, name) for count in self.counts.values())


class StageProgress:
    """Finds out from a job's files how far the job has come. Each job has one `StageProgress`.

    Args:
        run: the folder into which the stages write.
        stages: the stages of the job.
        num_shards: the number of shards of each stage.
        beside: a function that returns further text for the display, such as the state of the
            endpoints; "" for no text.
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
        """The number of finished shards in all stages, and the work that is being done, in
        words."""
        for stage in self.stages:
            self._read(stage)
        return sum(len(seen.whole) for seen in self._seen.values()), "; ".join(
            filter(None, (self._words(), self._beside()))
        )

    def news(self) -> list[str]:
        """One line for each stage that has ended since the last call and has made or dropped
        something."""
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
                continue  # the shard is being written anew; the next look finds it
            seen.ages[shard] = age
            (seen.whole.discard if seen.counts[shard].num_pending else seen.whole.add)(shard)

    def _words(self) -> str:
        """Describes the first unfinished stage, and how far this stage has come."""
        front = next(
            (stage for stage in self.stages if len(self._seen[stage.name].whole) < self.num_shards),
            self.stages[-1],
        )
        seen, what = self._seen[front.name], doing(front)
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
        """How much time the running stage still needs at its present speed, in words. The time that
        later stages need is unknown."""
        done = whole - self._stood
        if done <= 0 or whole == self.num_shards:
            return ""
        return f", {left((time.monotonic() - self._since) / done * (self.num_shards - whole))} for this step"

    def _summary(self, stage: Stage) -> str:
        """What a stage has made or dropped, in words; "" if there is nothing to say."""
        seen = self._seen[stage.name]
        num_in, num_out, dropped = (
            seen.total("num_in"),
            seen.total("num_out"),
            seen.total("num_rejected"),
        )
        reasons = sum(seen.reasons.values(), Counter())
        why = f"; {dropped:,} dropped: {because(reasons.items(), stage.reasons)}" if dropped else ""
        if stage is self.stages[0]:
            return f"{units(num_out, stage.gives)} chosen{why}"
        if stage.takes is not stage.gives and stage.gives.__name__ in UNITS:
            return f"{units(num_out, stage.gives)} from {units(num_in, stage.takes)}{why}"
        return (
            f"{doing(stage)}: {num_out:,} of {units(num_in, stage.takes)} kept{why}"
            if dropped
            else ""
        )


def _reasons(path: Location) -> Counter[str]:
    return Counter(pq.read_table(readable(path), columns=["reason"]).column("reason").to_pylist())
