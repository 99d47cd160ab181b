"""What a recipe says of degradation."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from questloom.records.evolves import Evolves

Severity = tuple[Annotated[float, Ge(0), Le(1)], Annotated[float, Ge(0), Le(1)]]
"""Least and greatest."""


Kind = Literal[
    "blur", "down_sampling", "perspective", "turned_left", "turned_right", "upside_down", "mirrored"
]
SEVERITIES = Evolves("pictures", 0, 1, 0.1)


@dataclass(frozen=True, kw_only=True)
class EnhancementRules:
    """What a recipe says of degradation."""

    share: Annotated[float, Ge(0), Le(1), Evolves("pictures", 0, 0.5, 0.1)] = 0.1
    """Share of the kept questions."""
    kinds: Annotated[tuple[Kind, ...], MinLen(1)] = ("blur", "down_sampling", "perspective")
    """In equal parts; the default is OpenSearch-VL's, the others are ours: turned a quarter, standing on its head, mirrored top to bottom."""
    blur: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """At 1 the standard deviation is 0.6 % of the longer side."""
    down_sampling: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """At 1 sides are divided by 4, at 0 by 1."""
    perspective: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """At 1 a corner moves in by up to 16 % of each side."""
