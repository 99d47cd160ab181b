"""`questloom demo-train`: the learning world, a tiny base, supervised fine-tuning and GRPO on a CPU, with what the policy does before and after."""
import html
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from files.opened import Opened
from files.parquet import write_whole
from knowledge.world.learning import ARTICLES
from pipeline.commands.demo import SNAPSHOT, write_once
from pipeline.export.run_end import finish_run
from pipeline.ingest.store_job import IngestOptions, run_ingest
from pipeline.recipe import Recipe, load_recipe
from pipeline.runners.progress import say, staged
from pipeline.synth.job import Job
from pipeline.synth.synth_job import run_synth
from pipeline.teach.teach_job import recipe_for, run_teach
from records.errors import QuestloomError

RECIPE, SFT, GRPO = "learning", "learning", "grpo-learning"
BARS = "▁▂▃▄▅▆▇█"
SHOWN = ("reward", "held_out/pass_rate", "held_out/valid_turns", "held_out/turns", "entropy")
"""Figures of GRPO that are told at the end."""


def tiny_base() -> Path:
    """The folder of the shipped base (`train/tiny_base/`)."""
    return Path(str(files("models") / "tiny_base"))


def run_demo_train(out: Path, *, seed: int, steps: int, workers: int) -> str:
    """Runs or resumes everything under `out`; gives the words for the user.

    Args:
        seed: of the world, and of both trainings.
        steps: of GRPO.

    Raises:
        QuestloomError: a part broke off; the same command goes on.
    """
    began = time.monotonic()
    run, store = prepare(out, seed=seed, workers=workers)
    sft, grpo = out / "sft", out / "grpo"
    say("demo: supervised fine-tuning on the oracle's episodes")
    training("sft", "--config", SFT, "--data", str(run), "--model", str(tiny_base()), "--out", str(sft), "--set", f"seed={seed}")
    say(f"demo: GRPO, {steps} steps; held-out questions are played before, in between and after")
    training("grpo", "--config", GRPO, "--run", str(run), "--store", str(store), "--model", str(sft / "model"), "--out", str(grpo), "--set",
             f"seed={seed}", "--set", f"step.steps={steps}")
    lines = read_metrics(grpo)
    write_whole(out / "report.html", _page(lines).encode())
    return "\n".join([*_summary(lines), "", f"report    {out / 'report.html'}", f"policy    {grpo / 'model'}", f"took      {time.monotonic() - began:.0f} s"])


def prepare(out: Path, *, seed: int, workers: int, recipe: Recipe | None = None) -> tuple[Path, Path]:
    """A learning world with its store, its questions and the oracle's episodes; gives run and store.

    Args:
        recipe: of the run, by default the shipped one.
    """
    started = time.time()
    world, store, run = out / "world", out / "store", out / "run"
    write_once(world, articles=ARTICLES, seed=seed, learning=True, workers=workers)
    with staged("store") as progress:
        run_ingest(IngestOptions(store=str(store), articles=(str(world / "articles.xml.bz2"),), entities=(str(world / "entities.json.bz2"),),
                                 images=(str(world / "images"),), snapshot=SNAPSHOT, workers=workers), progress)
    with Opened() as opened:
        recipe = recipe or load_recipe(RECIPE)
        job = Job.at(recipe, run=str(run), store=str(store), opened=opened)
        funnel = run_synth(recipe, store=str(store), out=str(run), opened=opened, workers=workers)
        run_teach(recipe_for(str(run)), run=str(run), store=str(store), opened=opened, workers=workers)
        finish_run(job, funnel, started=started)
    return run, store


def training(trainer: str, *arguments: str) -> None:
    """Runs a trainer in a process of its own, on one core: small models on shared cores run several times slower with a thread a core.

    Raises:
        QuestloomError: it ended with an error, which it has told.
    """
    code = subprocess.run([sys.executable, "-m", f"train.{trainer}", *arguments], env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False).returncode
    if code:
        raise QuestloomError(f"train.{trainer} ended with exit code {code}; the same command goes on from its last checkpoint")


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The lines of a training's metrics."""
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def values(lines: Sequence[dict[str, Any]], name: str) -> list[tuple[int, float]]:
    """(update, value) of a figure."""
    return [(line["update"], line[name]) for line in lines if name in line]


def bars(numbers: Sequence[float]) -> str:
    """Numbers as a row of bars, the smallest and the largest as the ends of the scale.

    >>> bars([0.0, 0.5, 1.0])
    '▁▅█'
    """
    low, high = min(numbers), max(numbers)
    return "".join(BARS[round((n - low) / ((high - low) or 1) * (len(BARS) - 1))] for n in numbers)


def _summary(lines: Sequence[dict[str, Any]]) -> list[str]:
    made = [f"{'':24}{'before':>8}{'after':>8}   GRPO, update by update"]
    for name in SHOWN:
        if found := [value for _, value in values(lines, name)]:
            made.append(f"{name.replace('held_out/', 'held out: ').replace('_', ' '):24}{found[0]:8.3f}{found[-1]:8.3f}   {bars(found)}")
    return made


def _page(lines: Sequence[dict[str, Any]]) -> str:
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{found[0][1]:.3f}</td><td>{found[-1][1]:.3f}</td></tr>"
                   for name in SHOWN if (found := values(lines, name)))
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Questloom: a tiny policy learns</title>
<style>body{{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}}img{{max-width:100%}}td,th{{padding:.2rem 1rem;text-align:left}}</style>
<h1>A tiny policy learns</h1>
<p>A vision-language model of a million parameters was fine-tuned on the oracle's episodes in an invented world, then trained by GRPO with real searches.
Held-out questions are about pictures of the same world that no training question shows.</p>
<table><tr><th></th><th>before GRPO</th><th>after</th></tr>{rows}</table>
<h2>GRPO</h2><img src="grpo/curves.png" alt="Curves of GRPO"><h2>Supervised fine-tuning</h2><img src="sft/curves.png" alt="Curves of supervised fine-tuning">
<p><a href="run/report/index.html">The questions, and the oracle's episodes</a></p></html>
"""
