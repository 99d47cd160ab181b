"""What planning passes on: a seed with its plans, before the writer words them."""

from dataclasses import dataclass, field

from questloom.records.form import ClaimClause, Compute, Form, Fuzzy
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate, Seed
from questloom.records.table import Json, Record

DETAIL, COMPUTATION, PLAIN = "detail", "computation", "plain"
LATER_PICTURE, MID_CHAIN = "later picture", "mid-chain picture"
"""Kinds of work with a later picture. A solver reads the answer on the later picture ("later
picture"), or goes on from a detail of it ("mid-chain picture")."""


@dataclass(frozen=True, kw_only=True)
class Plan(Record):
    """What a question will ask: a certified form with its price, still without words."""

    form: Json
    """`questloom.records.form.Form` as JSON."""
    bindings: dict[str, str] = field(default_factory=dict)
    """Variable to the entity id or value key that the plan intends."""
    answer: Answer
    shape: str
    """The kind of plan: "chain", "meet" or "tree"."""
    certificate: Certificate
    route: Route
    interest: float = 0.0
    """How much a reader might want to know the answer, 1 to 5; it breaks ties."""

    @property
    def logical_form(self) -> Form:
        return Form.from_json(self.form)

    @property
    def anchor(self) -> str:
        """The entity that the picture shows."""
        return self.bindings[self.logical_form.anchor]

    @property
    def work(self) -> str:
        """The work of a solver besides looking and searching: read a detail of the picture or of a
        later picture, compute, or none."""
        return work_of(self.logical_form)

    @property
    def relations(self) -> tuple[str, ...]:
        """The plan's properties, sorted, without duplicates."""
        clauses = self.logical_form.clauses
        return tuple(sorted({c.property for c in clauses if isinstance(c, ClaimClause | Fuzzy)}))


def work_of(form: Form) -> str:
    """The work of a form as `Plan.work` names it. A computation over a detail counts as a detail."""
    if form.later_reads:
        return MID_CHAIN if {c.var for c in form.later_reads} - {form.ask.var} else LATER_PICTURE
    return DETAIL if form.shown_reads else COMPUTATION if form.of(Compute) else PLAIN


@dataclass(frozen=True, kw_only=True)
class PlannedSeed(Record):
    """A seed with its plans, the dearest route first. The list is empty where the seed's writer or
    method makes no plans."""

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
    """The order in which the writer words a seed's plans. Planning chooses the order over all seeds together."""

    item_id: str
    order: tuple[int, ...]
    """Indices into `PlannedSeed.plans`, in the order of wording."""
