"""One count for all: losses are sums, divided by a number that all ranks and micro-batches share.

Two ranks with two micro-batches of 5, 40, 11 and 90 tokens: the mean over ranks of the means over micro-batches of the mean over tokens
weighs a token of the first 18 times as much as one of the last, and is off by 183 % of the gradient. A sum over all tokens divided by 146
is the same however the tokens are dealt out.
"""

from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class Normaliser:
    """What all ranks agreed on for one update."""

    total: float
    """The count that every sum is divided by: tokens, trajectories, or whatever the normaliser counts."""
    world_size: int = 1

    def share(self, loss_sum: Tensor) -> Tensor:
        """A micro-batch's part of the loss, to call `backward` on. Micro-batches add up; ranks are averaged by DDP and FSDP, hence the factor.
        With accelerate, `gradient_accumulation_steps` stays 1: its division by them would be a second one.

        >>> Normaliser(total=8.0, world_size=2).share(torch.tensor(6.0))
        tensor(1.5000)
        """
        return loss_sum * (self.world_size / self.total)


def sum_over_ranks(count: float, device: torch.device | str = "cpu") -> Normaliser:
    """Adds up every rank's count. A collective call: every rank makes it, once an update.

    Args:
        count: this rank's, over all of its micro-batches.

    Raises:
        ValueError: the sum is not finite, or not above 0.
    """
    total, world_size = count, 1
    if dist.is_initialized():
        counts = torch.tensor(count, dtype=torch.float64, device=device)
        dist.all_reduce(counts)
        total, world_size = counts.item(), dist.get_world_size()
    if not 0 < total < float("inf"):
        raise ValueError(f"a loss cannot be divided by {total}")
    return Normaliser(total, world_size)


def max_over_ranks(number: int, device: torch.device | str = "cpu") -> int:
    """The largest of every rank's numbers: how many micro-batches all of them run. A collective call."""
    if not dist.is_initialized():
        return number
    found = torch.tensor(number, dtype=torch.int64, device=device)
    dist.all_reduce(found, op=dist.ReduceOp.MAX)
    return int(found.item())
