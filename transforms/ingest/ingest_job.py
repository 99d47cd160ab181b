"""Defines an ingest job: the options of its tasks, its folders, and the files that a finished task
leaves."""

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
    """The options, tasks and folders of an ingest job. The object is small enough to be sent with
    each task."""

    store: str
    num_partitions: int
    options: ReadOptions
    tasks: tuple[ReadTask, ...]
    """The tasks of the stage `read`. Later stages have one task per partition or table."""

    @property
    def wiki(self) -> str:
        return self.options.site.wiki

    @property
    def language(self) -> str:
        return self.options.site.language

    def folder(self, name: str) -> Location:
        """A working folder of the job: parts, runs, index, done, rejected, profiles."""
        return location(self.store, WORK, name)


@dataclass
class Outcome:
    """Counts the items of one task: items in = items kept + items rejected."""

    num_in: int = 0
    num_kept: int = 0
    rejected: list[Rejection] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts that the job collects from its tasks, such as the digests of tables."""

    def keep(self) -> None:
        self.num_in += 1
        self.num_kept += 1

    def reject(self, rejection: Rejection) -> None:
        self.num_in += 1
        self.rejected.append(rejection)


def done_path(job: Job, stage: str, task: int) -> Location:
    """The file that marks a task as finished; written last."""
    return job.folder("done") / stage / f"{task:06d}.json"


def write_done(job: Job, stage: str, task: int, outcome: Outcome, seconds: float) -> None:
    """Writes a task's rejections, then the file that marks it as finished. Only this last file
    states how long the task took, since a store must not contain times."""
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
