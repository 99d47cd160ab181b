"""What a recipe says of pictures and of their grounding."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from questloom.knowledge.licences import ALLOWED
from questloom.records.evolves import Evolves


@dataclass(frozen=True, kw_only=True)
class PictureRules:
    """What a recipe asks of a picture."""

    licences: tuple[str, ...] = ALLOWED
    """Families, see `knowledge/licences.py`. Of other pictures none is asked about, and none is shown by the tools that search a store."""
    min_side: Annotated[int, Ge(1)] = 512
    """Pixels of the shorter side (OpenSearch-VL's number)."""
    max_candidates: Annotated[int, Ge(1)] = 8
    """K: how many pictures of an entity are looked at; the best grounded of those that pass is shown."""
    withhold_own: bool = False
    """Whether picture search withholds a question's own picture. Another view of the same thing must then be in the store, to be found by."""


@dataclass(frozen=True, kw_only=True)
class GroundingRules:
    """What a recipe asks."""

    mode: Annotated[
        Literal["required", "optional", "none"], Evolves("pictures", choices=("none", "optional"))
    ] = "required"
    """If the checkpoint does not separate the store's pictures: stop the run, or continue with the verdict `not_run`."""
    margin: Annotated[float, Ge(-2), Le(2), Evolves("pictures", 0, 0.1, 0.02)] = 0.0
    """Least lead in similarity over every other description."""
    num_distractors: Annotated[int, Ge(0), Le(1000)] = 8
    """Entities of the anchor's class to compare with."""
    num_distractors_unstated: Annotated[int, Ge(0), Le(1000)] = 200
    """The same for a picture without statements. Then none of the others may have the anchor's own description either."""
