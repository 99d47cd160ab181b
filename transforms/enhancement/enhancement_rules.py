"""What a recipe says of degradation."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from questloom.records.evolves import Evolves

Severity = tuple[Annotated[float, Ge(0), Le(1)], Annotated[float, Ge(0), Le(1)]]
"""Least and greatest."""


SEVERITIES = Evolves("pictures", 0, 1, 0.1)


@dataclass(frozen=True, kw_only=True)
class EnhancementRules:
    """What a recipe says of degradation."""

    share: Annotated[float, Ge(0), Le(1), Evolves("pictures", 0, 0.5, 0.1)] = 0.1
    """Of the kept questions."""
    blur: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """At 1 the standard deviation is 0.6 % of the longer side."""
    down_sampling: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """At 1 sides are divided by 4, at 0 by 1."""
    perspective: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """At 1 a corner moves in by up to 16 % of each side."""
