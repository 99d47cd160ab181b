"""Checks a loop before its first round. The policy, the teacher and the trainer must be able to
run. The policy must have the same tools and limits in training as in the rounds."""

import dataclasses
import os
import shutil
from pathlib import Path

from questloom.agent.play_settings import PlaySettings
from questloom.agent.setup import check_engine
from questloom.pipeline.evolve.training import model_to_train
from questloom.pipeline.evolve.verify import policy_settings, solver_settings
from questloom.pipeline.recipe import Recipe
from questloom.records.errors import InputError
from questloom.train.settings.grpo_settings import load_grpo_settings
from questloom.train.settings.training_settings import load_settings


def check_players(recipe: Recipe) -> None:
    """Checks what the policy, the teacher and the trainer of a loop need, before the first round
    and without loading a model.

    Raises:
        InputError: an engine lacks a requirement, a folder or launcher does not exist, the trainer
            refuses its settings, or GRPO would train the policy with other tools or limits than the
            rounds use.
    """
    rules, policy = recipe.evolve, policy_settings(recipe, "")
    check_engine(solver_settings(recipe), recipe.models)
    where = "evolve.policy" if rules.mode == "rl" and rules.policy else "teach"
    check_engine(policy, recipe.models, where=where)
    folders = {
        f"{where}.model": policy.model,
        "evolve.train.model": rules.train.model if rules.train else "",
    }
    for key, folder in folders.items():
        if folder.startswith(("/", ".", "~")) and not Path(folder).is_dir():
            if folder.startswith("~"):
                raise InputError(
                    f"{key} {folder}",
                    "is no folder: ~ is not expanded in settings",
                    f"Write it out: {os.path.expanduser(folder)}",
                )
            raise InputError(
                f"{key} {folder}",
                "is no folder",
                "Name the folder of an image-text model of transformers.",
            )
    if rules.train is None:
        return
    model_to_train(recipe)
    if rules.train.launcher and shutil.which(rules.train.launcher[0]) is None:
        raise InputError(
            f"evolve.train.launcher {rules.train.launcher[0]}",
            "is no program that is found here",
            "Activate the environment in which it is installed, or give its path.",
        )
    if rules.train.trainer == "sft":
        load_settings(rules.train.config, rules.train.set)
    elif rules.mode == "sft":
        raise InputError(
            "evolve.train.trainer grpo",
            "trains a policy on its own tries, and in mode sft none plays",
            "Take the trainer sft, or mode rl.",
        )
    else:
        trained = load_grpo_settings(
            rules.train.config, rules.train.set, dataclasses.asdict(recipe.teach.tools)
        )
        _check_same_play(policy, trained.play, rules.train.config)


def _check_same_play(measured: PlaySettings, trained: PlaySettings, config: str) -> None:
    """Raises an error if the tools or the limits in training differ from those in the rounds. The
    policy's prompt names its tools and limits. With different tools or limits, the rounds would
    measure the policy under a prompt for which it was not trained."""
    for section in ("tools", "limits"):
        ours, theirs = (
            dataclasses.asdict(getattr(settings, section)) for settings in (measured, trained)
        )
        if section == "tools":
            ours, theirs = (
                {**found, "tools": sorted(found["tools"])} for found in (ours, theirs)
            )  # the order of tools does not matter
        other = [key for key in ours if ours[key] != theirs[key]]
        if other:
            key = f"{section}.{other[0]}"
            raise InputError(
                f"evolve.policy.{key}",
                f"is {ours[other[0]]!r}, and GRPO would train with {theirs[other[0]]!r} (play.{key} of {config}"
                f"{', else teach.tools' * (section == 'tools')})",
                f'Make them the same: set evolve.policy.{key}, or add "play.{key}=…" to evolve.train.set.',
            )
