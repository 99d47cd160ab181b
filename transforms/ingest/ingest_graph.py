"""Beam: the stages as one graph. Task numbers flow, files do the rest, and each stage waits for all of the one before."""

import json
import time
from collections import Counter
from collections.abc import Callable

import apache_beam as beam
from apache_beam.metrics import Metrics

from questloom.files.parquet import write_whole
from questloom.records.errors import InputError, ProviderFault
from questloom.transforms.ingest import article_stage as articles
from questloom.transforms.ingest import entity_stage as entities
from questloom.transforms.ingest import index_stage as index
from questloom.transforms.ingest import picture_stages as pictures
from questloom.transforms.ingest import read_stage as read
from questloom.transforms.ingest import table_stage as tables
from questloom.transforms.ingest.ingest_job import Job, Outcome, done_path, write_done

STAGES: dict[str, Callable[[Job, int], Outcome]] = {
    "read": read.run,
    "index": index.run,
    "articles": articles.run,
    "entities": entities.run,
    "pictures": pictures.run,
    "images": pictures.run_images,
    "tables": tables.run,
}
FAILURE = "failure.json"


def num_tasks(job: Job, stage: str) -> int:
    """How many tasks a stage has."""
    return {"read": len(job.tasks), "index": 1, "tables": len(tables.TABLES)}.get(
        stage, job.num_partitions
    )


class RunTask(beam.DoFn):
    """Runs one stage's tasks; one that is finished already is passed over.

    A fault that ends the job is written down for whoever started it: across a runner only its text would arrive.
    """

    def __init__(self, job: Job, stage: str) -> None:
        self.job, self.stage = job, stage

    def process(self, task: int):
        if not done_path(self.job, self.stage, task).exists():
            started = time.monotonic()
            try:
                outcome = STAGES[self.stage](self.job, task)
                write_done(self.job, self.stage, task, outcome, time.monotonic() - started)
                self._count(outcome)
            except (InputError, ProviderFault) as error:
                write_failure(self.job, error)
                raise
        yield task

    def _count(self, outcome: Outcome) -> None:
        """Beam's metrics of this call's work."""
        Metrics.counter(self.stage, "num_in").inc(outcome.num_in)
        Metrics.counter(self.stage, "num_kept").inc(outcome.num_kept)
        for reason, number in Counter(r.reason for r in outcome.rejected).items():
            Metrics.counter(self.stage, f"rejected_{reason}").inc(number)


def write_failure(job: Job, error: InputError | ProviderFault) -> None:
    """Writes down why the job ends, for `read_failure`."""
    facts = (
        [error.where, error.what, error.fix]
        if isinstance(error, InputError)
        else [error.provider, error.message]
    )
    write_whole(job.folder("") / FAILURE, json.dumps([type(error).__name__, facts]).encode())


def read_failure(job: Job) -> InputError | ProviderFault | None:
    """Why the job ended, if a task wrote it down; it is forgotten then."""
    path = job.folder("") / FAILURE
    if not path.exists():
        return None
    kind, facts = json.loads(path.read_bytes())
    path.unlink()
    return InputError(*facts) if kind == InputError.__name__ else ProviderFault(*facts)


class Ingest(beam.PTransform):
    """`pipeline | Ingest(job)`: all stages, each a ParDo over task numbers that starts when the one before has ended."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job

    def expand(self, pipeline: beam.Pipeline) -> beam.PCollection[int]:
        done = pipeline | "start" >> beam.Create([0], reshuffle=False)
        for stage in STAGES:
            done = (
                pipeline
                | f"{stage} tasks"
                >> beam.Create(range(num_tasks(self.job, stage)), reshuffle=False)
                | f"{stage} waits" >> beam.Map(lambda task, _: task, beam.pvalue.AsList(done))
                | f"{stage} spread" >> beam.Reshuffle()
                | stage >> beam.ParDo(RunTask(self.job, stage))
            )
        return done
