"""Ranges. A range describes an unknown number by three values: low, likely and high. Low and high
are the ends of a 90 % interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.645
"""The ends of a 90 % interval are this number of standard deviations away from its middle."""
PRIOR_WEIGHT = 4.0
"""A prior (an assumed share) counts like a measurement of this number of items."""


@dataclass(frozen=True)
class Range:
    """The values low, likely and high; none of them is negative."""

    low: float
    likely: float
    high: float

    def __mul__(self, other: "Range") -> "Range":
        """The product of two independent unknowns. The relative errors are squared, and then added.

        Multiplying the ends themselves would be wrong: after twelve stages, the ends would be
        absurdly low and high.
        """
        likely = self.likely * other.likely
        if min(self.low, other.low) <= 0 or likely <= 0:
            return Range(self.low * other.low, likely, self.high * other.high)
        down = math.hypot(math.log(self.likely / self.low), math.log(other.likely / other.low))
        up = math.hypot(math.log(self.high / self.likely), math.log(other.high / other.likely))
        return Range(likely * math.exp(-down), likely, likely * math.exp(up))

    def __add__(self, other: "Range") -> "Range":
        """The sum of two ranges. The low ends are added and the high ends are added, since a cause
        that raises one cost usually raises the other too."""
        return Range(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def scaled(self, factor: float) -> "Range":
        """The range, multiplied by a known number."""
        return Range(self.low * factor, self.likely * factor, self.high * factor)

    def at_most(self, most: float) -> "Range":
        """The range with each of its values limited to `most`."""
        return Range(min(self.low, most), min(self.likely, most), min(self.high, most))

    def as_json(self) -> dict[str, float]:
        return {"low": _short(self.low), "likely": _short(self.likely), "high": _short(self.high)}


def _short(number: float) -> float:
    return float(f"{number:.4g}") if number < 1e6 else float(round(number))


def exactly(number: float) -> Range:
    """The range of a number that is exactly known."""
    return Range(number, number, number)


ZERO = exactly(0.0)


def share_of(kept: int, total: int, prior: Range) -> Range:
    """The share of items that pass a stage, as a range. The range is Wilson's 90 % interval over
    the measured items and the prior, which counts like four more items."""
    num = total + PRIOR_WEIGHT
    share = (kept + PRIOR_WEIGHT * prior.likely) / num
    middle = (share + Z * Z / (2 * num)) / (1 + Z * Z / num)
    half = Z / (1 + Z * Z / num) * math.sqrt(share * (1 - share) / num + Z * Z / (4 * num * num))
    return Range(max(0.0, min(share, middle - half)), share, min(1.0, max(share, middle + half)))


def mean_of(values: Sequence[float], prior: Range) -> Range:
    """The mean over all items as a range, estimated from a sample. The range is a 90 % interval by
    the normal approximation.

    If the sample has fewer than three values, the relative width of the prior is used instead.
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
