"""Measures what a tiny policy learns by SFT and GRPO in the learning world, and shows it as a table
and a plot.

* `python -m benchmarks.learning OUT --seeds 0 1 2 3 4` trains the models that are missing under OUT
  (some 7 CPU minutes a seed), then prints the table.
* With `--tuning`, the script only fine-tunes.
* `--control mask_only:axpo.resample=none …` trains with other GRPO settings, under the given name.

The script also measures whether each fine-tuned model keeps the turn protocol, and whether it
recovers after it breaks the protocol. All seeds start from the shipped base model. All seeds share
one world (world seed 5), its questions and the oracle's episodes. A seed sets the randomness of
both trainings. Intervals are Student's t intervals over seeds.
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
"""Maps the number of values to the two-sided 95 % quantile of Student's t."""
FIGURES = ("held_out/pass_rate", "held_out/valid_turns", "held_out/turns", "reward", "entropy")


def placed(out: Path) -> tuple[Path, Path]:
    """Run and store under OUT, made if they are missing."""
    run, store = out / "run", out / "store"
    return (
        (run, store) if (run / "run.json").is_file() else prepare(out, seed=WORLD_SEED, workers=1)
    )


def fine_tuned(out: Path, seed: int) -> Path:
    """A seed's fine-tuned model; an existing model is not trained again."""
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
    """The folder of a seed's GRPO run; an existing run is not trained again.

    Args:
        name: name of the settings; the folder's name is this name and the seed.
        model: model that the training begins with.
        settings: settings that replace the preset's.
        trainer: the module to start, and the arguments that stand before the trainer's own.
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
    """The mean with its 95 % interval; a single value has no interval.

    >>> interval([0.2, 0.3, 0.4])
    '0.300 ± 0.248'
    """
    mean = float(np.mean(found))
    if len(found) == 1:
        return f"{mean:.3f}"
    return f"{mean:.3f} ± {T95[len(found)] * float(np.std(found, ddof=1)) / len(found) ** 0.5:.3f}"


def table(runs: dict[str, list[Path]]) -> list[str]:
    """The table: a line for each figure before and after GRPO, with the mean, its interval over
    seeds, and the value of each seed.
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
    """How well each seed's fine-tuned model keeps the turn protocol in one episode of each held-out
    question.

    The table has the share of right answers and three shares of valid turns. The three shares cover
    all turns, the turns before an episode's first invalid turn, and the turns after it.
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
    """Counts valid turns and all turns, before and after the first invalid turn of each episode.

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
    """Plots reward by step and held-out success, one line per seed."""
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
