"""A rank among others, without other processes."""

from dataclasses import dataclass, field
from typing import Any

import torch

from questloom.train.run.parallel import World


@dataclass(frozen=True)
class Among(World):
    """A rank among others whose words are given."""

    others: list[Any] = field(default_factory=list)

    def gather(self, thing: Any) -> list[Any]:
        return [thing, *self.others]


def among(*others: Any) -> Among:
    return Among("ddp", 0, 1 + len(others), torch.device("cpu"), others=list(others))
