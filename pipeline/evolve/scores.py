"""Compares recipes by the scores of their tasks."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance
from typing import Any

from questloom.pipeline.evolve.findings import WEIGHTS, WITHOUT_POLICY, overall

ONE_SIDED = 1.645


@dataclass(frozen=True)
class Mean:
    """A mean over tasks with its standard error."""

    value: float
    error: float
    num: int


def score_of(diagnosis: Mapping[str, Any], *, without_policy: bool = False) -> Mean | None:
    """The mean score of a round's tasks; None if a provider's faults spoiled all tasks.

    Args:
        diagnosis: the content of `diagnosis.json`.
        without_policy: whether to use only dimensions that depend on the question alone. Scores
            without the policy make rounds of different policies comparable.
    """
    weights = {
        n: w
        for n, w in WEIGHTS[diagnosis["mode"]].items()
        if not without_policy or n in WITHOUT_POLICY
    }
    batch = {name: score["value"] for name, score in diagnosis["batch"].items()}
    values = [
        overall({n: s["value"] for n, s in task["scores"].items()}, batch, weights)
        for task in diagnosis["tasks"]
    ]
    if not values:
        return None
    return Mean(
        round(fmean(values), 4),
        round(sqrt(variance(values) / len(values)), 4) if len(values) > 1 else 0.0,
        len(values),
    )


def is_worse(later: Mean, earlier: Mean) -> bool:
    """Whether the later mean is significantly lower than the earlier mean. The difference must be
    at least 1.645 times its standard error (one-sided, 95 %). With a limit of one standard error,
    one in six rounds would be rolled back by chance alone.

    >>> is_worse(Mean(1.7, 0.3, 32), Mean(2.4, 0.4, 32)), is_worse(Mean(1.5, 0.3, 32), Mean(2.4, 0.4, 32))
    (False, True)
    """
    return earlier.value - later.value > ONE_SIDED * sqrt(later.error**2 + earlier.error**2)
