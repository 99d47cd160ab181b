"""What a recipe says of the llm writer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Ge, Le

from questloom.records.evolves import Evolves

Count = Annotated[int, Ge(1), Le(10)]


WRITER_ROLES = (
    "seed_question",
    "pick_entity",
    "take_fact",
    "inject",
    "pick_image_entity",
    "hide_entity",
    "canonical_question",
    "describe",
    "obfuscate_answer",
    "propose_seed",
    "explore",
    "reason",
    "perceive",
    "curate",
    "deepen",
)


@dataclass(frozen=True, kw_only=True)
class LlmRules:
    """The recipe's part of the llm writer."""

    questions: Count = 3
    """First or canonical questions asked for in one call."""
    facts: Count = 4
    """Facts asked for in one call."""
    votes: Count = 3
    """Votes of each check; all have to hold."""
    tries: Annotated[int, Ge(1), Le(1000)] = 150
    """Sets of claims that are judged before a model is asked to describe something by one of them."""
    guidance: Annotated[
        Mapping[str, str], Evolves("writer", max_chars=600, keys=WRITER_ROLES, absent="")
    ] = field(default_factory=dict)
    """By role: what is added to its system message. The closed loop writes here."""
