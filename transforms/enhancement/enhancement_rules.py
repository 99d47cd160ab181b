"""The recipe's settings for degraded pictures."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from questloom.records.evolves import Evolves

Severity = tuple[Annotated[float, Ge(0), Le(1)], Annotated[float, Ge(0), Le(1)]]
"""The lowest and the highest severity of a degradation."""


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
    """Kinds of degradation. All kinds in this list are equally likely. The default kinds are the
    three of OpenSearch-VL. The other kinds are our own: turned left, turned right, upside down,
    mirrored top to bottom."""
    blur: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """Range of the severity of "blur". At severity 1, the standard deviation of the blur is 0.6 %
    of the picture's longer side."""
    down_sampling: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """Range of the severity of "down_sampling". At severity 1, width and height are divided by 4;
    at severity 0, they stay the same."""
    perspective: Annotated[Severity, SEVERITIES] = (0.4, 0.9)
    """Range of the severity of "perspective". At severity 1, a corner moves inwards by up to 16 %
    of each side."""
