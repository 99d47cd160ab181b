"""`questloom teach`: a policy (the agent) plays a run's questions. The policy's good trajectories
are kept. The job is one Beam pipeline, whose records stay in files.

```
tasks | play | answer | process | rank | keep | tally | solved
```

The job has the same shards as the run. A shard's tasks are the questions in the run's shard with
the same number. All rollouts of a task are in the same shard. Workers exchange only the numbers of
shards. Each policy has its own folder, RUN/episodes/POLICY. Only the teacher's episodes go into the
data set.
"""

import dataclasses
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from questloom.agent.setup import check_client, check_engine, opened_sandbox
from questloom.calls.ledger import cost_lines, has_ledger
from questloom.files.locations import check_locations, location
from questloom.files.opened import Opened
from questloom.files.parquet import read_metadata, read_records, write_records, write_whole
from questloom.pipeline.ingest.store_vectors import embed_store
from questloom.pipeline.recipe import Recipe, load_recipe, recipe_of, with_overrides
from questloom.pipeline.runners.progress import say
from questloom.pipeline.runners.run_log import is_log_written, log_path
from questloom.pipeline.runners.runner_checks import require_runner
from questloom.pipeline.runners.runner_options import LOCAL, RunnerOptions
from questloom.pipeline.runners.stage_job import Funnel, run_stages
from questloom.pipeline.teach.play_job import PlayJob
from questloom.pipeline.teach.teach_stages import teach_stages
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question
from questloom.transforms.episodes.behaviour import Numbers, numbers_of
from questloom.transforms.episodes.episode_folder import (
    KEEP,
    PLAY,
    SOLVED,
    TASKS,
    TEACHER,
    EpisodeFolder,
)
from questloom.transforms.episodes.run_questions import finished_stage
from questloom.transforms.episodes.tool_statistics import read_reference
from questloom.transforms.stages.run_folder import RunFolder, absolute
from questloom.transforms.stages.stage import Stage, reject
from questloom.transforms.stages.stage_shards import shard_facts
from questloom.transforms.stages.stage_transform import run_in_order

SECTIONS = ("teach.", "models.", "run.")


@dataclass(frozen=True)
class TeachSummary:
    """The result of a job that plays questions: counts, exit code and message."""

    out: str
    funnel: Funnel
    numbers: Numbers
    cost: list[dict[str, Any]]
    exit_code: int
    message: str

    def as_json(self) -> dict[str, Any]:
        """The summary as JSON, for programs and for `teach.json`."""
        count = self.funnel.by_stage
        return {
            "teach": self.out,
            "tasks": count[TASKS].num_out,
            "played": count[PLAY].num_out,
            "kept": count[KEEP].num_out,
            "solved": count[SOLVED].num_out,
            "pending": self.funnel.pending_causes,
            "errors": self.funnel.num_errors,
            "message": self.message,
            "stages": self.funnel.as_json(),
            "statistics": self.numbers.as_json(),
            "cost": self.cost,
        }

    def as_text(self) -> str:
        """The summary as text, for people."""
        return "\n".join(
            [
                self.funnel.as_text(out=True),
                "",
                *self.numbers.as_lines(),
                f"episodes  {self.out}",
                *([self.message] if self.message else []),
            ]
        )


class WriteTasks(beam.DoFn):
    """Takes the number of each shard and returns it when the shard is done. For each shard, writes
    the questions that are to be played; these files are the job's first stage."""

    def __init__(self, job: PlayJob, source: str, stage: Stage) -> None:
        self.job, self.source, self.stage = job, source, stage

    def process(self, shard: int) -> Iterator[int]:
        job, out, label = self.job, self.job.out, self.stage.label
        rules = job.recipe.teach
        found = [
            q
            for q in read_records(job.run.shard(self.source, "kept", shard), Question)
            if q.split.partition("/")[0] in rules.uses
        ]
        refused = [
            reject(
                q,
                Reason.NOT_SOLVED,
                {"oracle": "the question has no logical form that it could follow"},
            ).replace(stage=TASKS)
            for q in found
            if rules.engine == "oracle" and q.form is None
        ]
        gone = {r.item_id for r in refused}
        kept = [q for q in found if q.id not in gone]
        facts = shard_facts(
            self.stage.fingerprint, "", (len(found), len(kept), len(refused), 0, len(kept))
        )
        path = out.shard(label, "kept", shard)
        # Existing rows stay. The same rows written in another way (by a drop) are other bytes, and
        # all would be played again.
        if (
            not facts.items() <= (read_metadata(path) or {}).items()
            or list(read_records(path, Question)) != kept
        ):
            write_records(out.shard(label, "rejected", shard), Rejection, refused)
            write_records(path, Question, kept, **facts)
        yield shard


def build(pipeline: beam.Pipeline, job: PlayJob, source: str) -> beam.PCollection:
    """Builds the job as one pipeline. Returns the shard numbers, which arrive when all stages are
    written. `source` is the folder with the run's final questions, which are played."""
    stages = teach_stages(job)
    shards = (
        pipeline
        | "shards" >> beam.Create(range(job.recipe.run.shards), reshuffle=False)
        | "spread shards" >> beam.Reshuffle()
        | "write tasks" >> beam.ParDo(WriteTasks(job, source, stages[0]))
    )
    return run_in_order(shards, stages, run=job.out, settings=job, opened=job.opened)


def run_teach(
    recipe: Recipe,
    *,
    run: str,
    store: str,
    opened: Opened,
    policy: str = TEACHER,
    workers: int = 1,
    runner: RunnerOptions = LOCAL,
) -> TeachSummary:
    """Plays the questions of a finished run, or continues a job that was stopped.

    Args:
        recipe: the run's recipe, whose sections `teach` and `models` describe the policy.
        run: the run's folder.
        store: the store from which the run was made.
        opened: objects that stay open for later use in this process, such as stores and models.
        policy: the name of the episodes' folder, RUN/episodes/POLICY.
        workers: the number of processes, if the job runs in this process.
        runner: where the job runs.

    Raises:
        InputError: an input is wrong. A wrong input is found before the first episode.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", policy):
        raise InputError(
            f"--policy {policy[:80]}",
            "is no name for a folder",
            "Use up to 64 letters, digits, - and _, a letter or digit first.",
        )
    folder = RunFolder(absolute(run))
    job = PlayJob(
        run=folder,
        store_path=absolute(store),
        recipe=recipe,
        opened=opened,
        out=EpisodeFolder.of(folder, policy),
        questions=folder.read_recipe()["fingerprint"],
    )
    source = prepare(job, runner)
    require_runner(runner, (job.run.path, job.store_path), recipe.teach.tools.tools)
    embed_store(job.store_path, recipe.models.clip, workers=workers, runner=runner)
    _claim(job)
    # A local model is loaded only once, since several processes would share the same memory and
    # cores.
    run_stages(
        lambda pipeline: build(pipeline, job, source),
        teach_stages(job),
        job.out,
        num_shards=recipe.run.shards,
        runner=runner,
        workers=1 if recipe.teach.engine == "transformers" else workers,
        title="teach",
        calls=job.calls() if recipe.models.roles else None,
        endpoints=recipe.models.endpoints,
    )
    return _finish(job)


def recipe_for(run: str, source: str = "", overrides: Sequence[str] = ()) -> Recipe:
    """The recipe of a run, in which the sections `teach`, `models` and `run` describe the policy
    and its job.

    Args:
        run: the run's folder. All sections except `teach`, `models` and `run` come from the run's
            own recipe.
        source: the name or the file of a recipe from which the sections `teach`, `models` and `run`
            are taken. The CLIP model and the number of shards stay as in the run.
        overrides: new values for keys of `teach`, `models` and `run`, such as "teach.rollouts=5",
            "models.…" or "run.in_flight=…".

    Raises:
        InputError: the run or the recipe does not exist, or an override would change which
            questions the run has.
    """
    recipe = recipe_of(RunFolder(run).read_recipe()["recipe"], f"{run}/recipe.json")
    if source:
        given = load_recipe(source)
        recipe = dataclasses.replace(
            recipe,
            teach=given.teach,
            models=dataclasses.replace(given.models, clip=recipe.models.clip),
            run=dataclasses.replace(given.run, shards=recipe.run.shards),
        )
    for override in overrides:
        if not override.startswith(SECTIONS) or override.startswith(("models.clip", "run.shards")):
            raise InputError(
                f"--set {override}",
                "is nothing that the teacher may set",
                "Set keys of teach, models (but clip) or run (but shards).",
            )
    return with_overrides(recipe, overrides)


def prepare(job: PlayJob, runner: RunnerOptions = LOCAL) -> str:
    """Checks as much as possible before work starts. Returns the folder of the run's last stage.

    Args:
        job: the job.
        runner: where the job runs. For a local job, this machine must have what the tools require.
            For a cluster, the workers must have what the tools require.

    Raises:
        InputError: the run is not finished, the store is not the run's store, the engine lacks a
            requirement, a tool is unavailable, or the folder holds other episodes.
    """
    check_engine(job.recipe.teach, job.recipe.models)
    check_locations(reads=[job.store_path, job.run.path], writes=[job.out.path])
    if job.run.read_recipe()["store"] != job.store.meta["digest"]:
        raise InputError(
            job.store_path,
            "is not the store that the run was made from",
            "Give the run's own store.",
        )
    source = finished_stage(job.run, job.recipe.run.shards)
    if runner.is_local:
        opened_sandbox(job.recipe.teach.tools.tools, job.opened)
    if job.recipe.teach.reference:
        read_reference(location(job.recipe.teach.reference))
    if job.recipe.run.calls or job.recipe.models.roles or job.recipe.teach.live is not None:
        check_client(job.recipe.models, job.calls())
    if (
        job.out.recipe.is_file()
        and json.loads(job.out.recipe.read_text(encoding="utf-8"))["fingerprint"]
        != job.play_fingerprint
    ):
        raise InputError(
            job.out.path,
            "holds episodes that were played with other settings",
            "Use the same settings again, move that folder away, or play under another name (--policy), whose episodes reach no data set.",
        )
    return source


def _claim(job: PlayJob) -> None:
    facts = {
        "recipe": job.recipe.resolved(),
        "fingerprint": job.play_fingerprint,
        "judging": job.judge_fingerprint,
    }
    if found := job.recipe.teach.extensions:
        facts["extensions"] = found
    if named := job.recipe.teach.tools.custom_names():
        facts["custom_tools"] = named
    write_whole(job.out.recipe, (canonical_json(facts) + "\n").encode())


def _finish(job: PlayJob) -> TeachSummary:
    """Ends the job: collects the times, removes the journals of finished episodes, counts the
    outcomes, and writes `teach.json`."""
    recipe, out, stages = job.recipe, job.out, teach_stages(job)
    label = {stage.name: stage.label for stage in stages}
    out.gather_times(recipe.run.shards)
    # A shard with waiting items is computed again as a whole. Its other tasks take their episodes
    # from the journals.
    done = [
        shard
        for shard in range(recipe.run.shards)
        if not out.shard(label[PLAY], "pending", shard).is_file()
    ]
    out.files.drop_journals(
        q.id
        for shard in done
        for q in read_records(out.shard(label[TASKS], "kept", shard), Question)
    )
    funnel = Funnel.of(out, stages)
    ledger = job.calls() if recipe.models.roles or recipe.teach.live else None
    cost = (
        [dataclasses.asdict(line) for line in cost_lines(ledger)]
        if ledger is not None and has_ledger(ledger)
        else []
    )
    exit_code, message = _verdict(recipe, funnel, in_report=out == EpisodeFolder.of(job.run))
    made = TeachSummary(
        out=out.path,
        funnel=funnel,
        cost=cost,
        exit_code=exit_code,
        message=message,
        numbers=numbers_of(out, recipe.teach.reference),
    )
    facts = {
        **made.as_json(),
        "whole": not funnel.num_pending,
        "engine": recipe.teach.engine,
        "fingerprint": job.play_fingerprint,
    }
    del facts["teach"]
    write_whole(out.facts, (canonical_json(facts) + "\n").encode())
    custom = recipe.teach.tools.custom_names().values()
    if line := failed_tools(custom, made.numbers):
        say(f"questloom: {line}")
    return made


def failed_tools(custom: Collection[str], numbers: Numbers) -> str:
    """Says which custom tools failed, and where their exceptions are; "" if none failed."""
    failed = [
        f"{name} in {number:,} calls"
        for name, number in numbers.played.faults_by_tool.items()
        if name in custom
    ]
    log = f" The exceptions of tools are in the log: {log_path()}" if is_log_written() else ""
    return f"custom tools failed: {', '.join(failed)}.{log}" if failed else ""


def _verdict(recipe: Recipe, funnel: Funnel, *, in_report: bool) -> tuple[int, str]:
    """The exit code, and a message for the user. `in_report` says whether the report shows this
    policy."""
    count = funnel.by_stage
    exit_code, message = funnel.verdict(
        max_error_share=recipe.run.max_error_share, num_items=count[TASKS].num_out
    )
    if exit_code:
        return exit_code, message
    if not count[TASKS].num_out:
        return (
            0,
            f"There is no question to play: teach.uses is {', '.join(recipe.teach.uses)}, and the run has none for it.",
        )
    if count[KEEP].num_out:
        return 0, ""
    return 0, f"No trajectory was kept{'; the report says why' if in_report else ''}."
