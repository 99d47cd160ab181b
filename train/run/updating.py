"""Sets the precision in which an update multiplies matrices, and makes optimiser steps that refuse
infinite gradients and NaN.
"""

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
    """A gradient is infinite or NaN. The update left the weights unchanged."""


def products(precision: str, at: World) -> AbstractContextManager[Any]:
    """A block with autocast if matrices are multiplied in bf16, except under FSDP2, which converts
    dtypes itself."""
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
    """Clips the gradient, sets the learning rate and makes an optimiser step. All ranks must call this function together.

    Args:
        update: number of the update, 0 to updates − 1.
        about: a description of the loss and its rows, for the error message.

    Raises:
        NotFinite: the gradient is infinite or NaN. The weights are left unchanged.
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
