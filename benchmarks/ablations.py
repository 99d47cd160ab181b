"""Measures the effect of each part of question making by removing one part at a time (ablation).

    python -m benchmarks.ablations STORE OUT [--recipe demo] [--seeds 300] [--arms whole no_filters …] [--set KEY=VALUE]

An arm is a variant of the recipe. All arms draw the same seeds (things from which questions start).
The table has one line per arm:

* the share of questions that each shortcut filter drops;
* the number of kept questions;
* the share of questions that the oracle (a scripted solver) solves, and its tool calls per
  question;
* the share of the oracle's correct solutions that the process filter still drops.

Shares have Wilson's 95 % intervals. The arm `without_handles` plays the same questions as the arm
`whole`, but with tools that give pictures no numbers. The oracle is a script that was never trained
with picture numbers, so the comparison is fair. The arm does not show what a trained model would
lose without picture numbers. Ablations of training (fatal-aware training, AXPO) are in
`benchmarks.learning_cases`.

If the folder OUT already has an arm, the arm is not run again.
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
"""The settings with which each arm (variant) differs from the recipe.

In the arm `no_anchor`, the picture shows the thing that the question asks about, as in a variant of
OpenSearch-VL. The page of the pictured thing may then give the answer away. The arm `fuzz` replaces
some exact clues in questions by vague ones; most recipes do not do this.
"""
WITHOUT_HANDLES = "without_handles"
SHORTCUTS = ("text_search", "image_search", "no_tools")
"""The filters that drop a question because its answer can be found by a short cut."""


@dataclasses.dataclass(frozen=True)
class Arm:
    """The measured figures of one arm (variant of the recipe)."""

    drafted: Share
    """The share of seeds (things from which questions start) that led to a draft of a question."""
    shortcuts: Mapping[str, Share]
    """For each shortcut filter, the share of questions that it drops."""
    kept: int
    solved: Share
    """The share of the kept questions that the oracle (a scripted solver) solves."""
    calls: float
    """The mean number of tool calls that the oracle makes per question."""
    unfit: Share
    """The share of the oracle's correct solutions that the process filter drops."""


def made(recipe: Recipe, store: str, folder: Path) -> tuple[RunFolder, Funnel]:
    """Makes the questions of an arm, or continues an interrupted run."""
    run = RunFolder(str(folder.absolute()))
    with Opened() as opened:
        return run, run_synth(recipe, store=store, out=run.path, opened=opened)


def played(run: RunFolder, store: str, policy: str, *overrides: str) -> tuple[Share, float, Share]:
    """Lets the oracle (a scripted solver) answer the kept questions.

    Returns: The share of solved questions, the tool calls per question, and the share of correct
        solutions that the process filter drops.
    """
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
    """Computes an arm's figures from the counts of its stages and from the oracle's solutions."""
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
    """The line of an arm in the table."""

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
    """Runs the command line."""
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
