"""The recipe's settings for pictures and their grounding."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from questloom.knowledge.licences import ALLOWED
from questloom.records.evolves import Evolves


@dataclass(frozen=True, kw_only=True)
class PictureRules:
    """The recipe's settings for pictures."""

    licences: tuple[str, ...] = ALLOWED
    """Families of licences, see `knowledge/licences.py`. Pictures with other licences appear in no
    question, and the tools that search a store do not show them."""
    min_side: Annotated[int, Ge(1)] = 512
    """Minimum length of the shorter side in pixels (OpenSearch-VL's number)."""
    max_candidates: Annotated[int, Ge(1)] = 8
    """K: number of pictures of an entity that are examined. The best grounded picture that passes is shown."""
    withhold_own: bool = False
    """Whether picture search withholds a question's own picture. If the own picture is withheld,
    the store must hold another view of the same thing for the search to find."""


@dataclass(frozen=True, kw_only=True)
class GroundingRules:
    """The recipe's settings for grounding."""

    mode: Annotated[
        Literal["required", "optional", "none"], Evolves("pictures", choices=("none", "optional"))
    ] = "required"
    """What to do if the checkpoint does not separate the store's pictures: stop the run, or
    continue with the verdict `not_run`."""
    margin: Annotated[float, Ge(-2), Le(2), Evolves("pictures", 0, 0.1, 0.02)] = 0.0
    """Minimum lead in similarity over every other description."""
    num_distractors: Annotated[int, Ge(0), Le(1000)] = 8
    """Number of entities of the anchor's class to compare with."""
    num_distractors_unstated: Annotated[int, Ge(0), Le(1000)] = 200
    """Number of entities to compare with for a picture without supporting statements. None of these
    entities may have the anchor's own description."""
