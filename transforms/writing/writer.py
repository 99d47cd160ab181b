"""One protocol for everything that writes questions, with one method per role.

Two writers implement it: `graph` composes from claims and needs no model, `llm` asks one. The drivers in
`transforms/drafting/` (paths, injection) call the roles in order, and decide
by the certificate what is accepted. No writer judges its own work.
"""

from dataclasses import dataclass, field, replace
from typing import Protocol

from questloom.records.form import Clause, Form
from questloom.records.knowledge import Entity
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer, Hop, Rewrite, Seed


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A question under way. `form` is None where the writer gave none; then only votes can support it.

    `bindings` maps each variable of the form to the entity id or value key it is meant to have. A constant entity
    in a clause is an entity that the text names.
    """

    text: str
    answer: Answer
    form: Form | None = None
    bindings: dict[str, str] = field(default_factory=dict)
    hops: tuple[Hop, ...] = ()
    history: tuple[Rewrite, ...] = ()
    anchor: str = ""
    """Entity shown by the picture, once a mention was replaced by it."""
    anchor_phrase: str = ""
    votes: tuple[dict, ...] = ()
    """The votes that accepted the draft and its steps where no form did, as the certificate stores them."""
    earlier: "tuple[Draft, ...]" = ()
    """The drafts before each step of the history, for a writer that words only what was accepted."""
    explored: dict | None = None
    """The evidence graph that an exploration took it from, as `questloom.transforms.writing.evidence` tells it."""

    def rewritten(self, step: Rewrite, **changes) -> "Draft":
        """A copy with one more step in its history."""
        return replace(
            self,
            history=(*self.history, step),
            earlier=(*self.earlier, replace(self, earlier=(), history=())),
            **changes,
        )


@dataclass(frozen=True, kw_only=True)
class Mention:
    """An entity that the question speaks of by name (`surface`), or by a variable not yet described (`var`)."""

    entity_id: str
    surface: str = ""
    var: str = ""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One fact about an entity, by which it can be described instead of named.

    `clauses` say it formally (over the variable "self" for the entity), or are empty where only the text says it.
    """

    entity_id: str
    text: str
    clauses: tuple[Clause, ...] = ()
    article_id: str = ""
    revision: int = 0
    section: int = -1
    start: int = -1
    end: int = -1
    sentence: str = ""


@dataclass(frozen=True, kw_only=True)
class Vote:
    """One model's verdict on a draft: whether it holds, and the rival or other answer it names."""

    holds: bool
    other: str = ""
    why: str = ""


class WriterRejection(Exception):
    """The writer cannot go on with this seed: its model's replies are of no use, or it refused.

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
    """The roles. All are coroutines, since a model may be behind them; an empty list or None means "nothing fits"."""

    @property
    def name(self) -> str:
        """What questions record as their writer."""

    async def seed_question(self, seed: Seed, entity: Entity, last: bool = False) -> list[Draft]:
        """First one-sentence questions about the seed, best first (VSearcher 2.2). `last`: a single fact stands between them and their picture."""

    async def pick_entity(self, draft: Draft, seed: Seed, last: bool = False) -> list[Mention]:
        """Named, non-generic entities of the question that have an article, best first; `last` as of `take_fact`."""

    async def take_fact(
        self, draft: Draft, mention: Mention, seed: Seed, last: bool = False
    ) -> list[Fact]:
        """Little-known, entity-rich facts about the entity, best first; none contains the answer. After the `last` one a mention becomes the picture."""

    async def inject(
        self, draft: Draft, mention: Mention, facts: tuple[Fact, ...], seed: Seed
    ) -> Draft:
        """The question with the entity hidden behind the facts."""

    async def pick_image_entity(self, draft: Draft, seed: Seed) -> list[Mention]:
        """Mentions that may become the picture, the most critical to the answer first."""

    async def hide_entity(self, draft: Draft, mention: Mention, seed: Seed) -> Draft:
        """The question with the mention replaced by a reference to the picture."""

    async def canonical_question(
        self, seed: Seed, hops: tuple[Hop, ...], entities: tuple[Entity, ...]
    ) -> list[Draft]:
        """Questions that verbalise a path from the picture's entity to an attribute of the last one (OpenSearch-VL 3.1)."""

    async def describe(self, draft: Draft, mention: Mention, seed: Seed) -> list[Fact]:
        """Descriptor candidates for a node of the path, from its claims and text."""

    async def word(self, draft: Draft, seed: Seed) -> Draft | None:
        """A draft whose form was accepted, in words; None where no wording is fit for readers. The llm writer's drafts have words already."""

    async def obfuscate_answer(self, draft: Draft, seed: Seed) -> Draft | None:
        """The question asking for an attribute of its former answer; None where nothing fits, or the writer does not do that."""

    async def check_words(self, draft: Draft, seed: Seed, num: int = 0) -> list[Vote] | None:
        """Votes whether the words say what form and evidence say, `num` of them (0: the recipe's number); None where words are composed from the form."""

    async def check_picture(self, draft: Draft, seed: Seed) -> list[Vote]:
        """Votes whether the question needs its picture, for a draft that cannot be executed; empty for a writer without a model."""

    async def check_unique(self, draft: Draft, seed: Seed) -> list[Vote]:
        """Votes whether the question has exactly one answer; empty for a writer without a model."""

    async def check_invariant(self, before: Draft, after: Draft, seed: Seed) -> list[Vote]:
        """Votes whether the answer stayed the same; empty for a writer without a model."""
