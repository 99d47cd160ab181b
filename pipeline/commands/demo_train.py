"""`questloom demo-train`: trains a tiny model on the learning world, on a CPU, by supervised
fine-tuning and GRPO. The demo shows the model's behaviour before and after training."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from questloom.files.opened import Opened
from questloom.files.parquet import read_metadata, read_records
from questloom.knowledge.world.learning import ARTICLES
from questloom.pipeline.commands.demo import SNAPSHOT, write_once
from questloom.pipeline.export.run_end import finish_run
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.runners.progress import say, staged
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import run_synth
from questloom.pipeline.teach.teach_job import recipe_for, run_teach
from questloom.records.errors import QuestloomError
from questloom.records.trajectories import Trajectory

RECIPE, SFT, GRPO = "learning", "learning", "grpo-learning"
BASE, TUNED, LEARNED = "base", "after SFT", "after GRPO"
CURVES = {
    "sft": (
        ("loss", "loss in fine-tuning"),
        ("validation_loss", "loss on rows that it is not taught"),
    ),
    "grpo": (
        ("reward", "reward of GRPO's rollouts"),
        ("held_out/pass_rate", "right answers, held out"),
        ("held_out/valid_turns", "valid turns, held out"),
        ("tool_use", "episodes with a tool call"),
        ("turns", "turns an episode"),
        ("entropy", "entropy, nats a token"),
    ),
}
"""The plotted figures of both trainings."""
BARS = "▁▂▃▄▅▆▇█"


def tiny_base() -> Path:
    """The folder of the shipped tiny model."""
    return Path(str(files("questloom.models") / "tiny_base"))


def run_demo_train(out: Path, *, seed: int, steps: int, workers: int) -> str:
    """Runs or resumes all steps under `out`. Returns the text for the user.

    Args:
        seed: the seed of the world and of both trainings.
        steps: the number of GRPO steps.

    Raises:
        InputError: `out` holds another demo, or cannot be used.
        QuestloomError: a step failed; the same command continues.
    """
    from questloom.pipeline.commands.demo_train_page import (  # these import torch
        measured,
        write_page,
    )
    from questloom.train.run.output_lock import lock_output

    lock_output(out, {"seed": seed, "steps": steps}, {})
    took: dict[str, float] = {}
    with timed("world, store, questions, trajectories", took):
        run, store = prepare(out, seed=seed, workers=workers)
    sft, grpo = out / "sft", out / "grpo"
    with timed("SFT", took):
        say("demo: supervised fine-tuning on the oracle's episodes")
        training(
            "questloom.train.sft",
            "--config",
            SFT,
            "--data",
            str(run),
            "--model",
            str(tiny_base()),
            "--out",
            str(sft),
            "--set",
            f"seed={seed}",
        )
    with timed("GRPO", took):
        say(
            f"demo: GRPO, {steps} steps; held-out questions are played before, in between and after"
        )
        training(
            "questloom.train.grpo",
            "--config",
            GRPO,
            "--run",
            str(run),
            "--store",
            str(store),
            "--model",
            str(sft / "model"),
            "--out",
            str(grpo),
            "--set",
            f"seed={seed}",
            "--set",
            f"step.steps={steps}",
            "--set",
            "evaluation.every=10",
            "--set",
            "evaluation.rollouts=1",
        )
    with timed("held-out episodes", took):
        played = {
            name: held_out(out, name, model, run, store)
            for name, model in (
                (BASE, tiny_base()),
                (TUNED, sft / "model"),
                (LEARNED, grpo / "model"),
            )
        }
    told = {
        title: values(read_metrics(out / kind), name)
        for kind, named in CURVES.items()
        for name, title in named
    }
    page = write_page(out, played, told)
    rewards = [value for _, value in values(read_metrics(grpo), "reward")]
    return "\n".join(
        [
            *summary({name: measured(found) for name, found in played.items()}, rewards),
            "",
            f"report    {page}",
            "          open it in a browser; it needs no server",
            f"policy    {grpo / 'model'}",
            f"took      {sum(took.values()):.0f} s: "
            + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in took.items()),
        ]
    )


@contextmanager
def timed(name: str, took: dict[str, float]) -> Iterator[None]:
    """Records how many seconds a part of the demo took."""
    began = time.monotonic()
    yield
    took[name] = time.monotonic() - began


def prepare(
    out: Path, *, seed: int, workers: int, recipe: Recipe | None = None
) -> tuple[Path, Path]:
    """Makes a learning world with its store, its questions and the oracle's episodes. Returns the
    run and the store.

    Args:
        recipe: the run's recipe, by default the shipped one.
    """
    started = time.time()
    world, store, run = out / "world", out / "store", out / "run"
    write_once(world, articles=ARTICLES, seed=seed, learning=True, workers=workers)
    with staged("store") as progress:
        run_ingest(
            IngestOptions(
                store=str(store),
                articles=(str(world / "articles.xml.bz2"),),
                entities=(str(world / "entities.json.bz2"),),
                images=(str(world / "images"),),
                snapshot=SNAPSHOT,
                workers=workers,
            ),
            progress,
        )
    with Opened() as opened:
        recipe = recipe or load_recipe(RECIPE)
        job = Job.at(recipe, run=str(run), store=str(store), opened=opened)
        funnel = run_synth(recipe, store=str(store), out=str(run), opened=opened, workers=workers)
        run_teach(
            recipe_for(str(run)), run=str(run), store=str(store), opened=opened, workers=workers
        )
        finish_run(job, funnel, started=started)
    return run, store


def training(module: str, *arguments: str) -> None:
    """Runs a module's command line in a separate process on one core. Small models on shared cores
    run several times slower with one thread per core.

    Raises:
        QuestloomError: the process ended with an error, which it has printed.
    """
    code = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    ).returncode
    if code:
        raise QuestloomError(
            f"{module} ended with exit code {code}; the same command continues from what it has written"
        )


def held_out(out: Path, name: str, model: Path, run: Path, store: Path) -> list[Trajectory]:
    """A model's episodes on the held-out questions. Episodes of an earlier call are read from disk."""
    path = out / "held_out" / f"{name.replace(' ', '_')}.parquet"
    if read_metadata(path) is None:
        say(f"demo: held-out questions, {name}")
        training(
            "questloom.pipeline.commands.held_out_play", str(model), str(run), str(store), str(path)
        )
    return list(read_records(path, Trajectory))


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The lines in the file of a training's metrics."""
    return [
        json.loads(line)
        for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def values(lines: Sequence[dict[str, Any]], name: str) -> list[tuple[int, float]]:
    """The values of one figure in a training's metrics, each as a pair (number of the update,
    value)."""
    return [(line["update"], line[name]) for line in lines if name in line]


def bars(numbers: Sequence[float]) -> str:
    """Draws numbers as a row of bars, in text. The scale of the bars runs from the smallest to the
    largest number.

    >>> bars([0.0, 0.5, 1.0])
    '▁▅█'
    """
    low, high = min(numbers), max(numbers)
    return "".join(BARS[round((n - low) / ((high - low) or 1) * (len(BARS) - 1))] for n in numbers)


def summary(measured: Mapping[str, Mapping[str, float]], rewards: Sequence[float]) -> list[str]:
    """The figures of each model on the held-out questions, and GRPO's reward for each step, for the terminal."""
    made = [f"held-out questions  {''.join(f'{name:>12}' for name in measured)}"]
    for figure in next(iter(measured.values())):
        made.append(
            f"{figure:20}{''.join(f'{found[figure]:12.3f}' for found in measured.values())}"
        )
    return [
        *made,
        f"reward of GRPO's own rollouts, step by step  {rewards[0]:.3f} {bars(rewards)} {rewards[-1]:.3f}",
    ]
