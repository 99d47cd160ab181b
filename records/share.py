"""A proportion with its confidence interval."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Share:
    """The proportion `num_good` / `num`, with Wilson's 95 % confidence interval (Wilson 1927;
    Newcombe 1998, method 3)."""

    num_good: int
    num: int

    @property
    def value(self) -> float | None:
        return self.num_good / self.num if self.num else None

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval (low, high) of the proportion; (0, 1) if there are no items."""
        if not self.num:
            return 0.0, 1.0
        p, n, z2 = self.num_good / self.num, self.num, Z95 * Z95
        middle, half = p + z2 / (2 * n), Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return max(0.0, (middle - half) / (1 + z2 / n)), min(1.0, (middle + half) / (1 + z2 / n))

    def as_json(self) -> dict[str, Any]:
        return {
            "good": self.num_good,
            "judged": self.num,
            "share": self.value,
            "interval": self.interval,
        }

    def __str__(self) -> str:
        if not self.num:
            return "nothing judged"
        low, high = self.interval
        return f"{self.value:.1%} ({self.num_good} of {self.num}; 95 %: {low:.1%} to {high:.1%})"
