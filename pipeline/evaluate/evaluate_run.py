"""`questloom evaluate`: an agent plays a benchmark in one or several modes. After the play, the
answers are marked, and the scores and tables are written. Each mode is one Beam pipeline.

```
items | play | mark
```

The questions are divided into shards, and each shard of a stage is one file. If the job is killed,
only the unfinished turns are lost. No call to a model is paid for twice.
"""

import dataclasses
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from questloom.agent.play_settings import EngineName
from questloom.agent.setup import AGENT, check_client, check_engine, opened_sandbox, opened_store
from questloom.calls.ledger import cost_lines, has_ledger
from questloom.eval.contamination import Findings, compare, read_training
from questloom.eval.dialects import OURS, dialect_of
from questloom.eval.items import Item, Mark
from questloom.eval.modes import SEARCHES, Mode, settings_for
from questloom.eval.scores import scores_of
from questloom.eval.tables import as_text
from questloom.files.locations import check_locations
from questloom.files.opened import Opened
from questloom.files.parquet import read_metadata, read_records, write_records, write_whole
from questloom.pipeline.evaluate.benchmark_folder import (
    Benchmark,
    BenchmarkRequest,
    read_benchmark,
    run_recipe,
)
from questloom.pipeline.evaluate.evaluate_job import ITEMS, MARK, PLAY, EvaluateJob
from questloom.pipeline.evaluate.score_files import all_scores, write_tables
from questloom.pipeline.ingest.store_vectors import embed_store
from questloom.pipeline.recipe import Recipe, load_recipe, with_overrides
from questloom.pipeline.runners.runner_options import LOCAL
from questloom.pipeline.runners.stage_job import Funnel, run_stages
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, shard_of
from questloom.records.outcomes import Rejection
from questloom.records.trajectories import EpisodeTimes
from questloom.transforms.stages.run_folder import RunFolder, absolute
from questloom.transforms.stages.stage import Stage
from questloom.transforms.stages.stage_shards import shard_facts
from questloom.transforms.stages.stage_transform import run_in_order

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SECTIONS = ("teach.", "models.", "run.", "seed=")


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """The result of an evaluation."""

    scores: list[dict[str, Any]]
    """The scores of each mode that this call evaluated."""
    tables: dict[str, str]
    cost: list[dict[str, Any]]
    exit_code: int
    message: str

    def as_json(self) -> dict[str, Any]:
        """The result as JSON, for programs."""
        return {
            "scores": self.scores,
            "tables": self.tables,
            "cost": self.cost,
            "message": self.message,
        }

    def as_text(self) -> str:
        """The result as text, for people."""
        return "\n".join(
            [
                as_text(self.scores),
                "",
                *(f"{name:<10}{path}" for name, path in self.tables.items()),
                *([self.message] if self.message else []),
            ]
        )


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The agent to evaluate, and its settings."""

    out: str
    modes: Sequence[Mode]
    policy: str = ""
    """The agent's name in folders and tables; "" takes the name of its model or engine."""
    dialect: str = OURS
    prompt: str = ""
    """The agent's own system message."""
    store: str = ""
    against: Sequence[str] = ()
    """Folders of the data sets that the agent was trained on."""
    workers: int = 1


def evaluation_recipe(
    asked: BenchmarkRequest, source: str = "", overrides: Sequence[str] = ()
) -> Recipe:
    """The recipe of an evaluation. The recipe's section `teach` says which model plays, `models`
    says which models judge, and `run` says how the job runs.

    Args:
        asked: the benchmark to read, and which part of it. If the benchmark is a run, the run's own
            recipe supplies the other sections.
        source: a recipe's name or file; "" takes the run's recipe, or the defaults.
        overrides: values of recipe keys, such as "teach.engine=openai" or "models.…".

    Raises:
        InputError: the recipe does not exist, or an override sets a key that no evaluation uses.
    """
    for override in overrides:
        if not override.startswith(SECTIONS):
            raise InputError(
                f"--set {override}",
                "is nothing that an evaluation may set",
                "Set keys of teach, models or run, or seed.",
            )
    folder = RunFolder(absolute(asked.benchmark))
    own = run_recipe(folder) if folder.recipe.is_file() else None
    recipe = load_recipe(source) if source else own or Recipe()
    if own is not None:  # the store's vectors belong to the run's checkpoint
        recipe = dataclasses.replace(
            recipe, models=dataclasses.replace(recipe.models, clip=own.models.clip)
        )
    return with_overrides(recipe, overrides)


def evaluate(recipe: Recipe, asked: BenchmarkRequest, wanted: Wanted, opened: Opened) -> Evaluated:
    """Plays a benchmark, or continues a stopped evaluation, and rebuilds the tables of all evaluations in `out`.

    Raises:
        InputError: an input is wrong. Wrong inputs are found before the first episode.
    """
    check_wanted(recipe, asked, wanted, opened)
    benchmark = read_benchmark(asked, wanted.out)
    training = read_training(wanted.against) if wanted.against else None
    jobs = [_job(recipe, benchmark, asked, wanted, mode, opened) for mode in wanted.modes]
    for job in jobs:
        _claim(job)
    if any(mode is not Mode.DIRECT for mode in wanted.modes) and recipe.teach.live is None:
        embed_store(absolute(wanted.store), recipe.models.clip, workers=wanted.workers)
    findings = compare(benchmark.items, training, jobs[0].picture) if training else None
    funnels = [_play(job, benchmark.items, wanted.workers) for job in jobs]
    made = [_score(job, benchmark, findings) for job in jobs]
    ledger = jobs[0].calls() if recipe.models.roles or recipe.teach.live else None
    cost = (
        [dataclasses.asdict(line) for line in cost_lines(ledger)]
        if ledger is not None and has_ledger(ledger)
        else []
    )
    num = len(benchmark.items) * recipe.teach.rollouts
    exit_code, message = next(
        (
            said
            for funnel in funnels
            if (said := funnel.verdict(max_error_share=recipe.run.max_error_share, num_items=num))[
                0
            ]
        ),
        (0, ""),
    )
    return Evaluated(
        scores=made,
        tables=write_tables(wanted.out, all_scores(wanted.out)),
        cost=cost,
        exit_code=exit_code,
        message=message,
    )


def check_wanted(recipe: Recipe, asked: BenchmarkRequest, wanted: Wanted, opened: Opened) -> None:
    """Checks as much as possible before the benchmark is read.

    Raises:
        InputError: the engine lacks a requirement or cannot play a mode, the store is missing, a
            tool is unavailable, or the policy's name cannot be a folder.
    """
    rules, run = recipe.teach, RunFolder(absolute(asked.benchmark)).recipe.is_file()
    dialect = dialect_of(wanted.dialect)
    if not wanted.modes:
        raise InputError("--mode", "is missing", f"Give one or several of {', '.join(Mode)}.")
    if not _NAME.fullmatch(policy_name(recipe, wanted)):
        raise InputError(
            f"--policy {policy_name(recipe, wanted)[:80]}",
            "is no name for a folder",
            "Give one with --policy: up to 64 letters, digits, dots, - and _, a letter or digit first.",
        )
    check_engine(rules, recipe.models)
    if rules.engine == "oracle":
        if not run:
            raise InputError(
                "--engine oracle",
                "follows the form of a run's questions, and other benchmarks have none",
                "Give a run, or another engine.",
            )
        if set(wanted.modes) != {Mode.AGENT} or not dialect.is_ours:
            raise InputError(
                "--engine oracle",
                "plays with tools and in our own protocol only",
                "Give --mode agent and no --dialect.",
            )
    searching = [mode for mode in wanted.modes if mode is not Mode.DIRECT]
    if searching and dialect.limits.get("calls") == 0:
        raise InputError(
            f"--dialect {dialect.name}",
            f"has no tools, so it cannot be asked in the mode {searching[0]}",
            "Give --mode direct alone.",
        )
    if searching and not wanted.store and rules.live is None:
        raise InputError(
            f"--mode {searching[0]}",
            "searches, and there is nothing to be searched",
            "Give --store STORE, or a recipe with teach.live (the web), or --mode direct alone.",
        )
    for mode in searching:
        tools = settings_for(mode, rules, dialect).tools.tools
        if rules.live is None:
            opened_sandbox(tools, opened)
        if mode in SEARCHES and dialect.own_tools and SEARCHES[mode] not in dialect.own_tools:
            raise InputError(
                f"--mode {mode}",
                f"needs the tool {SEARCHES[mode]}, which {dialect.name} does not have",
                "Leave the mode out.",
            )
    check_locations(reads=[wanted.store] if wanted.store else [], writes=[wanted.out])
    if wanted.store and run and searching:
        said = RunFolder(absolute(asked.benchmark)).read_recipe()["store"]
        if said != opened_store(absolute(wanted.store), opened).meta["digest"]:
            raise InputError(
                wanted.store,
                "is not the store that the run was made from",
                "Give the run's own store.",
            )
    if recipe.run.calls or recipe.models.roles or rules.live is not None:
        check_client(recipe.models, RunFolder(wanted.out).calls(recipe.run.calls))


def policy_name(recipe: Recipe, wanted: Wanted) -> str:
    """The agent's name in folders and tables."""
    rules = recipe.teach
    role = recipe.models.roles.get(AGENT)
    engine: EngineName = rules.engine
    model = role.model if engine == "openai" and role is not None else rules.model
    return (
        wanted.policy
        or re.sub(r"[^A-Za-z0-9._-]", "_", model.rstrip("/").rpartition("/")[2])[:64]
        or engine
    )


def _job(
    recipe: Recipe,
    benchmark: Benchmark,
    asked: BenchmarkRequest,
    wanted: Wanted,
    mode: Mode,
    opened: Opened,
) -> EvaluateJob:
    needs_store = mode is not Mode.DIRECT and recipe.teach.live is None
    store = absolute(wanted.store) if needs_store else ""
    return EvaluateJob(
        recipe=recipe,
        out=absolute(wanted.out),
        benchmark=benchmark.name,
        policy=policy_name(recipe, wanted),
        mode=mode,
        dialect=dialect_of(wanted.dialect),
        prompt=wanted.prompt,
        store=store,
        snapshot=opened_store(store, opened).meta["digest"] if store else "",
        run=benchmark.run,
        split=asked.split,
        opened=opened,
    )


def _claim(job: EvaluateJob) -> None:
    """Writes a file that says to which evaluation this folder belongs.

    Raises:
        InputError: the folder contains episodes that were played with other settings.
    """
    path = job.folder.recipe
    if (
        path.is_file()
        and json.loads(path.read_text(encoding="utf-8"))["fingerprint"] != job.play_fingerprint
    ):
        raise InputError(
            job.folder.path,
            "holds what was played with other settings",
            "Use the same settings again, or give the agent another name with --policy.",
        )
    write_whole(
        path,
        (
            canonical_json(
                {
                    "recipe": job.recipe.resolved(),
                    "played": job.played,
                    "fingerprint": job.play_fingerprint,
                }
            )
            + "\n"
        ).encode(),
    )


def _play(job: EvaluateJob, items: Sequence[Item], workers: int) -> Funnel:
    """Writes the questions into files, lets the agent play them, and marks the answers."""
    stages, shards, folder = job.stages(), job.recipe.run.shards, job.folder
    _write_items(job, stages[0], items)
    calls = job.calls() if job.recipe.models.roles else None
    # A local model is loaded only once, since several processes would share the same memory and
    # cores.
    run_stages(
        lambda pipeline: run_in_order(
            pipeline
            | "shards" >> beam.Create(range(shards), reshuffle=False)
            | "spread shards" >> beam.Reshuffle(),
            stages,
            run=folder,
            settings=job,
            opened=job.opened,
        ),
        stages,
        folder,
        num_shards=shards,
        runner=LOCAL,
        workers=1 if job.recipe.teach.engine == "transformers" else workers,
        title=f"{job.benchmark}, {job.policy}, {job.mode}",
        calls=calls,
        endpoints=job.recipe.models.endpoints,
    )
    folder.gather_times(shards)
    label = {stage.name: stage.label for stage in stages}
    done = [
        shard
        for shard in range(shards)
        if not any(folder.shard(label[name], "pending", shard).is_file() for name in (PLAY, MARK))
    ]
    folder.files.drop_journals(
        item.id
        for shard in done
        for item in read_records(folder.shard(label[ITEMS], "kept", shard), Item)
    )
    return Funnel.of(folder, stages)


def _write_items(job: EvaluateJob, stage: Stage, items: Sequence[Item]) -> None:
    parts: list[list[Item]] = [[] for _ in range(job.recipe.run.shards)]
    for item in items:
        parts[shard_of(item.id, len(parts))].append(item)
    for shard, mine in enumerate(parts):
        mine.sort(key=lambda item: item.id)
        path = job.folder.shard(stage.label, "kept", shard)
        facts = shard_facts(stage.fingerprint, "", (len(mine), len(mine), 0, 0, len(mine)))
        if (
            not facts.items() <= (read_metadata(path) or {}).items()
            or list(read_records(path, Item)) != mine
        ):
            write_records(job.folder.shard(stage.label, "rejected", shard), Rejection, ())
            write_records(path, Item, mine, **facts)


def _score(job: EvaluateJob, benchmark: Benchmark, findings: Findings | None) -> dict[str, Any]:
    """Writes `scores.json`, which contains no times, and `timing.json`."""
    folder, ids = job.folder, [item.id for item in benchmark.items]
    marks = list(folder.read(folder.label(MARK), "kept", Mark))
    clean = None if findings is None else frozenset(ids) - findings.dirty
    rules = job.recipe.teach
    scores = {
        "benchmark": benchmark.facts,
        "policy": job.policy,
        "mode": job.mode.value,
        "dialect": job.dialect.name,
        "engine": rules.engine,
        "seed": job.recipe.seed,
        "played": job.play_fingerprint,
        "marked": job.mark_fingerprint,
        "contamination": None if findings is None else findings.as_json(),
        **scores_of(ids, marks, rollouts=rules.rollouts, seed=job.recipe.seed, clean=clean),
    }
    write_whole(
        folder.at("scores.json"),
        (json.dumps(scores, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode(),
    )
    times = [
        t
        for shard in range(job.recipe.run.shards)
        if folder.times(shard).is_file()
        for t in read_records(folder.times(shard), EpisodeTimes)
    ]
    num = max(1, len(times))
    timing = {
        "seconds": round(sum(t.seconds for t in times) / num, 3),
        "tool_seconds": round(sum(sum(t.tool_seconds) for t in times) / num, 3),
        "tool_cost": round(sum(sum(t.tool_cost) for t in times) / num, 6),
    }
    write_whole(folder.at("timing.json"), (canonical_json(timing) + "\n").encode())
    return {**scores, "timing": timing}
