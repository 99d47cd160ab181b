"""Settings of a recipe for how far a store is trusted. The settings decide what a missing fact
means."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Trust:
    """How far the store is trusted. The recipe can set every field.

    `declared` and `measured` are minimum values of a property's functionality: the number of
    subjects divided by the number of (subject, value) pairs. `declared` holds for a property that
    Wikidata's constraints call single-valued, or that has one value by its meaning; `measured`
    holds for any other property. With `complete`, a fact that the store lacks is false (closed
    world).
    """

    declared: float = 0.98
    """Minimum functionality (subjects ÷ (subject, value) pairs) of a property that Wikidata
    declares single-valued."""
    measured: float = 0.995
    """Minimum functionality (subjects ÷ (subject, value) pairs) of any other property."""
    complete: bool = False
    """Whether a fact that the store lacks counts as false."""
    completeness: float = 0.9
    """Minimum share of a class's members that the store must hold before a description may single
    out one of them (`completeness.py`)."""

    def least_margin(self, margin: int) -> int:
        """Minimum number of facts that the store would have to lack before another thing could fit.

        Args:
            margin: the recipe's minimum. It guards against missing facts, so 1 is enough where
                every missing fact is false.
        """
        return 1 if self.complete else margin
