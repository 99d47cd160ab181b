"""Runs a synthesis with one filter more, in a process of its own: the recipe's settings are put together on import.

    python -m tests.pipeline.synth.run_with_wordy STORE FOLDER

Prints as JSON what each reader of the registry says of the new filter.
"""

import asyncio
import dataclasses
import json
import sys
from pathlib import Path

from questloom.transforms.filters import registry
from tests.pipeline.synth.wordy import WORDY

registry.FILTERS = (registry.FILTERS[0], WORDY, *registry.FILTERS[1:])
registry.check(registry.FILTERS)

from questloom.files.opened import Opened  # noqa: E402
from questloom.pipeline.evolve.checks import Checks  # noqa: E402
from questloom.pipeline.evolve.remedies import proposed  # noqa: E402
from questloom.pipeline.export.run_end import finish_run  # noqa: E402
from questloom.pipeline.plan import forecast  # noqa: E402
from questloom.pipeline.recipe import with_overrides  # noqa: E402
from questloom.pipeline.runners.stage_words import because, doing  # noqa: E402
from questloom.pipeline.synth.filters_not_run import describe_filters  # noqa: E402
from questloom.pipeline.synth.job import Job  # noqa: E402
from questloom.pipeline.synth.synth_job import run_synth  # noqa: E402
from questloom.pipeline.synth.synth_stages import synth_stages  # noqa: E402
from questloom.records.errors import InputError  # noqa: E402
from questloom.records.outcomes import Rejection  # noqa: E402
from questloom.records.synthesis import Question, not_run  # noqa: E402
from tests.pipeline.small_world import LEAN, small_recipe  # noqa: E402
from tests.run_files import read_stage  # noqa: E402


def main(store: str, folder: Path) -> dict:
    recipe = small_recipe(
        filters={**LEAN, "wordy_most": 12},
        seeds={"count": 60, "rare_min_statements": 4, "anchor_min_in_degree": 1},
    )
    try:
        with_overrides(recipe, ["filters.wordy_mots=3"])
        misspelt = ""
    except InputError as error:
        misspelt = str(error)
    plan = forecast(recipe, store=store, opened=Opened()).as_json()
    job = Job.at(recipe, run=str(folder / "run"), store=store, opened=Opened())
    funnel = run_synth(recipe, store=store, out=job.run.path, opened=job.opened)
    ended = finish_run(job, funnel, started=0.0)
    off = dataclasses.replace(job, recipe=with_overrides(recipe, ["filters.wordy=false"]))
    rejected = list(job.run.read(job.run.label("wordy"), "rejected", Rejection))
    kept = list(read_stage(job.run, "split", "kept", Question))
    strict = dataclasses.replace(job, recipe=with_overrides(recipe, ["filters.wordy_most=1"]))
    unfiltered = kept[0].replace(verdicts=(not_run("wordy", "off"),))
    findings = asyncio.run(Checks(strict, ()).findings(unfiltered))
    edits = proposed(
        off.recipe,
        [{"stage": "filters", "cause": "wordy", "tasks": ["a", "b", "c"]}],
        [],
        dead_ends=(),
        most=4,
        tools=(),
    )
    stage = next(each for each in synth_stages(job) if each.name == "wordy")
    return {
        "misspelt": misspelt,
        "stages": [stage["stage"] for stage in plan["stages"]],
        "notes": plan["notes"],
        "forecast": next(s for s in plan["stages"] if s["stage"] == "wordy"),
        "rejected": [[r.stage, r.reason, r.evidence["words"]] for r in rejected],
        "kept_words": [len(q.text.split()) for q in kept],
        "verdicts": sorted({v.solver for q in kept for v in q.verdicts if v.filter == "wordy"}),
        "doing": doing(stage),
        "because": because([("too_wordy", 3)], stage.reasons),
        "told": describe_filters(off),
        "report": Path(ended.report).read_text(encoding="utf-8"),
        "card": Path(ended.dataset, "README.md").read_text(encoding="utf-8"),
        "findings": [[f.stage, f.cause] for f in findings if f.cause == "wordy"],
        "edits": [[e.path, e.before, e.after] for e in edits],
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
