"""Measures what a tiny policy (a small model) learns by fine-tuning (SFT) and GRPO in a small
fictional world. The results are a table and a plot.

* `python -m benchmarks.learning OUT --seeds 0 1 2 3 4` trains the models that are missing in OUT,
  then prints the table. Training takes about 7 CPU minutes per seed.
* With `--tuning`, the script only fine-tunes.
* `--control mask_only:axpo.resample=none …` trains with other GRPO settings. The part before the
  colon is the name under which the result is shown.

The script also measures how often each fine-tuned model keeps the turn protocol, and how often it
recovers after a violation. All seeds start from the base model in this repository. All seeds share
one world (world seed 5), its questions, and the episodes of the oracle (a scripted solver). A seed
sets the randomness of SFT and GRPO. Intervals are Student's t intervals over the random seeds.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from questloom.pipeline.commands.demo_train import (
    GRPO,
    SFT,
    held_out,
    prepare,
    read_metrics,
    tiny_base,
    training,
    values,
)
from questloom.pipeline.commands.held_out_play import success
from questloom.records.trajectories import Trajectory

WORLD_SEED = 5
T95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""The two-sided 95 % quantile of Student's t, by the number of values."""
FIGURES = ("held_out/pass_rate", "held_out/valid_turns", "held_out/turns", "reward", "entropy")


def placed(out: Path) -> tuple[Path, Path]:
    """Returns the run of questions and its store in OUT, and makes them if they are missing."""
    run, store = out / "run", out / "store"
    return (
        (run, store) if (run / "run.json").is_file() else prepare(out, seed=WORLD_SEED, workers=1)
    )


def fine_tuned(out: Path, seed: int) -> Path:
    """Returns the fine-tuned model of a seed. If the model exists, it is not trained again."""
    folder = out / f"sft{seed}"
    if not (folder / "result.json").is_file():
        training(
            "questloom.train.sft",
            "--config",
            SFT,
            "--data",
            str(placed(out)[0]),
            "--model",
            str(tiny_base()),
            "--out",
            str(folder),
            "--set",
            f"seed={seed}",
        )
    return folder / "model"


def learned(
    out: Path,
    name: str,
    seed: int,
    model: Path,
    steps: int,
    settings: Sequence[str],
    *,
    trainer: Sequence[str] = ("questloom.train.grpo",),
) -> Path:
    """Returns the folder of a seed's GRPO training. If the folder exists, the training is not
    repeated.

    Args:
        name: name of the settings; the folder is named after the settings and the seed.
        model: model with which the training begins.
        settings: settings that replace settings of the preset.
        trainer: the module to start, followed by arguments that come before the trainer's own
            arguments.
    """
    folder = out / f"{name}{seed}"
    if not (folder / "result.json").is_file():
        run, store = placed(out)
        more = [
            part
            for setting in (f"seed={seed}", f"step.steps={steps}", *settings)
            for part in ("--set", setting)
        ]
        training(
            *trainer,
            "--config",
            GRPO,
            "--run",
            str(run),
            "--store",
            str(store),
            "--model",
            str(model),
            "--out",
            str(folder),
            *more,
        )
    return folder


def interval(found: Sequence[float]) -> str:
    """Formats the mean of some values with its 95 % interval. A single value gets no interval.

    >>> interval([0.2, 0.3, 0.4])
    '0.300 ± 0.248'
    """
    mean = float(np.mean(found))
    if len(found) == 1:
        return f"{mean:.3f}"
    return f"{mean:.3f} ± {T95[len(found)] * float(np.std(found, ddof=1)) / len(found) ** 0.5:.3f}"


def table(runs: dict[str, list[Path]]) -> list[str]:
    """Makes the table. For each figure there is a line before GRPO and a line after it. A line
    shows the mean over seeds, its interval, and the value of each seed.
    """
    made = []
    for name, folders in runs.items():
        for figure in FIGURES:
            ends = [
                (found[0][1], found[-1][1])
                for folder in folders
                if (found := values(read_metrics(folder), figure))
            ]
            if ends:
                before, after = zip(*ends, strict=True)
                made.append(
                    f"{name:12} {figure:22} {interval(before):>16} → {interval(after):>16}   "
                    + "  ".join(f"{b:.3f} → {a:.3f}" for b, a in ends)
                )
    return made


def protocol(out: Path, seeds: Sequence[int]) -> list[str]:
    """Measures how well each seed's fine-tuned model keeps the turn protocol. The model plays each
    held-out question once. The table has the share of right answers and three shares of valid
    turns. The three shares are over all turns, over the turns up to an episode's first invalid
    turn, and over the turns after it.
    """
    run, store = placed(out)
    played = [held_out(out, f"sft{seed}", fine_tuned(out, seed), run, store) for seed in seeds]
    counts = [count_valid_turns(each) for each in played]
    whole = [
        (sum(good for good, _ in each.values()), sum(number for _, number in each.values()))
        for each in counts
    ]
    parts = {
        "all": whole,
        "none invalid before": [each[False] for each in counts],
        "after an invalid one": [each[True] for each in counts],
    }
    right = [success(each) for each in played]
    made = [
        f"right, one episode a held-out question {interval(right):>13}   "
        + "  ".join(f"{share:.3f}" for share in right)
    ]
    for name, found in parts.items():
        shares = [good / number for good, number in found if number]
        made.append(
            f"valid turns, {name:22} {interval(shares) if shares else 'none':>16}   "
            + "  ".join(f"{good} of {number}" for good, number in found)
        )
    return made


def count_valid_turns(played: Iterable[Trajectory]) -> dict[bool, tuple[int, int]]:
    """Counts the valid turns and all turns, separately before and after the first invalid turn of
    each episode.

    The first invalid turn counts among the turns before it.
    """
    good, number = Counter[bool](), Counter[bool]()
    for each in played:
        met = False
        for turn in each.episode.turns:
            good[met] += not turn.violation
            number[met] += 1
            met = met or bool(turn.violation)
    return {met: (good[met], number[met]) for met in (False, True)}


def draw(runs: dict[str, list[Path]], path: Path) -> None:
    """Plots the reward at each training step, and the success on held-out questions, with one line
    per seed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4))
    for axes, name in zip(
        figure.subplots(1, 2, sharey=True), ("reward", "held_out/pass_rate"), strict=True
    ):
        for number, (kind, folders) in enumerate(runs.items()):
            for n, folder in enumerate(folders):
                if found := values(read_metrics(folder), name):
                    axes.plot(
                        *zip(*found, strict=True),
                        color=f"C{number}",
                        alpha=0.6,
                        marker="o" if "held" in name else "",
                        label=kind if n == 0 else None,
                    )
        axes.set_xlabel("update of GRPO")
        axes.set_title(name.replace("_", " ").replace("held out/", "held-out "))
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
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--tuning", action="store_true", help="no GRPO")
    parser.add_argument(
        "--control",
        action="append",
        default=[],
        metavar="NAME:KEY=VALUE[,KEY=VALUE…]",
        help="GRPO once more, with other settings",
    )
    asked = parser.parse_args()
    print("\n".join(protocol(asked.out, asked.seeds)), flush=True)
    if asked.tuning:
        return
    kinds = {
        "grpo": [],
        **{
            name: rest.split(",")
            for name, _, rest in (each.partition(":") for each in asked.control)
        },
    }
    runs = {
        name: [
            learned(asked.out, name, seed, fine_tuned(asked.out, seed), asked.steps, settings)
            for seed in asked.seeds
        ]
        for name, settings in kinds.items()
    }
    print("\n".join(table(runs)))
    draw(runs, asked.out / "learning.png")


if __name__ == "__main__":
    main()
