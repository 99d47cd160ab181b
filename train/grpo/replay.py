"""Repeats an update of GRPO from the stored rows.

    python -m questloom.train.grpo.replay OUT --update 12

The replay starts at the newest checkpoint before the update, and repeats all updates from there. On
the same machine and with the same number of processes, the repeated update equals the original bit
for bit.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor

from questloom.files.settings_files import settings_of
from questloom.records.errors import InputError, QuestloomError
from questloom.train.grpo.setup import Trainer, load, trainer_of
from questloom.train.run.metrics import read_metrics
from questloom.train.run.output_lock import together
from questloom.train.run.parallel import World, world
from questloom.train.settings.grpo_settings import GrpoSettings

HELP = """\
Runs an update of a run of GRPO again, from the newest checkpoint before it (else from the model that the run began with), and compares its figures,
and its weights where a checkpoint of them stands, with what was written down. Nothing of the run is changed.

  python -m questloom.train.grpo.replay OUT --update 12
  torchrun --nproc_per_node 8 -m questloom.train.grpo.replay OUT --update 12        of a run with eight processes
"""
COMPARED = ("loss", "grad_norm", "lr", "entropy", "labels", "rows")


class UpdateMismatch(QuestloomError):
    """A repeated update gives a different result from the original."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code: 2 for wrong input, 1 if the update gives a
    different result."""
    parser = argparse.ArgumentParser(
        prog="python -m questloom.train.grpo.replay",
        description=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("out", metavar="OUT", help="the folder of a run of GRPO")
    parser.add_argument("--update", required=True, type=int, metavar="K", help="which, from 1")
    given = parser.parse_args(arguments)
    try:
        told = replay(Path(given.out), given.update)
    except QuestloomError as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    if told:
        print(told)
    return 0


def replay(out: Path, update: int) -> str:
    """Repeats an update and compares its result with the result of the original update. All ranks
    must call this function together.

    Args:
        out: the folder of the training run.
        update: number of the update, from 1.

    Returns:
        A report in words; "" on all ranks but the first.

    Raises:
        InputError: the run or the update is missing, or the run had another number of processes.
        UpdateMismatch: the repeated update gives a different result; the error states the figures.
    """
    path = out / "settings.json"
    if not path.is_file():
        raise InputError(
            str(out),
            "is no run of GRPO (no settings.json in it)",
            "Name the folder given to questloom.train.grpo --out.",
        )
    facts = json.loads(path.read_text(encoding="utf-8"))
    settings = settings_of(GrpoSettings, facts["settings"], str(path))
    with world(settings.parallel) as at:
        model = load(facts["run"]["model"], settings, at)
        trainer = trainer_of(model, settings, out, at)
        step = (update - 1) // settings.step.updates
        begun = together(at, lambda: _checked(trainer, update, step, settings, at))
        before = together(at, lambda: _noted(out, update))
        if begun:
            trainer.checkpoints.load(begun, trainer.policy, trainer.learner.optimiser, at)
        found: list[dict[str, float]] = []
        for each in range(begun // settings.step.updates, step + 1):
            found = trainer.learner.learn(together(at, partial(trainer.steps.read, each, at)), each)
        compared = _weights(trainer, (step + 1) * settings.step.updates, at)
    now = found[(update - 1) % settings.step.updates]
    different = [
        f"{name} was {before[name]!r} and is {now[name]!r}"
        for name in COMPARED
        if name in before and before[name] != now[name]
    ]
    if compared is False:
        different.append("the weights are not those of the checkpoint")
    if different:
        raise UpdateMismatch(f"update {update} comes out otherwise: {'; '.join(different)}")
    weights = "" if compared is None else "; the weights are those of the checkpoint bit for bit"
    start = f"after update {begun}" if begun else "from the model that the run began with"
    return (
        f"update {update} again, {start}: loss {now['loss']!r}, gradient norm {now['grad_norm']!r}, as before{weights}"
        if at.first
        else ""
    )


def _checked(trainer: Trainer, update: int, step: int, settings: GrpoSettings, at: World) -> int:
    """The number of the update whose checkpoint the replay starts from; 0 to start from the
    original model.

    Raises:
        InputError: the update cannot be repeated.
    """
    whole = trainer.steps.steps()
    if not 1 <= update <= settings.updates or step not in whole:
        raise InputError(
            f"--update {update}",
            "was not made, or its rows were not kept",
            f"Steps whose rows are here: {_ranges(whole)}; "
            f"a step has {settings.step.updates} updates.",
        )
    ready = [made for made in trainer.checkpoints.updates() if made <= step * settings.step.updates]
    begun = max(ready, default=0)
    missing = [each for each in range(begun // settings.step.updates, step) if each not in whole]
    if missing:
        raise InputError(
            f"--update {update}",
            f"needs the rows of step {missing[0]}, since the newest checkpoint before it is of update {begun}",
            "Keep more (keep.replay_steps, keep.checkpoints).",
        )
    ranks = (trainer.steps.read_facts(step) or {})["ranks"]
    if ranks != at.size:
        raise InputError(
            f"--update {update}",
            f"was made by {ranks} processes, and there are {at.size}",
            "Start as many: torchrun --nproc_per_node.",
        )
    return begun


def _ranges(numbers: Sequence[int]) -> str:
    return f"{numbers[0]} to {numbers[-1]}" if numbers else "none"


def _noted(out: Path, update: int) -> dict[str, Any]:
    """Reads the metrics that the run recorded for an update. The metrics of an update without any
    rows have fewer fields.

    Raises:
        InputError: the update has no metrics.
    """
    found = next(
        (line for line in read_metrics(out) if line["update"] == update and "loss" in line), None
    )
    if found is None:
        raise InputError(
            f"--update {update}",
            "was played and not yet made",
            "Run questloom.train.grpo again first, as before.",
        )
    return found


def _weights(trainer: Trainer, update: int, at: World) -> bool | None:
    """Whether the weights equal those in the checkpoint after an update; None if there is no such
    checkpoint. All ranks must call this function together.
    """
    if not at.gather(update in trainer.checkpoints.updates())[0]:
        return None
    now = _local(trainer.policy)
    trainer.checkpoints.load(update, trainer.policy, trainer.learner.optimiser, at)
    then = _local(trainer.policy)
    return all(at.gather(all(torch.equal(now[name], then[name]) for name in now)))


def _local(policy: nn.Module) -> dict[str, Tensor]:
    """This rank's part of the trained weights."""
    return {
        name: (p.to_local() if isinstance(p, DTensor) else p).detach().clone()
        for name, p in policy.named_parameters()
        if p.requires_grad
    }


if __name__ == "__main__":
    sys.exit(main())
