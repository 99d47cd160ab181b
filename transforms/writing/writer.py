"""What everything that writes questions has in common: a whole plan goes in, and its words come out.

Two writers implement it: `graph` composes words from the form and needs no model, `llm` asks one. A package may bring another
(`custom.py`). No writer judges its own work: words that are not composed from the form are read back by a `Reader`.
"""

from dataclasses import dataclass, field
from typing import Protocol

from questloom.records.form import Form
from questloom.records.outcomes import Reason
from questloom.records.plan import Plan
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.certify import Refusal

GRAPH, LLM = "graph", "llm"
WRITERS = (GRAPH, LLM)
"""The program's own; any other name is one of a package."""


@dataclass(frozen=True, kw_only=True)
class Wording:
    """A plan in words."""

    text: str
    anchor_phrase: str
    """The words that point to the picture, as they stand in the text."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A question as those see it who hold its words against what it rests on.

    `bindings` maps each variable of the form to the entity id or value key that it is meant to have. A constant entity
    in a clause is an entity that the text names. `form` is None of a question that was read from outside.
    """

    text: str
    answer: Answer
    form: Form | None = None
    bindings: dict[str, str] = field(default_factory=dict)
    anchor: str = ""
    """Entity shown by the picture."""

    @classmethod
    def of(cls, plan: Plan, text: str = "") -> "Draft":
        """A plan with words for it."""
        return cls(
            text=text,
            answer=plan.answer,
            form=plan.logical_form,
            bindings=plan.bindings,
            anchor=plan.anchor,
        )


@dataclass(frozen=True, kw_only=True)
class Vote:
    """One reader's verdict on words: whether they say what they are to say, and what else they say."""

    holds: bool
    other: str = ""
    why: str = ""


class WriterRejection(Exception):
    """A model's replies are of no use, or it refused.

    Args:
        reason: `Reason.BAD_REPLY` or `Reason.REFUSED`.
        evidence: role and message, small JSON.
    """

    def __init__(self, reason: Reason, evidence: dict) -> None:
        super().__init__(reason.value, evidence)
        self.reason, self.evidence = reason, evidence

    def __reduce__(self):
        return WriterRejection, (self.reason, self.evidence)


class Writer(Protocol):
    """Puts plans into words. A coroutine, since a model may be behind it."""

    @property
    def name(self) -> str:
        """What questions record as their writer."""

    @property
    def most_plans(self) -> int:
        """Plans of a seed that are put into words before it is given up."""

    async def word(self, plan: Plan, seed_id: str) -> Wording | Refusal:
        """The plan in words that its rules let pass, or why there are none."""


class Reader(Protocol):
    """Reads words back that were not composed from their form."""

    async def read(self, plan: Plan, wording: Wording, seed_id: str) -> list[Vote]:
        """Votes whether the words say what the plan says, and nothing else. Raises `WriterRejection`."""
