"""What each part of making questions is worth: the same seeds with one part taken away at a time, as a table.

    python -m benchmarks.ablations STORE OUT [--recipe demo] [--seeds 300] [--arms whole no_filters …] [--set KEY=VALUE]

All arms draw the same seeds. Of each is told which share of the questions that reach a filter falls there (the shortcuts that its questions
have), how many are kept, of those that the oracle plays how many it solves, with how many calls, and which share of its right episodes the process
filter drops. Shares have Wilson's 95 % intervals.
`without_handles` plays the questions of `whole` with a tool box that numbers no pictures. The oracle was never trained with them, so it is its own fair
control; what a trained policy loses is not told. What fatal-aware training and AXPO with its controls are worth: `benchmarks.learning_cases`.

An arm that is under OUT is not run again.
"""

import argparse
import dataclasses
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from questloom.files.opened import Opened
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.runners.stage_job import Funnel
from questloom.pipeline.synth.synth_job import run_synth
from questloom.pipeline.teach.teach_job import recipe_for, run_teach
from questloom.records.form import FUZZY_KINDS
from questloom.records.share import Share
from questloom.transforms.stages.run_folder import RunFolder

PARTS: Mapping[str, tuple[str, ...]] = {
    "whole": (),
    "no_anchor": ("draft.hops={easy: 0, medium: 0, hard: 0}", "draft.own_page=true"),
    "no_margin": ("certificate.margin=0",),
    "no_enhancement": ("enhancement.share=0",),
    "no_filters": tuple(
        f"filters.{name}=false"
        for name in (
            "text_search",
            "image_search",
            "text_only",
            "no_tools",
            "solvable",
            "oracle",
            "visible_text",
        )
    ),
    "no_details": ("draft.detail_share=0",),
    "fuzz": (f"draft.fuzz=[{', '.join(FUZZY_KINDS)}]",),
}
"""Settings by arm. `fuzz` adds what most recipes have not, clues that are said vaguely.

`no_anchor`: the picture of a path shows the thing that is asked about (OpenSearch-VL's answer-side picture), which its own page may
tell."""
WITHOUT_HANDLES = "without_handles"
SHORTCUTS = ("text_search", "image_search", "no_tools")
"""Filters whose verdict is about the question and not about a fault of it."""


@dataclasses.dataclass(frozen=True)
class Arm:
    """What came of one arm."""

    drafted: Share
    """Of the seeds."""
    shortcuts: Mapping[str, Share]
    """Of the questions that reach a filter those that fall there."""
    kept: int
    solved: Share
    """Of the kept questions, by the oracle."""
    calls: float
    """Of the oracle, an episode."""
    unfit: Share
    """Of the oracle's right episodes, by the process filter."""


def made(recipe: Recipe, store: str, folder: Path) -> tuple[RunFolder, Funnel]:
    """The arm's questions; continues where it was stopped."""
    run = RunFolder(str(folder.absolute()))
    with Opened() as opened:
        return run, run_synth(recipe, store=store, out=run.path, opened=opened)


def played(run: RunFolder, store: str, policy: str, *overrides: str) -> tuple[Share, float, Share]:
    """(solved of the kept questions, calls an episode, unfit of the right episodes) of the oracle."""
    recipe = recipe_for(
        run.path,
        overrides=("teach.engine=oracle", 'teach.uses=["sft", "rl", "benchmark"]', *overrides),
    )
    with Opened() as opened:
        told = run_teach(recipe, run=run.path, store=store, opened=opened, policy=policy)
    count = told.funnel.by_stage
    return (
        Share(told.numbers.kept.num_episodes, count["tasks"].num_out),
        told.numbers.played.mean_calls,
        Share(count["process"].num_rejected, count["process"].num_in),
    )


def arm_of(recipe: Recipe, funnel: Funnel, solved: Share, calls: float, unfit: Share) -> Arm:
    """An arm's figures from its funnel and from what the oracle did."""
    count = funnel.by_stage
    return Arm(
        Share(count["draft"].num_kept, count["plan"].num_in),
        {
            name: Share(count[name].num_rejected, count[name].num_in)
            for name in SHORTCUTS
            if getattr(recipe.filters, name)
        },
        funnel.counts[-1].num_kept,
        solved,
        calls,
        unfit,
    )


def line(name: str, arm: Arm) -> str:
    """An arm in the table."""

    def told(share: Share | None) -> str:
        return (
            "–"
            if share is None or not share.num
            else f"{share.value:.2f} ({share.interval[0]:.2f}–{share.interval[1]:.2f})"
        )

    cells = [
        told(arm.drafted),
        *(told(arm.shortcuts.get(filter_)) for filter_ in SHORTCUTS),
        f"{arm.kept:,}",
        told(arm.solved),
        f"{arm.calls:.1f}",
        told(arm.unfit),
    ]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store")
    parser.add_argument("out", type=Path)
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument(
        "--arms", nargs="+", choices=(*PARTS, WITHOUT_HANDLES), default=[*PARTS, WITHOUT_HANDLES]
    )
    parser.add_argument("--set", action="append", default=[], help="of the recipe, in every arm")
    asked = parser.parse_args()
    print(
        f"{date.today()}, recipe {asked.recipe}, {asked.seeds} seeds an arm; share (95 %, Wilson)\n"
    )
    print(
        f"| arm | drafted | {' | '.join(f'falls at {name}' for name in SHORTCUTS)} | kept | oracle solves | its calls | "
        f"right but unfit |\n|{'---|' * (len(SHORTCUTS) + 6)}"
    )
    for name in asked.arms:
        recipe = load_recipe(
            asked.recipe, (f"seeds.count={asked.seeds}", *asked.set, *PARTS.get(name, ()))
        )
        run, funnel = made(
            recipe, asked.store, asked.out / ("whole" if name == WITHOUT_HANDLES else name)
        )
        told = played(
            run,
            asked.store,
            *(
                (WITHOUT_HANDLES, "teach.tools.handles=false")
                if name == WITHOUT_HANDLES
                else ("teacher",)
            ),
        )
        print(line(name, arm_of(recipe, funnel, *told)), flush=True)


if __name__ == "__main__":
    main()
