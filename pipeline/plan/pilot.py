"""The pilot sends some of the run's own seeds through the real job, in the folder RUN/pilot. The
pilot uses the run's own cache of calls.

The pilot first draws all seeds of the run into the run's folder. The run later uses the same seeds.
The pilot puts the seeds into another random order, and takes the first ones. The seeds of the pilot
are a random sample of the run's seeds. The request that a model gets for a seed depends neither on
the folder nor on the other seeds. As a result, the run finds every reply of the pilot in the cache,
and pays for none of them again.
"""

from collections import defaultdict
from dataclasses import dataclass, replace

from questloom.calls.attempts import CostLine
from questloom.calls.ledger import cost_lines, has_ledger
from questloom.pipeline.plan import priors
from questloom.pipeline.plan.call_forecast import RoleCalls, uses_model
from questloom.pipeline.plan.estimates import Range, mean_of
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.runners.runner_options import new_pipeline
from questloom.pipeline.runners.stage_job import Funnel
from questloom.pipeline.synth.global_steps import seed_shards, seeds_stand, write_seeds
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import (
    check_models,
    claim_folder,
    prepare,
    run_synth,
    without_seeds,
)
from questloom.pipeline.synth.synth_stages import synth_stages
from questloom.records.identity import priority
from questloom.records.synthesis import Seed
from questloom.transforms.external.outside_rows import METHOD
from questloom.transforms.filters import registry

Counts = dict[str, tuple[int, int]]
COROUTINES = (
    "text_facts",
    "draft",
    *(each.name for each in registry.FILTERS if each.coroutine == "always"),
)
"""Stages that wait for models while other stages run. The time that such a stage takes says little
about its own work."""


@dataclass(frozen=True)
class Pilot:
    """What a pilot has measured.

    `num_seeds` is the number of seeds that the pilot processed. `shares` says how many items each
    stage kept and got. `seconds` holds the time for one item of each stage. `calls` has an entry
    for each stage and model. `spent` is the ledger's sum of all calls that the run has made so far.
    """

    num_seeds: int
    num_pending: int
    shares: Counts
    seconds: dict[str, float]
    calls: list[RoleCalls]
    spent: CostLine | None


def run_pilot(job: Job, *, num_seeds: int, workers: int) -> Pilot:
    """Sends `num_seeds` of the run's seeds through the real job, and pays for their calls.

    Raises:
        InputError: see `run_synth`.
    """
    excluded = prepare(job)
    check_models(job)
    claim_folder(job)
    label = synth_stages(job)[0].label
    if not seeds_stand(job, label):
        with new_pipeline(workers) as pipeline:
            seed_shards(pipeline, job, excluded, label)
    seeds = _draw(job, label, num_seeds)
    if not seeds:
        raise without_seeds(job)
    funnel = run_synth(
        job.recipe, store=job.store_path, out=job.run.pilot.path, opened=job.opened, workers=workers
    )
    return _measured(job, seeds, funnel)


def _draw(job: Job, label: str, num_seeds: int) -> list[Seed]:
    """Writes the pilot's seeds where the pilot's job finds them."""
    own_job = replace(job, run=job.run.pilot)
    prepare(own_job)
    claim_folder(own_job)
    own = [s for s in job.run.read(label, "kept", Seed) if s.method != METHOD]
    drawn = sorted(own, key=lambda s: priority(job.recipe.seed, s.id, "pilot"))[:num_seeds]
    list(write_seeds(own_job, label, drawn))
    return drawn


def _measured(job: Job, seeds: list[Seed], funnel: Funnel) -> Pilot:
    recipe, pilot = job.recipe, job.run.pilot
    shares = {c.stage: (c.num_kept, c.num_kept + c.num_rejected) for c in funnel.counts}
    timed = [
        c
        for c in funnel.counts
        if c.num_in and c.stage not in COROUTINES and not uses_model(recipe, c.stage)
    ]
    seconds = {c.stage: pilot.seconds(pilot.label(c.stage)) / c.num_in for c in timed}
    ledger = job.calls() if recipe.models.roles else ""
    has_calls = bool(ledger) and has_ledger(ledger)
    calls = (
        _calls(
            recipe,
            cost_lines(ledger, by=("stage", "provider", "model", "seed_id")),
            {s.id for s in seeds},
            shares,
        )
        if has_calls
        else []
    )
    spent = cost_lines(ledger, by=())[0] if has_calls else None
    return Pilot(
        num_seeds=len(seeds),
        num_pending=funnel.num_pending,
        shares=shares,
        seconds=seconds,
        calls=calls,
        spent=spent,
    )


def _calls(
    recipe: Recipe, lines: list[CostLine], seeds: set[str], shares: Counts
) -> list[RoleCalls]:
    """The calls of the pilot, with one entry for each stage, endpoint and model. A stage may call a
    model several times for one seed. All calls that a stage makes for one seed count as the calls
    for one item."""
    groups: dict[tuple[str, str, str], list[CostLine]] = defaultdict(list)
    for line in lines:
        stage, endpoint, model, seed = line.group
        if seed in seeds and line.num_calls:
            groups[stage, endpoint, model].append(line)
    found = []
    for (stage, endpoint, model), mine in sorted(groups.items()):
        per_item = [float(line.num_calls) for line in mine]
        per_item += [0.0] * (shares.get(stage, (0, 0))[1] - len(mine))

        def of_one_call(what: str, prior: Range, mine: list[CostLine] = mine) -> Range:
            return mean_of([getattr(line, what) / line.num_calls for line in mine], prior)

        price = next(e for e in recipe.models.endpoints if e.name == endpoint).price(model)
        found.append(
            RoleCalls(
                stage=stage,
                role="all",
                endpoint=endpoint,
                model=model,
                per_item=mean_of(per_item, priors.MENDED),
                price=price,
                tokens_in=of_one_call("tokens_in", priors.MENDED),
                tokens_out=of_one_call("tokens_out", priors.MENDED),
                seconds=of_one_call("seconds", priors.SECONDS_PER_CALL),
            )
        )
    return found
