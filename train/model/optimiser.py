"""The AdamW optimiser, and the learning rate of each update."""

import math

import torch
from torch import nn

from questloom.train.settings.training_settings import OptimiserSettings


def adamw(policy: nn.Module, settings: OptimiserSettings) -> torch.optim.AdamW:
    """AdamW over the trained parameters. Matrices get weight decay; norms and biases get none."""
    trained = [p for p in policy.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in trained if p.ndim >= 2], "weight_decay": settings.weight_decay},
        {"params": [p for p in trained if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=settings.lr,
        betas=(settings.beta1, settings.beta2),
        eps=settings.epsilon,
        fused=trained[0].is_cuda,
    )


def lr_at(settings: OptimiserSettings, update: int, updates: int) -> float:
    """The learning rate of an update: first a linear warm-up, then the decay that `schedule` names.

    The learning rate is highest at the last update of the warm-up. Cosine and linear decay reach 0
    after the last update.

    Args:
        update: number of the update, 0 to updates − 1.

    >>> [round(lr_at(OptimiserSettings(lr=1.0, warm_up=0.2), update, 10), 3) for update in range(10)]
    [0.5, 1.0, 1.0, 0.962, 0.854, 0.691, 0.5, 0.309, 0.146, 0.038]
    """
    warm = math.ceil(settings.warm_up * updates)
    if update < warm:
        return settings.lr * (update + 1) / warm
    done = (update - warm) / (updates - warm)
    return (
        settings.lr
        * {"cosine": 0.5 * (1 + math.cos(math.pi * done)), "linear": 1 - done, "constant": 1.0}[
            settings.schedule
        ]
    )
