"""Records that planning passes on: a seed with its plans, before the writer puts them into words."""

from dataclasses import dataclass, field

from questloom.records.form import ClaimClause, Compute, Form, Fuzzy
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate, Seed
from questloom.records.table import Json, Record

DETAIL, COMPUTATION, PLAIN = "detail", "computation", "plain"
LATER_PICTURE, MID_CHAIN = "later picture", "mid-chain picture"
"""Kinds of work that need a later picture, which is one that a solver sees after the question's own picture. A solver
reads the answer in the later picture ("later picture"), or continues from a detail in it ("mid-chain picture")."""


@dataclass(frozen=True, kw_only=True)
class Plan(Record):
    """What a question will ask: a certified form with its price, not yet in words."""

    form: Json
    """The `questloom.records.form.Form` of the plan, as JSON."""
    bindings: dict[str, str] = field(default_factory=dict)
    """A dict from each variable to the entity id or value key that the plan intends."""
    answer: Answer
    shape: str
    """The shape of the plan: "chain", "meet" or "tree"."""
    certificate: Certificate
    route: Route
    interest: float = 0.0
    """How much a reader might want to know the answer, 1 to 5; decides between plans that are otherwise equal."""

    @property
    def logical_form(self) -> Form:
        return Form.from_json(self.form)

    @property
    def anchor(self) -> str:
        """The entity that the picture shows."""
        return self.bindings[self.logical_form.anchor]

    @property
    def work(self) -> str:
        """What a solver must do besides looking and searching: read a detail in the picture or in a later picture,
        compute, or nothing."""
        return work_of(self.logical_form)

    @property
    def relations(self) -> tuple[str, ...]:
        """The plan's properties, sorted, without duplicates."""
        clauses = self.logical_form.clauses
        return tuple(sorted({c.property for c in clauses if isinstance(c, ClaimClause | Fuzzy)}))


def work_of(form: Form) -> str:
    """The kind of work that a form needs, as in `Plan.work`. A computation with a detail counts as reading a detail."""
    if form.later_reads:
        return MID_CHAIN if {c.var for c in form.later_reads} - {form.ask.var} else LATER_PICTURE
    return DETAIL if form.shown_reads else COMPUTATION if form.of(Compute) else PLAIN


@dataclass(frozen=True, kw_only=True)
class PlannedSeed(Record):
    """A seed with its plans, dearest plan first. The list is empty if the seed's writer or method makes no plans."""

    seed: Seed
    plans: tuple[Plan, ...] = ()

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
class Preference(Record):
    """The order in which the writer puts a seed's plans into words. Planning chooses the orders for all seeds
    together."""

    item_id: str
    order: tuple[int, ...]
    """Indices into `PlannedSeed.plans`, in the order of writing."""
