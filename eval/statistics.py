"""Pass@k without bias, and intervals that take questions, not attempts, as what was drawn at random."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

RESAMPLES = 10_000
LEVEL = 0.95
DIGITS = 6
"""Of what is stored: sums of floats differ in their last digits by machine."""


@dataclass(frozen=True)
class Estimate:
    """A share with its interval."""

    value: float
    low: float
    high: float

    def as_json(self) -> dict[str, float]:
        """Rounded, so that it is the same on every machine."""
        return {
            "value": round(self.value, DIGITS),
            "low": round(self.low, DIGITS),
            "high": round(self.high, DIGITS),
        }

    @classmethod
    def of(cls, facts: dict[str, Any]) -> "Estimate":
        """What `as_json` gave."""
        return cls(facts["value"], facts["low"], facts["high"])


def pass_at_k(num_attempts: int, num_correct: int, k: int) -> float:
    """The chance that at least one of k attempts, drawn without replacement from those made, is right (Chen et al. 2021, arXiv 2107.03374, eq. 1).

    Args:
        num_attempts: n, at least k.
        num_correct: c.
        k: at least 1.

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
    """The mean of one value a question, with its 95 % interval over questions.

    The interval is the percentile bootstrap over questions: attempts at one question are no independent draws, so a question is taken with all of
    its attempts. Where all questions have one value, resampling shows no spread at all; for 0 and 1 the exact interval of as many questions of
    which none (all) were solved stands there.

    Args:
        values: of each question, 0 to 1, in an order that does not change.
        seed: of the draws.
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
    )  # few: drawing questions is drawing their values
    drawn = generator.multinomial(num, counts / num, size=RESAMPLES)  # (resamples, kinds)
    low, high = np.quantile(drawn @ kinds / num, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(mean, float(low), float(high))


def powers(num_attempts: int) -> list[int]:
    """The k for which pass@k is reported: 1, 2, 4, … and the number of attempts.

    >>> powers(1), powers(6)
    ([1], [1, 2, 4, 6])
    """
    return sorted(
        {num_attempts, *(2**i for i in range(num_attempts.bit_length()) if 2**i <= num_attempts)}
    )
