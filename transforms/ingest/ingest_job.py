"""One ingest job: its options as tasks see them, its folders, and what a finished task leaves."""

import json
from dataclasses import dataclass, field
from typing import Any

from questloom.files.locations import Location, listed, location
from questloom.files.parquet import write_records, write_whole
from questloom.records.outcomes import Rejection, StageCount
from questloom.transforms.ingest.sources import ReadOptions, ReadTask

WORK = "work"


@dataclass(frozen=True, kw_only=True)
class Job:
    """What every task needs to know; small enough to travel with it."""

    store: str
    num_partitions: int
    options: ReadOptions
    tasks: tuple[ReadTask, ...]
    """Of the stage `read`; later stages have one task a partition, or a table."""

    @property
    def wiki(self) -> str:
        return self.options.site.wiki

    @property
    def language(self) -> str:
        return self.options.site.language

    def folder(self, name: str) -> Location:
        """A folder of the job's work: parts, runs, index, done, rejected, profiles."""
        return location(self.store, WORK, name)


@dataclass
class Outcome:
    """What one task did with its items: in = kept + rejected."""

    num_in: int = 0
    num_kept: int = 0
    rejected: list[Rejection] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    """What the job collects from its tasks, such as tables' digests."""

    def keep(self) -> None:
        self.num_in += 1
        self.num_kept += 1

    def reject(self, rejection: Rejection) -> None:
        self.num_in += 1
        self.rejected.append(rejection)


def done_path(job: Job, stage: str, task: int) -> Location:
    """The mark that a task is finished; written last."""
    return job.folder("done") / stage / f"{task:06d}.json"


def write_done(job: Job, stage: str, task: int, outcome: Outcome, seconds: float) -> None:
    """Writes a task's rejections, then its mark; the seconds stand there only, for they are the machine's and no part of a store."""
    assert outcome.num_in == outcome.num_kept + len(outcome.rejected), f"{stage}: an item was lost"
    if outcome.rejected:
        rows = sorted(outcome.rejected, key=lambda r: (r.item_id, r.reason, r.title))
        write_records(job.folder("rejected") / f"{stage}-{task:06d}.parquet", Rejection, rows)
    count = StageCount(
        stage=stage,
        shard=task,
        num_in=outcome.num_in,
        num_kept=outcome.num_kept,
        num_rejected=len(outcome.rejected),
        num_out=outcome.num_kept,
    )
    mark = {"count": count.to_row(), "facts": outcome.facts, "seconds": round(seconds, 3)}
    write_whole(done_path(job, stage, task), json.dumps(mark).encode())


def read_done(job: Job, stage: str) -> list[tuple[StageCount, dict[str, Any]]]:
    """The counts and facts of a stage's finished tasks."""
    found = (json.loads(path.read_bytes()) for path in listed(job.folder("done") / stage, "*.json"))
    return [(StageCount.from_row(data["count"]), data["facts"]) for data in found]
