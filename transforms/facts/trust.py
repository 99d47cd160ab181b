"""How far a store is believed: the part of a recipe that decides what its silence means."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Trust:
    """How far the store is believed. All of it is the recipe's to set.

    `declared` and `measured` are the least functionality (subjects ÷ pairs) of a property that Wikidata's own
    constraints call single-valued or that have one value by their meaning, and of any other. With `complete` the store is taken as a closed world.
    """

    declared: float = 0.98
    """Least functionality of a property that Wikidata says has one value."""
    measured: float = 0.995
    """Least functionality of any other property."""
    complete: bool = False
    """Whether what the store does not say is false."""
    completeness: float = 0.9
    """Least share of a class's members that the store must hold where a description singles one of them out (`completeness.py`)."""
