"""Runs the main job of a run. The steps of the job are seeds, drafts, pictures, certificates,
filters and splits. The job is one Beam pipeline, whose records stay in files.

```
ranges -> candidates -> choose -> seeds | draft … answer_in_question | keys -> losers -> duplicates … enhance | components -> split
```

Workers exchange only ids, keys and the numbers of shards. `transforms/stages/` explains how to
write a stage and how a stage is resumed.
"""

import json
from collections.abc import Mapping
from typing import Any

import apache_beam as beam

from questloom.agent.setup import check_client, opened_sandbox
from questloom.files.locations import check_locations, remove_tree
from questloom.files.opened import Opened
from questloom.files.parquet import write_whole
from questloom.pipeline.ingest.store_vectors import embed_store
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.runners.forked_worker import CLIP, start_server
from questloom.pipeline.runners.progress import say
from questloom.pipeline.runners.runner_checks import require_runner, require_shared
from questloom.pipeline.runners.runner_options import LOCAL, RunnerOptions
from questloom.pipeline.runners.stage_job import Funnel, run_stages
from questloom.pipeline.synth.cell_shortage import describe_shortages, outcomes
from questloom.pipeline.synth.filters_not_run import describe_filters, filters_not_run
from questloom.pipeline.synth.global_steps import seed_shards, seeds_stand
from questloom.pipeline.synth.id_files import words_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.needed_tools import tools_of_filter
from questloom.pipeline.synth.outside_stages import open_sources
from questloom.pipeline.synth.settings_check import check_extensions, check_settings
from questloom.pipeline.synth.synth_stages import NO_HINTS, synth_stages
from questloom.pipeline.synth.writer_choice import check_writer, describe_writer
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json
from questloom.transforms.drafting.seed_shortage import FIX, shortage
from questloom.transforms.drafting.seeds import EXPLORATION, obstacles
from questloom.transforms.filters import registry
from questloom.transforms.filters.custom import words_of_custom
from questloom.transforms.pictures.checkpoint_quality import check_grounding
from questloom.transforms.pictures.choose import read_hashes
from questloom.transforms.stages.run_folder import name_of
from questloom.transforms.stages.stage_transform import run_in_order

LOOKED_AT = 10_000
"""If no entity can be a seed, this number of entities is examined again to explain why."""


def build(
    pipeline: beam.Pipeline,
    job: Job,
    excluded: frozenset[str],
    clip_hints: Mapping[str, str] = NO_HINTS,
) -> beam.PCollection:
    """Builds the whole job as one pipeline. Returns the shard numbers, which arrive when all stages
    are written. Beam uses `clip_hints` for the stages that run CLIP."""
    stages = synth_stages(job, clip_hints)
    standing = beam.Create(range(job.recipe.run.shards), reshuffle=False)
    seeds = stages[0].label
    shards = (
        pipeline | "shards" >> standing
        if seeds_stand(job, seeds)
        else seed_shards(pipeline, job, excluded, seeds)
    )
    return run_in_order(
        shards | "spread seeds" >> beam.Reshuffle(),
        stages,
        run=job.run,
        settings=job,
        opened=job.opened,
    )


def prepare(job: Job, runner: RunnerOptions = LOCAL) -> frozenset[str]:
    """Checks as much as possible before work starts. Returns the excluded ids.

    Args:
        job: the job.
        runner: where the job runs. For a local job, this machine must have what the tools require.
            For a cluster, the workers must have what the tools require.

    Raises:
        InputError: the store cannot be opened, the folder holds another run, an exclusion file is
            missing, a tool is unavailable, or an object of another package cannot be loaded.
    """
    check_extensions(job.recipe)
    check_locations(reads=[job.store_path], writes=[job.run.path])
    if runner.is_local:
        opened_sandbox(tools_of_filter(job.recipe), job.opened)
    store = job.store
    check_writer(job.recipe)
    check_settings(job.recipe)
    read_hashes(job.recipe.filters.exclude_pictures)
    open_sources(job)
    if job.recipe.run.calls or job.recipe.models.roles:
        check_client(job.recipe.models, job.calls())
    _check_folder(job, store.meta["digest"])
    return words_of(job.recipe.seeds.exclude, "seeds.exclude")


def _facts(job: Job, digest: str) -> dict[str, Any]:
    facts = {
        "recipe": job.recipe.resolved(),
        "fingerprint": job.recipe.fingerprint,
        "store": digest,
    }
    return facts | ({"extensions": found} if (found := job.recipe.extensions) else {})


def _check_folder(job: Job, digest: str) -> None:
    """Checks the folder of the run: it must be free, or hold an unfinished run with the same recipe
    and store.

    Raises:
        InputError: the folder holds another run, or something else.
    """
    path, facts = job.run.recipe, _facts(job, digest)
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        if (before["fingerprint"], before["store"]) != (facts["fingerprint"], facts["store"]):
            what = "recipe" if before["fingerprint"] != facts["fingerprint"] else "store"
            if before["recipe"] == facts["recipe"] and what == "recipe":
                was = ", ".join(before.get("extensions", ()))
                what = f"version of what the recipe imports: it was {was}" if was else what
            raise InputError(
                job.run.path,
                f"holds a run with another {what}",
                "Name a new --out folder, or use the same settings again.",
            )
        known = {stage.name for stage in synth_stages(job)}
        if (
            any(name_of(label) not in known for label in job.run.labels())
            or job.run.at("teach").exists()
        ):
            raise InputError(
                job.run.path,
                "holds a run of an earlier version, whose stages had other names",
                "Name a new --out folder.",
            )
        if before["recipe"]["run"]["shards"] != job.recipe.run.shards:
            raise InputError(
                job.run.path,
                "holds a run with another number of shards",
                "Use the same run.shards again.",
            )
    elif job.run.at().exists() and any(job.run.at().iterdir()):
        raise InputError(
            job.run.path, "is not empty and holds no run", "Name a new or an empty --out folder."
        )


def claim_folder(job: Job) -> None:
    """Writes recipe.json. After recipe.json is written, the folder belongs to this run. All checks
    come before recipe.json is written, so a recipe that is refused leaves no file."""
    if not job.run.recipe.exists():
        facts = _facts(job, job.store.meta["digest"])
        if left_out := filters_not_run(job):
            facts["not_run"] = left_out
        if custom := words_of_custom(job.recipe.filters):
            facts["custom_filters"] = custom
        if writer := describe_writer(job.recipe):
            facts["custom_writer"] = writer
        write_whole(job.run.recipe, (canonical_json(facts) + "\n").encode())


def check_models(job: Job, workers: int = 1, runner: RunnerOptions = LOCAL) -> None:
    """If a stage compares pictures, embeds the store's pictures with CLIP, and tests the CLIP
    checkpoint on these pictures before any money is spent.

    Raises:
        InputError: the recipe requires grounding (each picture must match its entity), but the
            checkpoint cannot tell this store's pictures apart.
    """
    if not needs_vectors(job.recipe):
        return
    if workers > 1 and runner.is_local:
        start_server(workers, [CLIP])
    clip = embed_store(job.store_path, job.recipe.models.clip, workers=workers, runner=runner)
    check_grounding(job.store, clip, job.recipe.grounding)


def needs_vectors(recipe: Recipe) -> bool:
    """Whether a run compares pictures. Pictures are compared in order to ground them (match them
    with entities), to degrade them, or to search by picture in a filter."""
    filters = (each for each in registry.FILTERS if each.is_on(recipe.filters))
    return (
        recipe.grounding.mode != "none"
        or recipe.enhancement.share > 0
        or any(each.vectors(recipe) for each in filters)
    )


def run_synth(
    recipe: Recipe,
    *,
    store: str,
    out: str,
    opened: Opened,
    workers: int = 1,
    runner: RunnerOptions = LOCAL,
) -> Funnel:
    """Runs or resumes the main job up to the splits. After the main job,
    `questloom.pipeline.export` writes the data set.

    Args:
        recipe: the settings.
        store: an ingested store.
        out: the run's folder. If the folder holds an unfinished run of the same recipe and store,
            that run is continued.
        opened: objects that stay open for later use in this process, such as stores and models.
        workers: the number of processes, if the job runs in this process.
        runner: where the job runs. Every worker must find the store and the run's folder under the
            same paths.

    Raises:
        InputError: an input is wrong, or no entity can be a seed. A wrong input is found before
            work starts.
    """
    job = Job.at(recipe, run=out, store=store, opened=opened)
    excluded = prepare(job, runner)
    require_shared(runner, recipe.filters.exclude_pictures, "filters.exclude_pictures")
    require_shared(runner, (source.path for source in recipe.external), "external")
    require_runner(runner, (job.run.path, job.store_path), tools_of_filter(recipe))
    if line := describe_writer(recipe):
        say(f"questloom: the writer is {line}")
    for line in describe_filters(job):
        say(f"questloom: {line}")
    check_models(job, workers, runner)
    claim_folder(job)
    stages = synth_stages(job)
    run_stages(
        lambda pipeline: build(pipeline, job, excluded, runner.clip_hints),
        stages,
        job.run,
        num_shards=recipe.run.shards,
        runner=runner,
        workers=workers,
        title="synth",
        calls=job.calls() if recipe.models.roles else None,
        endpoints=recipe.models.endpoints,
    )
    funnel = Funnel.of(job.run, stages)
    if not funnel.counts[0].num_out:
        raise without_seeds(job)
    if recipe.seeds.methods.get(EXPLORATION):
        own = {reason: words for stage in stages for reason, words in stage.reasons.items()}
        for line in describe_shortages(outcomes(job), recipe.seeds, own):
            say(f"questloom: {line}")
    return funnel


def without_seeds(job: Job) -> InputError:
    """Explains why no entity of the store can be a seed, and removes the run's empty files, so that
    another recipe can use the folder."""
    for name in ("stages", "timing"):
        remove_tree(job.run.at(name), ignore_errors=True)
    job.run.recipe.unlink(missing_ok=True)
    store, recipe = job.store, job.recipe
    found = list(store.scan_entities(0, LOOKED_AT))
    causes = obstacles(
        found,
        job.lookups,
        recipe.seeds,
        recipe.pictures,
        recipe.draft.max_answer_words,
    )
    why = shortage(found, causes, store, recipe.seeds, recipe.pictures)
    return InputError(
        job.store_path,
        f"nothing in this store can be a seed under the recipe {recipe.name}: {why}",
        FIX,
    )
