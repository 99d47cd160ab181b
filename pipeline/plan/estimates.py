"""Ranges: an unknown number as low, likely and high. Low and high are the ends of a 90 %
interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.645
"""The number of standard deviations from the middle of a 90 % interval to each end."""
PRIOR_WEIGHT = 4.0
"""A prior (an assumed share) weighs as much as this number of measured items."""


@dataclass(frozen=True)
class Range:
    """Low, likely and high; none of the three is negative."""

    low: float
    likely: float
    high: float

    def __mul__(self, other: "Range") -> "Range":
        """The product of two independent unknowns. The relative errors add up as squares.

        The product of all ends would give absurdly low or high ends after twelve stages.
        """
        likely = self.likely * other.likely
        if min(self.low, other.low) <= 0 or likely <= 0:
            return Range(self.low * other.low, likely, self.high * other.high)
        down = math.hypot(math.log(self.likely / self.low), math.log(other.likely / other.low))
        up = math.hypot(math.log(self.high / self.likely), math.log(other.high / other.likely))
        return Range(likely * math.exp(-down), likely, likely * math.exp(up))

    def __add__(self, other: "Range") -> "Range":
        """The sum of two ranges. The ends are added, since a cause that raises one cost usually raises the other."""
        return Range(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def scaled(self, factor: float) -> "Range":
        """The range times a known number."""
        return Range(self.low * factor, self.likely * factor, self.high * factor)

    def at_most(self, most: float) -> "Range":
        """The range with no number above `most`."""
        return Range(min(self.low, most), min(self.likely, most), min(self.high, most))

    def as_json(self) -> dict[str, float]:
        return {"low": _short(self.low), "likely": _short(self.likely), "high": _short(self.high)}


def _short(number: float) -> float:
    return float(f"{number:.4g}") if number < 1e6 else float(round(number))


def exactly(number: float) -> Range:
    """The range of a known number."""
    return Range(number, number, number)


ZERO = exactly(0.0)


def share_of(kept: int, total: int, prior: Range) -> Range:
    """The share of items that pass a stage: Wilson's 90 % interval over the measured items and the
    prior, which counts as four items."""
    num = total + PRIOR_WEIGHT
    share = (kept + PRIOR_WEIGHT * prior.likely) / num
    middle = (share + Z * Z / (2 * num)) / (1 + Z * Z / num)
    half = Z / (1 + Z * Z / num) * math.sqrt(share * (1 - share) / num + Z * Z / (4 * num * num))
    return Range(max(0.0, min(share, middle - half)), share, min(1.0, max(share, middle + half)))


def mean_of(values: Sequence[float], prior: Range) -> Range:
    """The mean over all items, estimated from a sample: a 90 % interval by the normal
    approximation.

    With fewer than three values, the interval takes its relative spread from the prior.
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
