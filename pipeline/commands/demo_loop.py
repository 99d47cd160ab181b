"""`questloom demo-loop`: three rounds of the closed loop on the learning world, with a tiny policy on a CPU."""

import json
import time
from pathlib import Path
from typing import Any

from questloom.files.opened import Opened
from questloom.files.parquet import write_whole
from questloom.pipeline.commands.demo_train import SFT, prepare, tiny_base, training
from questloom.pipeline.evolve.before_after import read
from questloom.pipeline.evolve.loop import begin_loop, run_loop
from questloom.pipeline.evolve.loop_folder import LoopFolder
from questloom.pipeline.evolve.subset import questions_of
from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.runners.progress import say
from questloom.records.share import Share
from questloom.transforms.stages.run_folder import RunFolder

RECIPE = "learning_loop"
POLICY_RUN_SETTINGS = (
    "seeds.count=384",
    "seeds.levels={easy: 0.4, medium: 0.4, hard: 0.2}",
    "export.rl_share=0.3",
)
"""Overrides of the loop's recipe, for the run on which the policy is fine-tuned. Some questions of
the fine-tuning run are longer, so that the policy has seen how a long question is solved."""


def run_demo_loop(out: Path, *, seed: int, workers: int) -> str:
    """Runs or resumes all steps under `out`. Returns the text for the user.

    Args:
        seed: the seed of the world, of the fine-tuning and of the loop.

    Raises:
        QuestloomError: a step failed; the same command continues.
    """
    began = time.monotonic()
    policy, store, known = start(out, seed=seed, workers=workers)
    say("demo: three rounds of the loop: questions, rollouts, diagnosis, a better recipe, GRPO")
    loop = loop_of(out / "loop", policy, store, known, seed=seed)
    with Opened() as opened:
        report = run_loop(loop, opened, workers=workers, say=say)
    return "\n".join(
        [
            *summary(loop),
            "",
            f"report    {report}",
            f"policy    {loop.rounds()[-1].read('train')['model']}",
            f"took      {time.monotonic() - began:.0f} s",
        ]
    )


def start(out: Path, *, seed: int, workers: int) -> tuple[Path, Path, Path]:
    """Makes a learning world with its store, and fine-tunes a tiny policy (the model that plays) on
    episodes of the oracle, a scripted agent.

    Returns the policy's model, the store, and a file of the entities in the training questions; no
    round asks about these entities."""
    run, store = prepare(
        out, seed=seed, workers=workers, recipe=load_recipe(RECIPE, POLICY_RUN_SETTINGS)
    )
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
        str(out / "sft"),
        "--set",
        f"seed={seed}",
    )
    known = out / "known.txt"
    taught = {
        entity
        for q in questions_of(RunFolder(str(run)))
        if q.split.startswith("sft/")
        for entity in (q.seed_entity, q.anchor)
        if entity
    }
    write_whole(known, "".join(f"{entity}\n" for entity in sorted(taught)).encode())
    return out / "sft" / "model", store, known


def loop_of(
    out: Path, policy: Path, store: Path, known: Path, *, seed: int, overrides: tuple[str, ...] = ()
) -> LoopFolder:
    """Begins or opens a loop with the demo's recipe.

    Args:
        policy: the folder of the policy's first model.
        known: the file of entities that no round asks about.
        overrides: values for the recipe's keys.
    """
    sets = (
        f"seed={seed}",
        f"evolve.policy.model={json.dumps(str(policy.absolute()))}",
        f"seeds.exclude={json.dumps([str(known.absolute())])}",
    )
    return begin_loop(str(out), load_recipe(RECIPE, (*sets, *overrides)), str(store))


def summary(loop: LoopFolder) -> list[str]:
    """Returns a text with one line for each round, and with the effect of the training."""
    made = [
        f"{'':9}{'tasks':>6}{'too easy':>10}{'match':>7}{'recoverable':>13}{'too hard':>10}{'broken':>8}{'pass rate':>11}   edits for the next round"
    ]
    for at in loop.rounds():
        found, edits = at.read("verify"), at.read("update")["edits"]
        tags = found["tags"]
        words = ", ".join(f"{e['path']} {e['before']} → {e['after']}" for e in edits) or "none"
        made.append(
            f"round {at.number:<3}{len(found['tasks']):6}{tags['too_easy']:10}{tags['good_match']:7}{tags['recoverable']:13}{tags['too_hard']:10}"
            f"{tags['fake_hard']:8}{found['pass_rate']['share'] or 0:11.2f}   {words}"
        )
    if compared := read(loop):
        made += [
            "",
            f"held-out tasks, right before training  {_words(compared['before'])}",
            f"                      after training   {_words(compared['after'])}",
        ]
    return made


def _words(share: dict[str, Any]) -> str:
    return str(Share(share["good"], share["judged"]))
