"""Ends a run: writes the data set, the report, the messages for the user, and `run.json`.
`run.json` is written last and marks the run as complete."""

import dataclasses
import importlib.metadata
import platform
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow.parquet as pq

from questloom.calls.ledger import cost_lines, has_ledger
from questloom.files.locations import readable
from questloom.files.parquet import write_whole
from questloom.pipeline.export.dataset import export_dataset
from questloom.pipeline.export.exclusions import write_exclusions
from questloom.pipeline.report import build_report
from questloom.pipeline.runners.stage_job import Funnel
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.lacking import FILE as LACKING
from questloom.pipeline.synth.lacking import Lacking, write_lacking
from questloom.records.identity import canonical_json
from questloom.records.synthesis import NOT_RUN, Question
from questloom.transforms.drafting.schedule import apportion
from questloom.transforms.episodes.kept_play import drop_kept_plays
from questloom.transforms.stages.run_folder import COUNTS, RunFolder

VERSIONS = (
    "questloom",
    "apache-beam",
    "pylance",
    "pyarrow",
    "open_clip_torch",
    "torch",
    "rapidocr",
)
MAX_LACKING = 5
"""The terminal shows at most this number of sentences about data that the store lacks."""


@dataclass(frozen=True)
class Outcome:
    """The result of a run, for people and programs."""

    run: str
    funnel: Funnel
    report: str
    dataset: str
    exit_code: int
    message: str
    cost: list[dict[str, Any]] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)
    """The filters that the run skipped completely, each with the reason."""
    lacking: tuple[Lacking, ...] = ()
    """The data that the store lacks. If the store had these data, the run could have made more
    plans (sets of facts for questions). `lacking.tsv` lists the same data."""
    not_run_on: dict[str, int] = field(default_factory=dict)
    """The filters that the run skipped for some questions only. Each filter comes with the number
    of kept questions for which it was skipped. The verdicts of a question state why a filter was
    skipped for it."""

    def as_json(self) -> dict[str, Any]:
        """The outcome as JSON, for programs."""
        counts = self.funnel.counts
        return {
            "run": self.run,
            "dataset": self.dataset,
            "report": self.report,
            "seeds": counts[0].num_out,
            "kept": counts[-1].num_out,
            "pending": self.funnel.pending_causes,
            "errors": self.funnel.num_errors,
            "message": self.message,
            "stages": self.funnel.as_json(),
            "cost": self.cost,
            "not_run": self.not_run,
            "not_run_on": self.not_run_on,
            "lacking": [one.words for one in self.lacking],
        }

    def as_text(self) -> str:
        """The outcome as text, for people."""
        partly = [
            f"{name} was not run on {number:,} of the {self.funnel.counts[-1].num_out:,} questions"
            for name, number in self.not_run_on.items()
        ]
        lacking = [one.words for one in self.lacking[:MAX_LACKING]]
        if lacking:
            lacking.append(f"{len(self.lacking):,} such lines: {self.run}/{LACKING}")
        if (
            self.funnel.num_errors and not self.exit_code
        ):  # otherwise the message mentions the errors
            partly.append(self.funnel.errors_in_words)
        table = self.funnel.as_text(not_run=self.not_run)
        return "\n".join([table, *partly, *lacking, "", self.places()])

    def places(self) -> str:
        """Names the folders of the data set and the report."""
        return "\n".join(
            [
                f"data set  {self.dataset}",
                f"report    {self.report}",
                *([self.message] if self.message else []),
            ]
        )


def finish_run(job: Job, funnel: Funnel, *, started: float) -> Outcome:
    """Writes the final files of a finished or stopped run.

    If items of a run still wait, the run gets a report but no data set. The same command continues
    the run. `started` is the time at which the run began, in seconds since the epoch.
    """
    recipe, run, whole = job.recipe, job.run, not funnel.num_pending
    ledger = job.calls() if recipe.models.roles else None
    cost = (
        [dataclasses.asdict(line) for line in cost_lines(ledger)]
        if ledger is not None and has_ledger(ledger)
        else []
    )
    exit_code, message = _verdict(job, funnel)
    drop_kept_plays(run)
    if whole:
        export_dataset(job)
        write_exclusions(job)
    facts = {
        "recipe": recipe.name,
        "fingerprint": recipe.fingerprint,
        "whole": whole,
        "cost": cost,
        "store": job.store_path,
        "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
        "seconds": round(time.time() - started, 1),
        "versions": {name: _version(name) for name in VERSIONS}
        | {"python": platform.python_version()},
        "stages": {
            c.stage: {
                **{k: getattr(c, k) for k in COUNTS},
                "seconds": round(run.seconds(run.label(c.stage)), 1),
            }
            for c in funnel.counts
        },
    }
    write_whole(run.facts, (canonical_json(facts) + "\n").encode())
    lacking = tuple(write_lacking(job))
    report = build_report(run.at())
    return Outcome(
        run=run.path,
        funnel=funnel,
        report=str(report),
        dataset=str(run.dataset) if whole else "",
        exit_code=exit_code,
        message=message,
        cost=cost,
        lacking=lacking,
        not_run=(not_run := run.read_recipe().get("not_run", {})),
        not_run_on={
            name: number
            for name, number in _not_run_on(run, funnel.counts[-1].stage)
            if name not in not_run
        },
    )


def _not_run_on(run: RunFolder, stage: str) -> list[tuple[str, int]]:
    """The filters that a stage skipped for some questions. Each filter comes with the number of
    kept questions for which it was skipped."""
    found: Counter[str] = Counter()
    for path in run.shards(run.label(stage), "kept"):
        for verdicts in pq.read_table(readable(path), columns=["verdicts"])["verdicts"].to_pylist():
            found.update(v["filter"] for v in verdicts if v["solver"] == NOT_RUN)
    return sorted(found.items())


def _verdict(job: Job, funnel: Funnel) -> tuple[int, str]:
    """The exit code, and a message for the user."""
    seeds, kept = funnel.counts[0].num_out, funnel.counts[-1].num_out
    exit_code, message = funnel.verdict(
        max_error_share=job.recipe.run.max_error_share, num_items=seeds
    )
    if exit_code:
        return exit_code, message
    if not kept:
        return 0, "No question was kept; the report says why each seed was dropped."
    if job.recipe.seeds.accepted and not funnel.num_pending:
        return _wanted(job, funnel)
    return 0, ""


def _wanted(job: Job, funnel: Funnel) -> tuple[int, str]:
    """Compares the number of questions of each level with the number that the recipe asks for. If
    the recipe insists on these numbers and questions are missing, the exit code signals an error.
    """
    seeds, last = job.recipe.seeds, job.run.label(funnel.counts[-1].stage)
    made = Counter(q.level for q in job.run.read(last, "kept", Question))
    wanted = apportion(seeds.accepted, seeds.levels)
    short = any(made[level] < number for level, number in wanted.items())
    told = ", ".join(f"{made[level]:,} of {n:,} {level}" for level, n in wanted.items() if n)
    more = ". Draw more seeds (--set seeds.count=N)" if short else ""
    return int(short and seeds.on_exhausted == "error"), f"Wanted {seeds.accepted:,}: {told}{more}."


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
