"""The recipe's settings for the llm writer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Ge, Le

from questloom.records.evolves import Evolves

Count = Annotated[int, Ge(1), Le(10)]

WRITER_ROLES = ("word_plan",)


@dataclass(frozen=True, kw_only=True)
class LlmRules:
    """The recipe's settings for the llm writer."""

    plans: Count = 2
    """Number of plans that are tried for each seed (the item that a question starts from) before
    the seed is given up. Each plan costs one request, and a second request if the reply needs a
    correction."""
    votes: Count = 1
    """Number of readers (models) that read each worded plan. All readers must agree that the words
    say what the plan says."""
    guidance: Annotated[
        Mapping[str, str], Evolves("writer", max_chars=600, keys=WRITER_ROLES, absent="")
    ] = field(default_factory=dict)
    """Additional text for the system message of each role. The closed loop (automatic changes of
    the recipe) may change the additional text for a role."""
