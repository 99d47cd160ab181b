"""What a recipe says of the llm writer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Ge, Le

from questloom.records.evolves import Evolves

Count = Annotated[int, Ge(1), Le(10)]

WRITER_ROLES = ("word_plan",)


@dataclass(frozen=True, kw_only=True)
class LlmRules:
    """The recipe's part of the llm writer."""

    plans: Count = 2
    """Plans of a seed that are put into words before it is given up; each costs one request, and one more where it is mended."""
    votes: Count = 1
    """Readers of a worded plan; all have to find that it says what the plan says."""
    guidance: Annotated[
        Mapping[str, str], Evolves("writer", max_chars=600, keys=WRITER_ROLES, absent="")
    ] = field(default_factory=dict)
    """By role: what is added to its system message. The closed loop writes here."""
