"""What planning passes on: a seed with its plans, before any word."""

from dataclasses import dataclass, field

from questloom.records.form import ClaimClause, Compute, Form, Fuzzy
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate, Seed
from questloom.records.table import Json, Record

DETAIL, COMPUTATION, PLAIN = "detail", "computation", "plain"
LATER_PICTURE, MID_CHAIN = "later picture", "mid-chain picture"
"""A later picture says what is asked, or lies in mid-chain: what is read there leads on, or is computed with."""


@dataclass(frozen=True, kw_only=True)
class Plan(Record):
    """What a question is to ask: a certified form with its price, and no words yet."""

    form: Json
    """`questloom.records.form.Form` as JSON."""
    bindings: dict[str, str] = field(default_factory=dict)
    """Variable to the entity id or value key that it is meant to have."""
    answer: Answer
    shape: str
    """What grew it: "chain", "meet", "tree"."""
    certificate: Certificate
    route: Route
    interest: float = 0.0
    """How much somebody might like to know the answer, 1 to 5; it breaks ties."""

    @property
    def logical_form(self) -> Form:
        return Form.from_json(self.form)

    @property
    def anchor(self) -> str:
        """The entity that the picture shows."""
        return self.bindings[self.logical_form.anchor]

    @property
    def work(self) -> str:
        """What a solver must do besides looking and searching: read a detail of the picture or of a later one, compute, or nothing."""
        return work_of(self.logical_form)

    @property
    def relations(self) -> tuple[str, ...]:
        """Its properties, sorted, each once."""
        clauses = self.logical_form.clauses
        return tuple(sorted({c.property for c in clauses if isinstance(c, ClaimClause | Fuzzy)}))


def work_of(form: Form) -> str:
    """See `Plan.work`; a detail that is computed with counts as a detail."""
    if form.later_reads:
        return MID_CHAIN if {c.var for c in form.later_reads} - {form.ask.var} else LATER_PICTURE
    return DETAIL if form.shown_reads else COMPUTATION if form.of(Compute) else PLAIN


@dataclass(frozen=True, kw_only=True)
class PlannedSeed(Record):
    """A seed with its plans, the dearest route first; without any where its writer or method plans none."""

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
    """The order in which a seed's plans are put into words, chosen over all seeds."""

    item_id: str
    order: tuple[int, ...]
    """Indices of `PlannedSeed.plans`."""
