"""What an update is for whoever trains: the products' precision, and a step of the optimiser that refuses a gradient that is no number."""

import math
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn

from questloom.records.errors import QuestloomError
from questloom.train.model.optimiser import lr_at
from questloom.train.run.parallel import World, clip_gradients
from questloom.train.settings.training_settings import OptimiserSettings


class NotFinite(QuestloomError):
    """A gradient that is no number. The weights are those before the update."""


def products(precision: str, at: World) -> AbstractContextManager[Any]:
    """Autocast where products are in bf16. FSDP2 casts by itself."""
    return (
        torch.autocast(at.device.type, torch.bfloat16)
        if precision == "bf16" and at.kind != "fsdp"
        else nullcontext()
    )


def take_step(
    policy: nn.Module,
    optimiser: torch.optim.Optimizer,
    settings: OptimiserSettings,
    *,
    update: int,
    updates: int,
    about: str,
) -> dict[str, float]:
    """Clips the gradient, sets the learning rate and steps. A collective call.

    Args:
        update: 0 to updates − 1.
        about: the loss and whose rows they are, for the error.

    Raises:
        NotFinite: before anything has changed.
    """
    norm = clip_gradients(policy, settings.max_grad_norm)
    if not math.isfinite(norm):
        raise NotFinite(f"update {update + 1}: the gradient's norm is {norm}, {about}")
    lr = lr_at(settings, update, updates)
    for group in optimiser.param_groups:
        group["lr"] = lr
    optimiser.step()
    optimiser.zero_grad()
    return {"lr": lr, "grad_norm": norm}
