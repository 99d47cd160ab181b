"""Advantages of rollouts.

Each rollout is compared with its group: all rollouts of the same question.

The group's mean and standard deviation cover all known rewards, also those of fatal rollouts. A
rollout with an unknown reward counts neither in the group's statistics nor in the loss.
"""

import torch
from torch import Tensor

from questloom.train.credit.credit_rules import Statistic

DELTA = 1e-6


def has_variance(rewards: Tensor) -> bool:
    """Whether the rewards of a group differ. A group whose rewards are all equal
    teaches the policy nothing.

    The rewards are compared exactly, because in floating point the standard deviation of eight
    rewards of 0.1 is not 0.

    Args:
        rewards: (n,) rewards, NaN if unknown.

    >>> has_variance(torch.tensor([0.1] * 8)), has_variance(torch.tensor([1.0, float("nan")])), has_variance(torch.tensor([0.0, 1.0]))
    (False, False, True)
    """
    known = rewards[~rewards.isnan()]
    return len(known) > 1 and bool((known != known[0]).any())


def advantages(rewards: Tensor, statistic: Statistic, *, delta: float = DELTA) -> Tensor:
    """How much each rollout's reward exceeds the mean reward of its group (all rollouts of the
    question).

    Args:
        rewards: (n,) rewards, NaN if unknown.

    Returns:
        (n,) the advantages of the rollouts. An advantage is 0 if the reward is unknown, and exactly
            0 if all rewards are equal.

    >>> group = torch.tensor([0.0, 0, 0, 1, 1, 0, 0, 0])
    >>> [round(advantages(group, statistic)[0].item(), 3) for statistic in ("population", "sample", "leave_one_out")]
    [-0.577, -0.54, -0.286]
    >>> one_right = torch.tensor([1.0, 0, 0, 0])
    >>> [[round(x, 3) for x in advantages(one_right, statistic).tolist()[:2]] for statistic in ("population", "sample", "leave_one_out")]
    [[1.732, -0.577], [1.5, -0.5], [1.0, -0.333]]
    >>> advantages(torch.tensor([1.0, float("nan"), 0.0]), "leave_one_out")
    tensor([ 1.,  0., -1.])
    """
    made = torch.zeros_like(rewards)
    if not has_variance(rewards):
        return made
    known = ~rewards.isnan()
    told = rewards[known]
    centred = told - told.mean()
    made[known] = (
        centred * len(told) / (len(told) - 1)
        if statistic == "leave_one_out"
        else (centred / (told.std(correction=1 if statistic == "sample" else 0) + delta))
    )
    return made
