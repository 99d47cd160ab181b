"""Tests remedies for two hard cases of GRPO training in a small fictional world. The results are a
table and a plot.

* `python -m benchmarks.learning_cases OUT failing --seeds 0 1 2`: tools break down in four of ten
  rollouts (attempts at a question). The case compares plain GRPO with fatal-aware training.
* `python -m benchmarks.learning_cases OUT rare --seeds 0 1 2`: the policy (the trained model) calls
  a tool in only one of ten rollouts. The case compares GRPO, GRPO with a quarter more rollouts,
  only the masking of AXPO, and AXPO.

The world, the questions and the fine-tuned models come from `benchmarks.learning OUT`; missing
models are trained. An arm is one of the compared trainings. All arms of a seed begin with the same
model and get the same questions in the same order, so results are compared within each seed. In
thirty steps each question comes only once, so a step's reward is measured on questions that are new
to the policy.
"""

import argparse
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.learning import fine_tuned, interval, learned, placed
from questloom.pipeline.commands.demo_train import SFT, read_metrics, training, values

RARE = 0.1
"""The share of training rows that keep their tool calls, for the policy that rarely calls a tool.

The remaining rows are cut to a single turn, which calls no tool and gives the answer of another
row.
"""
LAST = 5
"""The number of last steps over which the mean at the end of a training is taken."""


@dataclass(frozen=True)
class Case:
    """The trainings that a case compares; the first arm is the baseline."""

    arms: Mapping[str, tuple[str, ...]]
    """The settings of `questloom.train.grpo` for each arm (compared training)."""
    trainer: tuple[str, ...]
    """The module to start, followed by arguments that come before the trainer's own arguments."""
    start: Callable[[Path, int], Path]
    """A function that returns the model with which the trainings of a seed begin."""
    figures: tuple[str, ...]


def rarely_calling(out: Path, seed: int) -> Path:
    """Trains a seed's fine-tuned model for one more epoch. Nine in ten rows of this epoch answer
    without any tool call.
    """
    folder, rows = out / f"rare_sft{seed}", out / f"rare_rows{seed}.jsonl"
    if not (folder / "result.json").is_file():
        rows.write_text(
            "\n".join(json.dumps(row) for row in rare_rows(out / "run", random.Random(seed)))
        )
        training(
            "questloom.train.sft",
            "--config",
            SFT,
            "--data",
            str(rows),
            "--model",
            str(fine_tuned(out, seed)),
            "--out",
            str(folder),
            "--set",
            f"seed={seed}",
            "--set",
            "batch.epochs=2",
            "--set",
            "optimiser.lr=1e-3",
        )
    return folder / "model"


def rare_rows(run: Path, chance: random.Random) -> list[dict[str, Any]]:
    """Reads the run's trajectories for fine-tuning, and shortens most of them to one turn, which
    answers."""
    parts = sorted(
        (run / "dataset" / "formats" / "sharegpt" / "trajectories_train").glob("*.parquet")
    )
    found = [row for part in parts for row in pq.read_table(part).to_pylist()]
    answers = [
        re.search(r"<answer>(.*?)</answer>", row["conversations"][-1]["value"]) for row in found
    ]
    said = [match.group(1) for match in answers if match]
    made = []
    for number, row in enumerate(found):
        turns = row["conversations"]
        if chance.random() >= RARE:
            thought, _, _ = turns[1]["value"].partition("<tool_call>")
            turns = [
                turns[0],
                {"from": "gpt", "value": f"{thought}<answer>{chance.choice(said)}</answer>"},
            ]
        paths = []
        for n, picture in enumerate(row["images"]):
            path = run.parent / "rare_pictures" / f"{number}-{n}.png"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(picture["bytes"])
            paths.append(str(path))
        made.append({"conversations": turns, "images": paths, "system": row["system"]})
    return made


CASES = {
    "failing": Case(
        {
            "vanilla": ("fatal.treatment=vanilla",),
            "fatal-aware": ("fatal.treatment=fatal_mask+clamp",),
        },
        ("benchmarks.failing_tools", "0.4"),
        fine_tuned,
        ("reward", "held_out/pass_rate", "turns"),
    ),
    "rare": Case(
        {
            "grpo": (),
            "grpo+25%": ("step.rollouts=10",),
            "mask_only": ("axpo={resample: none}",),
            "axpo": ("axpo={}",),
        },
        ("questloom.train.grpo",),
        rarely_calling,
        ("reward", "tool_use", "all_wrong", "turns"),
    ),
}


def curve(folder: Path, name: str, steps: int) -> list[tuple[int, float]]:
    """The values of a metric in the first steps of a training; later steps are ignored."""
    return [
        (update, value) for update, value in values(read_metrics(folder), name) if update <= steps
    ]


def means(curve: Sequence[tuple[int, float]], name: str) -> dict[str, float]:
    """Computes a metric's mean over the first half of the steps, and its mean over the last steps.
    For a metric on held-out questions, only the last value counts.
    """
    found = [value for _, value in curve]
    if "held_out" in name:
        return {"at the end": found[-1]}
    return {
        "first half": float(np.mean(found[: len(found) // 2])),
        f"last {LAST}": float(np.mean(found[-LAST:])),
    }


def table(case: Case, runs: Mapping[str, Sequence[Path]], steps: int) -> list[str]:
    """Makes a table for each metric. The table has the first value, then the means of each arm with
    intervals over seeds. The table also shows how each arm differs from the first arm with the same
    seed.
    """
    made = []
    first, *_ = runs
    for figure in case.figures:
        begin = [curve(folder, figure, steps)[0][1] for folder in runs[first]]
        made.append(f"{figure}, begin {interval(begin)}")
        found = {
            arm: [means(curve(folder, figure, steps), figure) for folder in folders]
            for arm, folders in runs.items()
        }
        for part in found[first][0]:
            for arm, seeds in found.items():
                of_arm = [each[part] for each in seeds]
                more = [a - b[part] for a, b in zip(of_arm, found[first], strict=True)]
                beside = "" if arm == first else f"more: {interval(more)}"
                made.append(
                    f"  {part:10} {arm:11} {interval(of_arm):>16}   {beside:24}   "
                    + "  ".join(f"{f:.3f}" for f in of_arm)
                )
    return made


def draw(case: Case, runs: Mapping[str, Sequence[Path]], steps: int, path: Path) -> None:
    """Plots two metrics by training step. Thin lines are single seeds, and a thick line is their
    mean."""
    from matplotlib.figure import Figure

    names = [name for name in case.figures if "held_out" not in name][:3]
    figure = Figure(figsize=(5 * len(names), 4))
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for number, (arm, folders) in enumerate(runs.items()):
            curves = [curve(folder, name, steps) for folder in folders]
            for each in curves:
                axes.plot(*zip(*each, strict=True), color=f"C{number}", alpha=0.25, linewidth=1)
            mean = np.mean([[value for _, value in each] for each in curves], axis=0)
            axes.plot(
                [update for update, _ in curves[0]],
                mean,
                color=f"C{number}",
                linewidth=2,
                label=arm,
            )
        axes.set_xlabel("update of GRPO")
        axes.set_title(name.replace("_", " "))
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--arms", nargs="+", default=[], help="of the case; all of them by default")
    asked = parser.parse_args()
    case = CASES[asked.case]
    placed(asked.out)
    runs: dict[str, list[Path]] = {arm: [] for arm in asked.arms or case.arms}
    for seed in asked.seeds:
        model = case.start(asked.out, seed)
        for arm, made in runs.items():
            measured = asked.steps if "held_out/pass_rate" in case.figures else 0
            more = (f"evaluation.every={measured}", "evaluation.rollouts=1", *case.arms[arm])
            made.append(
                learned(
                    asked.out,
                    f"{asked.case}_{arm}",
                    seed,
                    model,
                    asked.steps,
                    more,
                    trainer=case.trainer,
                )
            )
    print("\n".join(table(case, runs, asked.steps)))
    draw(case, runs, asked.steps, asked.out / f"learning_{asked.case}.png")


if __name__ == "__main__":
    main()
