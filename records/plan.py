"""Records that planning passes to the writer: a seed (the entity of a future question) with its
plans, not yet in words."""

from dataclasses import dataclass, field

from questloom.records.form import ClaimClause, Compute, Form, Fuzzy
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate, Seed
from questloom.records.table import Json, Record

DETAIL, COMPUTATION, PLAIN = "detail", "computation", "plain"
LATER_PICTURE, MID_CHAIN = "later picture", "mid-chain picture"
"""Kinds of work that need a second picture, besides the picture of the question. The solver finds
the second picture on the way.

"later picture": the solver reads the answer in the second picture. "mid-chain picture": the solver
reads a detail in the second picture and continues from there.
"""


@dataclass(frozen=True, kw_only=True)
class Plan(Record):
    """What a question will ask: a logical form (clauses over variables) with its certificate and
    its price, not yet in words."""

    form: Json
    """The plan's form (a `questloom.records.form.Form`) as JSON."""
    bindings: dict[str, str] = field(default_factory=dict)
    """The entity id or value key that the plan intends for each variable."""
    answer: Answer
    shape: str
    """The shape of the plan: "chain", "meet" or "tree"."""
    certificate: Certificate
    route: Route
    interest: float = 0.0
    """How much a reader might want to know the answer, from 1 to 5; decides between plans that are
    otherwise equal."""

    @property
    def logical_form(self) -> Form:
        return Form.from_json(self.form)

    @property
    def anchor(self) -> str:
        """The entity that the picture shows."""
        return self.bindings[self.logical_form.anchor]

    @property
    def work(self) -> str:
        """What a solver must do besides looking at the picture and searching: read a detail in the
        picture or in a later picture, compute, or nothing."""
        return work_of(self.logical_form)

    @property
    def relations(self) -> tuple[str, ...]:
        """The properties that the plan uses, sorted, without duplicates."""
        clauses = self.logical_form.clauses
        return tuple(sorted({c.property for c in clauses if isinstance(c, ClaimClause | Fuzzy)}))


def work_of(form: Form) -> str:
    """The kind of work that a form needs, as in `Plan.work`. A form with both a computation and a
    detail counts as "detail"."""
    if form.later_reads:
        return MID_CHAIN if {c.var for c in form.later_reads} - {form.ask.var} else LATER_PICTURE
    return DETAIL if form.shown_reads else COMPUTATION if form.of(Compute) else PLAIN


@dataclass(frozen=True, kw_only=True)
class TextFact(Record):
    """A relation between two things that a sentence of the first thing's page states, and no claim
    of the store. A model read the page; enough of its replies state the relation."""

    subject: str
    """The entity that the page is about."""
    relation: str
    """The words of the sentence that say what the object is to the subject."""
    object: str
    article_id: str
    revision: int
    section: int
    start: int
    end: int
    text: str
    """The sentence, as it stands in the section from `start` to `end`."""
    votes: int
    """Number of replies that state the relation."""
    samples: int
    """Number of replies that were asked for."""


class _OfSeed:
    """A record about a seed has the seed's ids."""

    seed: Seed

    @property
    def id(self) -> str:
        return self.seed.id

    @property
    def seed_id(self) -> str:
        return self.seed.id

    @property
    def entity_id(self) -> str:
        return self.seed.entity_id


@dataclass(frozen=True, kw_only=True)
class ReadSeed(_OfSeed, Record):
    """A seed with the facts that pages near it state in sentences."""

    seed: Seed
    facts: tuple[TextFact, ...] = ()

    def by_subject(self) -> dict[str, tuple[TextFact, ...]]:
        """The facts by the thing whose page states them."""
        subjects = dict.fromkeys(f.subject for f in self.facts)
        return {s: tuple(f for f in self.facts if f.subject == s) for s in subjects}


@dataclass(frozen=True, kw_only=True)
class PlannedSeed(_OfSeed, Record):
    """A seed with its plans, the most expensive plan first. A seed has no plans if its writer or
    method works without plans."""

    seed: Seed
    plans: tuple[Plan, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Preference(Record):
    """The order in which the writer puts a seed's plans into words. Planning chooses the orders for all seeds
    together."""

    item_id: str
    order: tuple[int, ...]
    """The indices of the plans in `PlannedSeed.plans`, in the order in which the writer tries the
    plans."""
