"""Losses are sums over tokens. All ranks and micro-batches divide their sums by the same count.

It would be wrong to take a mean over the tokens of a micro-batch, then over micro-batches, then
over ranks. For example, let two ranks have two micro-batches each. In the example, the first rank
has 5 and 40 tokens, and the second rank has 11 and 90. With means of means, a token of the first
micro-batch weighs 18 times as much as a token of the last, and the gradient is wrong by 183 %. The
correct loss is the sum over all tokens divided by their number (146), however the tokens are
distributed over ranks.
"""

from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class Normaliser:
    """The count of one update, added up over all ranks."""

    total: float
    """The number by which every sum is divided, for example the number of all tokens or
    trajectories."""
    world_size: int = 1

    def share(self, loss_sum: Tensor) -> Tensor:
        """A micro-batch's part of the loss, already divided by the common count. The caller calls
        `backward` on each part, which adds up the gradients of all parts. DDP and FSDP average
        gradients over ranks; therefore each part is multiplied by the number of ranks. With
        accelerate, keep `gradient_accumulation_steps` at 1. With any other value, accelerate would
        divide the loss once more.

        >>> Normaliser(total=8.0, world_size=2).share(torch.tensor(6.0))
        tensor(1.5000)
        """
        return loss_sum * (self.world_size / self.total)


def sum_over_ranks(count: float, device: torch.device | str = "cpu") -> Normaliser:
    """Adds up the counts of all ranks. All ranks must call this function once per update.

    Args:
        count: this rank's count, over all of its micro-batches.

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
    """The maximum of a number over all ranks. Ranks use it to agree on the number of micro-batches.
    All ranks must call this function together."""
    if not dist.is_initialized():
        return number
    found = torch.tensor(number, dtype=torch.int64, device=device)
    dist.all_reduce(found, op=dist.ReduceOp.MAX)
    return int(found.item())
