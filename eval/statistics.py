"""Unbiased pass@k, and confidence intervals over questions.

The intervals treat the questions as the random sample, not the attempts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

RESAMPLES = 10_000
LEVEL = 0.95
DIGITS = 6
"""The number of decimals to which stored scores are rounded. The last digits of a score may differ
between machines, and rounding removes these digits.
"""


@dataclass(frozen=True)
class Estimate:
    """A share with its confidence interval."""

    value: float
    low: float
    high: float

    def as_json(self) -> dict[str, float]:
        """The share and its interval, rounded so that all machines give the same numbers."""
        return {
            "value": round(self.value, DIGITS),
            "low": round(self.low, DIGITS),
            "high": round(self.high, DIGITS),
        }

    @classmethod
    def of(cls, facts: dict[str, Any]) -> "Estimate":
        """Makes an `Estimate` from the output of `as_json`."""
        return cls(facts["value"], facts["low"], facts["high"])


def pass_at_k(num_attempts: int, num_correct: int, k: int) -> float:
    """The probability that at least one of k attempts is right.

    The k attempts are drawn without replacement from all attempts (Chen et al. 2021, arXiv
    2107.03374, eq. 1).

    Args:
        num_attempts: the number n of attempts, which is at least k.
        num_correct: c.
        k: number of attempts to draw, at least 1.

    >>> pass_at_k(4, 1, 1), pass_at_k(4, 1, 4), round(pass_at_k(4, 2, 2), 4)
    (0.25, 1.0, 0.8333)
    """
    assert 1 <= k <= num_attempts and 0 <= num_correct <= num_attempts, (
        num_attempts,
        num_correct,
        k,
    )
    return 1.0 - math.comb(num_attempts - num_correct, k) / math.comb(num_attempts, k)


def clustered(values: Sequence[float], *, seed: int = 0) -> Estimate:
    """Returns a mean over questions with its 95 % interval. Each question gives one value.

    The interval is a percentile bootstrap. Attempts at the same question are not independent. The
    bootstrap therefore draws whole questions, with all their attempts. If all questions have the
    same value, a bootstrap interval would have no width. In this case the interval therefore has
    the exact width for 0 successes in n questions (Clopper and Pearson).

    Args:
        values: one value from 0 to 1 for each question, in a fixed order.
        seed: random seed of the bootstrap's draws.
    """
    if not values:
        return Estimate(math.nan, 0.0, 1.0)
    given = np.asarray(values, dtype=np.float64)  # (questions,)
    mean, num = float(given.mean()), len(given)
    if (given == given[0]).all():
        tail = 1 - ((1 - LEVEL) / 2) ** (1 / num)  # Clopper and Pearson for 0 of n
        return Estimate(mean, max(0.0, mean - tail), min(1.0, mean + tail))
    generator = np.random.Generator(np.random.PCG64(seed))
    kinds, counts = np.unique(
        given, return_counts=True
    )  # few values: drawing questions is drawing their values
    drawn = generator.multinomial(num, counts / num, size=RESAMPLES)  # (resamples, kinds)
    low, high = np.quantile(drawn @ kinds / num, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(mean, float(low), float(high))


def powers(num_attempts: int) -> list[int]:
    """The values of k for which pass@k is reported: 1, 2, 4, … and the number of attempts.

    >>> powers(1), powers(6)
    ([1], [1, 2, 4, 6])
    """
    return sorted(
        {num_attempts, *(2**i for i in range(num_attempts.bit_length()) if 2**i <= num_attempts)}
    )
