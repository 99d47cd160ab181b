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
    """Families of licences that are allowed (see `knowledge/licences.py`). Pictures with other
    licences appear in no question, and the tools that search a store do not show them."""
    min_side: Annotated[int, Ge(1)] = 512
    """Minimum length of a picture's shorter side, in pixels. OpenSearch-VL also uses this
    minimum."""
    max_candidates: Annotated[int, Ge(1)] = 8
    """K: maximum number of pictures of an entity that are examined. A question shows the best of
    the pictures that pass the checks."""
    withhold_own: bool = False
    """Whether picture search withholds a question's own picture. If the own picture is withheld,
    the store must hold another view of the same thing, which the search can find."""


@dataclass(frozen=True, kw_only=True)
class GroundingRules:
    """The recipe's settings for grounding (the check that a picture shows its entity)."""

    mode: Annotated[
        Literal["required", "optional", "none"], Evolves("pictures", choices=("none", "optional"))
    ] = "required"
    """What happens if the CLIP checkpoint cannot tell the store's pictures apart: the run stops
    ("required"), or continues with the verdict `not_run` ("optional")."""
    margin: Annotated[float, Ge(-2), Le(2), Evolves("pictures", 0, 0.1, 0.02)] = 0.0
    """The picture's similarity with its own description must exceed its similarity with every other
    description by this number."""
    num_distractors: Annotated[int, Ge(0), Le(1000)] = 8
    """Number of other entities of the pictured thing's class whose descriptions are compared with
    the picture."""
    num_distractors_unstated: Annotated[int, Ge(0), Le(1000)] = 200
    """Number of other entities whose descriptions are compared with a picture that has no
    statements about what it shows. No other entity that is compared may have the same description
    as the pictured thing."""
