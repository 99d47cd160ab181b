"""The ingest stages as one Beam graph. Task numbers pass between stages and files hold the data.
Each stage waits until the previous stage has ended."""

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
    """Number of tasks of a stage."""
    return {"read": len(job.tasks), "index": 1, "tables": len(tables.TABLES)}.get(
        stage, job.num_partitions
    )


class RunTask(beam.DoFn):
    """Runs the tasks of one stage, and skips tasks that are finished already.

    A fault that ends the job is written to a file, where the process that started the job reads it.
    A Beam runner would only pass on the text of the fault.
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
        """Adds the counts of a finished task to Beam's metrics."""
        Metrics.counter(self.stage, "num_in").inc(outcome.num_in)
        Metrics.counter(self.stage, "num_kept").inc(outcome.num_kept)
        for reason, number in Counter(r.reason for r in outcome.rejected).items():
            Metrics.counter(self.stage, f"rejected_{reason}").inc(number)


def write_failure(job: Job, error: InputError | ProviderFault) -> None:
    """Writes the reason why the job ends, so that `read_failure` can read it."""
    facts = (
        [error.where, error.what, error.fix]
        if isinstance(error, InputError)
        else [error.provider, error.message]
    )
    write_whole(job.folder("") / FAILURE, json.dumps([type(error).__name__, facts]).encode())


def read_failure(job: Job) -> InputError | ProviderFault | None:
    """The reason why the job ended, if a task wrote it. Reading the reason deletes its file."""
    path = job.folder("") / FAILURE
    if not path.exists():
        return None
    kind, facts = json.loads(path.read_bytes())
    path.unlink()
    return InputError(*facts) if kind == InputError.__name__ else ProviderFault(*facts)


class Ingest(beam.PTransform):
    """`pipeline | Ingest(job)` runs all stages. Each stage is a ParDo over task numbers, and starts
    when the previous stage has ended."""

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
