"""Ranges: a number that is not known yet, as low, likely and high. Low and high are meant as the ends of a 90 % interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.645
"""Standard deviations from the middle to the ends of a 90 % interval."""
PRIOR_WEIGHT = 4.0
"""A prior counts as much as so many measured items."""


@dataclass(frozen=True)
class Range:
    """Low, likely and high; none is negative."""

    low: float
    likely: float
    high: float

    def __mul__(self, other: "Range") -> "Range":
        """The product of two unknowns that do not depend on each other: their relative errors add up by squares.

        Multiplying the ends instead would make the end of twelve stages in a row absurdly low or high.
        """
        likely = self.likely * other.likely
        if min(self.low, other.low) <= 0 or likely <= 0:
            return Range(self.low * other.low, likely, self.high * other.high)
        down = math.hypot(math.log(self.likely / self.low), math.log(other.likely / other.low))
        up = math.hypot(math.log(self.high / self.likely), math.log(other.high / other.likely))
        return Range(likely * math.exp(-down), likely, likely * math.exp(up))

    def __add__(self, other: "Range") -> "Range":
        """The sum; the ends are added, since what makes one cost more as a rule makes the other cost more."""
        return Range(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def scaled(self, factor: float) -> "Range":
        """Times a known number."""
        return Range(self.low * factor, self.likely * factor, self.high * factor)

    def at_most(self, most: float) -> "Range":
        """The range with nothing above `most`."""
        return Range(min(self.low, most), min(self.likely, most), min(self.high, most))

    def as_json(self) -> dict[str, float]:
        return {"low": _short(self.low), "likely": _short(self.likely), "high": _short(self.high)}


def _short(number: float) -> float:
    return float(f"{number:.4g}") if number < 1e6 else float(round(number))


def exactly(number: float) -> Range:
    """A number that is known."""
    return Range(number, number, number)


ZERO = exactly(0.0)


def share_of(kept: int, total: int, prior: Range) -> Range:
    """The share that passes a stage: Wilson's 90 % interval over what was measured and the prior, which weighs four items."""
    num = total + PRIOR_WEIGHT
    share = (kept + PRIOR_WEIGHT * prior.likely) / num
    middle = (share + Z * Z / (2 * num)) / (1 + Z * Z / num)
    half = Z / (1 + Z * Z / num) * math.sqrt(share * (1 - share) / num + Z * Z / (4 * num * num))
    return Range(max(0.0, min(share, middle - half)), share, min(1.0, max(share, middle + half)))


def mean_of(values: Sequence[float], prior: Range) -> Range:
    """The mean of a quantity over all items, from a few of them: 90 %, by the normal approximation.

    With fewer than three values the prior's relative spread is laid around their mean.
    """
    if not values:
        return prior
    mean = sum(values) / len(values)
    if len(values) < 3:
        return Range(
            mean * _ratio(prior.low, prior.likely), mean, mean * _ratio(prior.high, prior.likely)
        )
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    half = Z * deviation / math.sqrt(len(values))
    return Range(max(0.0, mean - half), mean, mean + half)


def _ratio(end: float, likely: float) -> float:
    return end / likely if likely else 1.0
