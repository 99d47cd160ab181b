"""The recipe's settings for degraded pictures."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from questloom.records.evolves import Evolves

Severity = tuple[Annotated[float, Ge(0), Le(1)], Annotated[float, Ge(0), Le(1)]]
"""Least and greatest severity."""


Kind = Literal[
    "blur", "down_sampling", "perspective", "turned_left", "turned_right", "upside_down", "mirrored"
]
SEVERITIES = Evolves("pictures", 0, 1, 0.1)


@dataclass(frozen=True, kw_only=True)
class EnhancementRules:
    """The recipe's settings for degraded pictures."""

    share: Annotated[float, Ge(0), Le(1), Evolves("pictures", 0, 0.5, 0.1)] = 0.1
    """Share of the kept questions that get a degraded picture."""
    kinds: Annotated[tuple[Kind, ...], MinLen(1)] = ("blur", "down_sampling", "perspective")
    """Kinds of degradation, all equally likely. The default kinds are those of OpenSearch-VL. The
    other kinds are our own: turned by a quarter, upside down, mirrored top to bottom."""
    blur: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """Severity of blur. At severity 1 the blur's standard deviation is 0.6 % of the longer side."""
    down_sampling: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """Severity of down-sampling. Severity 1 divides the sides by 4, severity 0 by 1."""
    perspective: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """Severity of perspective. At severity 1 a corner moves in by up to 16 % of each side."""
