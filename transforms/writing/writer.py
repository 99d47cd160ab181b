"""Defines the interface of all writers. A writer takes a whole plan and gives the plan's words.

Two writers implement this interface: `graph` composes words from the form and needs no model; `llm`
asks a model. Another package may add a writer of its own (`custom.py`). A `Reader` checks all words
that are not composed from the form, since no writer should judge its own work.
"""

from dataclasses import dataclass, field
from typing import Protocol

from questloom.records.form import Ask, Form
from questloom.records.outcomes import Reason
from questloom.records.plan import Plan
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.certify import Refusal

NO_FORM = Form(clauses=(), ask=Ask(var="a", type="entity"))
"""The form of a question from an outside data set, which states nothing."""


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The words of a plan."""

    text: str
    anchor_phrase: str
    """The words that refer to the picture, as they stand in the text."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A question with its form. Checks use the draft to compare the question's words with its
    evidence.

    `bindings` maps each variable of the form to its intended entity id or value key. A constant
    entity in a clause is an entity that the text names.
    """

    text: str
    answer: Answer
    form: Form = NO_FORM
    bindings: dict[str, str] = field(default_factory=dict)
    anchor: str = ""
    """The entity that the picture shows."""

    @classmethod
    def of(cls, plan: Plan, text: str = "") -> "Draft":
        """Makes a draft from a plan and the plan's words."""
        return cls(
            text=text,
            answer=plan.answer,
            form=plan.logical_form,
            bindings=plan.bindings,
            anchor=plan.anchor,
        )


@dataclass(frozen=True, kw_only=True)
class Vote:
    """One reader's verdict on words: whether the words say what the plan says, and what else they
    say."""

    holds: bool
    other: str = ""
    why: str = ""


class WriterRejection(Exception):
    """A model's replies are unusable, or the model refused.

    Args:
        reason: `Reason.BAD_REPLY` or `Reason.REFUSED`.
        evidence: the model's role and a message, as small JSON.
    """

    def __init__(self, reason: Reason, evidence: dict) -> None:
        super().__init__(reason.value, evidence)
        self.reason, self.evidence = reason, evidence

    def __reduce__(self):
        return WriterRejection, (self.reason, self.evidence)


class Writer(Protocol):
    """Puts plans into words. `word` is a coroutine, since it may call a model."""

    @property
    def name(self) -> str:
        """The name that questions record as their writer."""

    @property
    def most_plans(self) -> int:
        """Number of plans of a seed that are tried before the seed is given up."""

    async def word(self, plan: Plan, seed_id: str) -> Wording | Refusal:
        """The plan in words that pass the writer's rules, or the reason why the writer has no such
        words."""


class Reader(Protocol):
    """Checks words that were not composed from their form."""

    async def read(self, plan: Plan, wording: Wording, seed_id: str) -> list[Vote]:
        """Votes on whether the words say what the plan says and say nothing else. Raises
        `WriterRejection`."""
