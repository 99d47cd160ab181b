"""The last step of a round with training. The step runs the trainer's own command on those tasks of
the round that are good for training."""

import gc
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from questloom.files.opened import Opened
from questloom.files.parquet import read_records, write_records
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.subset import write_subset
from questloom.pipeline.evolve.tags import SOUND
from questloom.pipeline.evolve.task_row import read_rows
from questloom.pipeline.evolve.verify import policy_of, policy_settings
from questloom.pipeline.recipe import Recipe
from questloom.records.errors import InputError, QuestloomError
from questloom.records.trajectories import Trajectory
from questloom.train.settings.grpo_settings import load_grpo_settings
from questloom.transforms.episodes.episode_folder import KEEP, TEACHER, EpisodeFolder

LEAST_TASKS = 3
"""A round trains only if at least this number of its tasks are good for training. Fewer good tasks
mean that a provider's faults have spoiled the round, or that the round's recipe is broken."""


def model_to_train(recipe: Recipe, newest: str = "") -> str:
    """The folder of the model that the trainer starts from.

    Args:
        newest: the folder of the model that an earlier round trained; "" if no round has trained
            yet.

    Raises:
        InputError: no model is named, or the policy's engine cannot play the trained model.
    """
    rules = recipe.evolve.train
    assert rules is not None
    policy, learns_from_teacher = policy_settings(recipe, ""), recipe.evolve.mode == "sft"
    if policy.engine != "transformers" and not learns_from_teacher:
        raise InputError(
            "evolve.train",
            f"trains weights that the engine {policy.engine} does not play",
            "Let the policy play by the engine transformers.",
        )
    model = newest or rules.model or ("" if learns_from_teacher else policy.model)
    if not model:
        raise InputError(
            "evolve.train",
            "names no model, and no policy has one",
            "Set evolve.train.model or evolve.policy.model.",
        )
    return model


def train(loop: LoopFolder, at: RoundFolder, opened: Opened) -> None:
    """Trains the policy, or records why the round does not train it.

    Args:
        opened: the models that this process has open. The open models are closed before the trainer
            starts.

    Raises:
        InputError: no model is named.
        QuestloomError: the trainer failed. The same command continues from the trainer's
            checkpoint.
    """
    rules = loop.recipe.evolve.train
    sound = [row.id for row in read_rows(at) if row.tag in SOUND]
    if rules is None or len(sound) < LEAST_TASKS:
        why = "the recipe names no trainer" if rules is None else "too few sound tasks"
        at.write("train", {"command": [], "model": at.model, "tasks": len(sound), "why": why})
        return
    write_subset(at.batch, at.data, sound)
    out = at.path / "train"
    made = command(loop, at, out, num_tasks=len(sound))
    if rules.trainer == "sft":
        write_episodes(
            EpisodeFolder.of(at.batch, policy_of(loop.recipe)),
            EpisodeFolder.of(at.data, TEACHER),
            sound,
        )
    if not (out / "model").is_dir() or not (out / "result.json").is_file():
        _give_memory_back(opened)
        done = subprocess.run(made, check=False)
        if done.returncode:
            raise QuestloomError(
                f"the trainer ended with exit code {done.returncode}; the same command goes on from its last checkpoint"
            )
    at.write(
        "train", {"command": made, "model": str(out / "model"), "tasks": len(sound), "why": ""}
    )


def _give_memory_back(opened: Opened) -> None:
    """Frees this process's GPU memory: the trainer is a separate process and needs the same GPU."""
    import torch

    opened.close()
    gc.collect()
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def command(loop: LoopFolder, at: RoundFolder, out: Path, *, num_tasks: int) -> list[str]:
    """The command line that starts the trainer. Each round has its own random seed. One step of
    GRPO uses at most as many tasks as the round has.

    Raises:
        InputError: `model_to_train` finds no model.
    """
    rules = loop.recipe.evolve.train
    assert rules is not None
    model = model_to_train(loop.recipe, at.model)
    # torchrun would take `--run` as its own option
    data = (
        ["--questions", at.data.path, "--store", loop.store]
        if rules.trainer == "grpo"
        else ["--data", at.data.path]
    )
    chosen = [f"seed={loop.seed_of(f'round {at.number}')}", *rules.set]
    if (
        rules.trainer == "grpo"
        and num_tasks < load_grpo_settings(rules.config, rules.set).step.questions
    ):
        chosen.append(f"step.questions={num_tasks}")
    sets = [part for setting in chosen for part in ("--set", setting)]
    return [
        *(rules.launcher or (sys.executable,)),
        "-m",
        f"questloom.train.{rules.trainer}",
        "--config",
        rules.config,
        *data,
        "--model",
        model,
        "--out",
        str(out),
        *sets,
    ]


def write_episodes(source: EpisodeFolder, target: EpisodeFolder, ids: Collection[str]) -> None:
    """Writes the kept trajectories of some questions into a folder from which a trainer can read.
    The pictures are not copied: the new folder links to those of the source."""
    wanted, label = frozenset(ids), source.label(KEEP)
    for path in source.shards(label, "kept"):
        write_records(
            target.shard(label, "kept", int(path.stem.split("-")[1])),
            Trajectory,
            [t for t in read_records(path, Trajectory) if t.question_id in wanted],
        )
    here, there = Path(target.path), Path(source.path)
    shutil.copy(there / "prompt.json", here / "prompt.json")
    if not (here / "pictures").exists():
        (here / "pictures").symlink_to(there.absolute() / "pictures", target_is_directory=True)
