"""Runs any job that consists of stages, shows the job's progress, explains a failure, and counts
the items in the job's files."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apache_beam as beam

from questloom.calls.ledger import last_settled
from questloom.files.locations import is_remote, listed
from questloom.files.parquet import write_whole
from questloom.models.endpoints import EndpointConfig
from questloom.pipeline.runners.endpoint_progress import EndpointProgress
from questloom.pipeline.runners.progress import watching
from questloom.pipeline.runners.run_log import known_cause
from questloom.pipeline.runners.runner_options import RunnerOptions
from questloom.pipeline.runners.stage_progress import StageProgress
from questloom.pipeline.runners.submit import run_pipeline
from questloom.records.errors import InputError, QuestloomError
from questloom.records.outcomes import Pending, PendingCause, Reason, Rejection, StageCount
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Stage


def run_stages(
    build: Callable[[beam.Pipeline], Any],
    stages: Sequence[Stage],
    run: RunFolder,
    *,
    num_shards: int,
    runner: RunnerOptions,
    workers: int,
    title: str,
    calls: Path | str | None = None,
    endpoints: Sequence[EndpointConfig] = (),
) -> None:
    """Runs a job until it ends.

    Args:
        build: a function that adds the job's transforms to a pipeline.
        stages: the job's stages, which write into `run`.
        num_shards: the number of shards of each stage.
        runner: where the job runs.
        workers: the number of processes, if the job runs in this process.
        title: the name of the job.
        calls: the place of the run's call cache, if the job calls models. As long as replies arrive
            in the call cache, the job does not count as stalled.
        endpoints: the endpoints that the job may call. The progress display also shows how the
            calls to these endpoints are going.

    Raises:
        QuestloomError: the job failed.
    """
    asked = EndpointProgress(calls, endpoints)
    progress = StageProgress(run, stages, num_shards, beside=asked.words)

    def moved() -> object:
        return [len(run.shards(stage.label, "kept")) for stage in stages], last_settled(
            calls
        ) if calls is not None else 0.0

    with watching(
        title,
        len(stages) * num_shards,
        progress.look,
        news=lambda: [*progress.news(), *asked.news()],
        slow=is_remote(run.path),
    ):
        try:
            run_pipeline(build, runner, workers=workers, title=title, moved=moved)
        except QuestloomError:
            raise
        except Exception as error:
            raise job_failed(run, error) from error
    run.failure.unlink(missing_ok=True)  # left by an earlier start
    if not is_remote(run.path):
        sweep(run, stages)


def sweep(run: RunFolder, stages: Sequence[Stage]) -> None:
    """Removes the half-written files that killed workers have left. A bucket needs no cleaning,
    since an object appears there only when it is complete."""
    for stage in stages:
        for left in listed(run.at("stages", stage.label), ".*.part"):
            left.unlink(missing_ok=True)


def job_failed(run: RunFolder, error: Exception) -> QuestloomError:
    """Turns the exception of a failed job into the error that the user sees. The traceback from the
    worker is written into a file.

    An exception inside a stage only rejects the item; it never makes the job fail. A job fails
    because of the machine (a full disk, missing rights, no memory), or because of an error in the
    code that runs stages.
    """
    if (known := known_cause(error)) is not None:
        return known
    text = str(error)
    if "No space left on device" in text:
        return InputError(
            run.path,
            "the disk is full",
            "Make room and run the same command again; finished shards are kept.",
        )
    if "Permission denied" in text:
        return InputError(
            run.path,
            "a file cannot be written or read (permission denied)",
            "Correct the rights and run the same command again.",
        )
    write_whole(run.failure, text.encode())
    last = next(
        (line.strip() for line in reversed(text.splitlines()) if line.strip()), type(error).__name__
    )
    return QuestloomError(
        f"the job broke off: {last}\n  The traceback is in {run.failure}. Finished shards are kept: run the same command again."
    )


@dataclass(frozen=True)
class Funnel:
    """The counts from a job's files: how many items each stage has, how many items wait, and how
    many ended because of an error in Questloom."""

    counts: tuple[StageCount, ...]
    pending_causes: dict[str, int]
    num_errors: int
    fault: str = ""
    """The fault message of the first item that waits for a provider (a model or search service)."""
    error: str = ""
    """The error message of the first item that ended because of an error."""
    failed_on_all: tuple[tuple[str, int, str], ...] = ()
    """The stages that failed on every item that came to them. Each entry has the stage's name, the
    number of items, and the error message of the first item."""

    @classmethod
    def of(cls, run: RunFolder, stages: Sequence[Stage]) -> "Funnel":
        """Counts the items in the files of all stages. Waiting items are counted only in the main
        chain of stages and not in side branches, so that no item counts twice."""
        causes: dict[str, int] = {}
        fault = ""
        for stage in (s for s in stages if not s.source):
            for waiting in run.read(stage.label, "pending", Pending):
                causes[waiting.cause] = causes.get(waiting.cause, 0) + 1
                fault = fault or (
                    waiting.message if waiting.cause == PendingCause.PROVIDER.value else ""
                )
        errors, counts, failed = [], [], []
        for stage in stages:
            mine = [
                r.evidence["error"] if isinstance(r.evidence, dict) else ""
                for r in run.read(stage.label, "rejected", Rejection)
                if r.reason == Reason.ERROR.value
            ]
            count = run.count(stage.label)
            if count.num_in and len(mine) >= count.num_in:
                failed.append((stage.name, count.num_in, mine[0]))
            errors += mine
            counts.append(count)
        return cls(
            tuple(counts), causes, len(errors), fault, errors[0] if errors else "", tuple(failed)
        )

    @property
    def errors_in_words(self) -> str:
        """A message about the items that ended because of an error; "" if there are none."""
        first = f", the first: {self.error}" if self.error else ""
        return (
            f"{self.num_errors:,} items ended as errors{first}. The report shows their tracebacks."
            if self.num_errors
            else ""
        )

    @property
    def by_stage(self) -> dict[str, StageCount]:
        """How many items each stage received, kept and rejected, by the stage's name."""
        return {count.stage: count for count in self.counts}

    @property
    def num_pending(self) -> int:
        return sum(self.pending_causes.values())

    def as_json(self) -> dict[str, dict[str, int]]:
        """For each stage, the numbers of items that came in, were kept, were rejected, and are
        pending."""
        return {
            c.stage: {
                "in": c.num_in,
                "kept": c.num_kept,
                "rejected": c.num_rejected,
                "pending": c.num_pending,
            }
            for c in self.counts
        }

    def as_text(self, *, out: bool = False, not_run: Collection[str] = ()) -> str:
        """How many items each stage received, kept and rejected, as a table for people. With `out`,
        the table also shows how many records passed. `not_run` names the stages that were skipped
        and let all records pass."""
        rows = [
            f"{'stage':<24}{'in':>8}{'kept':>8}{'rejected':>10}{'pending':>9}"
            + (f"{'out':>8}" if out else "")
        ]
        rows += [
            f"{c.stage:<24}{c.num_in:>8,}{c.num_kept:>8,}{c.num_rejected:>10,}{c.num_pending:>9,}"
            + (f"{c.num_out:>8,}" if out else "")
            + ("  not run" if c.stage in not_run else "")
            for c in self.counts
        ]
        return "\n".join(rows)

    def verdict(self, *, max_error_share: float, num_items: int) -> tuple[int, str]:
        """The exit code, and a message for the user. If all is well, the code is 0 and the message
        is ""."""
        waiting = self.pending_causes
        if waiting.get(PendingCause.BUDGET.value):
            return (
                3,
                f"Stopped at the budget: {waiting[PendingCause.BUDGET.value]:,} items wait. Raise models.budget_* and run the same command again.",
            )
        if waiting.get(PendingCause.PROVIDER.value):
            num = waiting[PendingCause.PROVIDER.value]
            return (
                1,
                f"A provider failed ({self.fault}): {num:,} items wait. Run the same command again; nothing is paid twice.",
            )
        for stage, number, error in self.failed_on_all:
            return (
                1,
                f"{stage} failed on every item that came to it ({number:,}), the first: {error}. The report shows their tracebacks.",
            )
        if self.num_errors > max_error_share * max(1, num_items):
            return 1, self.errors_in_words
        return 0, ""
