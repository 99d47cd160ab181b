"""What synthesis passes from stage to stage: seeds, questions, certificates, verdicts."""

from dataclasses import dataclass, field

from questloom.records.form import Form
from questloom.records.identity import record_id
from questloom.records.knowledge import Value
from questloom.records.route import Route
from questloom.records.table import Json, Record

METHODS = ("paths", "injection", "exploration", "external")
LEVELS = ("easy", "medium", "hard", "expert", "benchmark")
MAX_ANSWER_WORDS = 6
"""The default of the recipe's limit, `DraftRules.max_answer_words` (OpenSearch-VL, App.: at most 6 tokens)."""
ABILITIES = (
    "perception",
    "perception+search",
    "perception+reasoning",
    "perception+search+reasoning",
)
"""What a question asks of its solver (ODE's ability profiles): the picture must always be seen, a page searched for, values computed or compared."""
NOT_RUN = "not_run"
BASES = ("closed", "margin", "external")


@dataclass(frozen=True, kw_only=True)
class Seed(Record):
    """An entity from which one question is to grow, by one method at one level."""

    entity_id: str
    method: str
    rule: str
    """"rare" (VSearcher), "anchor" (OpenSearch-VL) or "external"."""
    level: str
    domain: str
    topic: str = ""
    ability: str = ""
    """What the question is to ask of its solver, one of `ABILITIES`; "" where the method does not plan it."""
    index: int = 0
    """Among seeds of the same entity and method."""

    @property
    def id(self) -> str:
        return record_id("Seed", self.entity_id, self.method, self.level, index=self.index)


@dataclass(frozen=True, kw_only=True)
class Hop(Record):
    """One edge of the path from picture to answer, and what shows that it is there."""

    source: str
    """Variable."""
    target: str
    """Variable."""
    property: str = ""
    """Property id; "" where only a sentence holds the link."""
    reverse: bool = False
    """The claim's subject is the target."""
    claim_id: str = ""
    revision: int = 0
    evidence: str = ""
    """The sentence or infobox line that says the claim, see `stated`."""
    stated: str = ""
    """"sentence", "infobox", or "no" where neither end's page says it in words that are known; "" in rows of an older version."""
    page: str = ""
    """Title of the page on which it stands."""
    article_id: str = ""
    section: int = -1
    start: int = -1
    end: int = -1


@dataclass(frozen=True, kw_only=True)
class Answer(Record):
    """The answer: typed value, the words that are expected, and other words that are right."""

    value: Value
    text: str
    type: str
    aliases: tuple[str, ...] = ()
    unit: str = ""
    precision: str = ""


@dataclass(frozen=True, kw_only=True)
class Check(Record):
    """One check of the certificate: its name, whether it passed, a number where it has one, and what shows it."""

    name: str
    passed: bool
    score: float | None = None
    evidence: Json = Json(None)


@dataclass(frozen=True, kw_only=True)
class Rival(Record):
    """An entity that comes nearest to fitting a description in place of the intended one."""

    var: str
    entity_id: str
    label: str = ""
    num_gaps: int = 0
    """Clauses about which the store says nothing for it; it contradicts none."""
    gaps: tuple[str, ...] = ()
    """Those clauses, in words of the form."""


@dataclass(frozen=True, kw_only=True)
class Fuzzed(Record):
    """A clue that is said vaguely, and how many things of the described thing's class fit it said exactly and as it is said."""

    kind: str
    """Of `questloom.records.form.FUZZY_KINDS`."""
    var: str
    property: str
    value: str
    """Key of the value that is not said."""
    before: int
    after: int


@dataclass(frozen=True, kw_only=True)
class Certificate(Record):
    """Why this question has one answer, and that it needs its picture."""

    basis: str
    margin: int
    """Fewest gaps over all rivals and variables; -1 where the basis is no margin."""
    nearest_rival: Rival | None = None
    breaking_claims: tuple[str, ...] = ()
    """Ids of the claims whose absence would break it."""
    evidence: tuple[Hop, ...] = ()
    nominal_hops: int = 0
    effective_hops: int | None = None
    """Hops of the smallest part; None where nothing was executed."""
    smallest_part: Json = Json(None)
    """The smallest part of the form that still has the one answer."""
    answers_without_picture: int | None = None
    """How many answers the form has with the anchor unbound (counted up to a limit); None where nothing was executed."""
    checks: tuple[Check, ...] = ()
    fuzzed: tuple[Fuzzed, ...] = ()
    """Its vague clauses, in the form's order."""
    votes: Json = Json(None)

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)


@dataclass(frozen=True, kw_only=True)
class Verdict(Record):
    """What one filter said of a question; kept questions carry all of theirs."""

    filter: str
    passed: bool | None
    """None where the filter was not run, which is neither."""
    solver: str = ""
    """Model name, "local_search" or "popularity_prior"; `NOT_RUN` where the filter was not run."""
    num_samples: int = 0
    num_correct: int = 0
    evidence: Json = Json(None)


def not_run(filter: str, why: str) -> Verdict:
    """The verdict of a filter that was not run on a question: it neither passed nor fell."""
    return Verdict(filter=filter, passed=None, solver=NOT_RUN, evidence=Json({"why": why}))


@dataclass(frozen=True, kw_only=True)
class Enhancement(Record):
    """How the picture shown was degraded, and the tool that repairs it. The original stays beside it."""

    degradation: str
    tool: str
    severity: float
    original_image_id: str


@dataclass(frozen=True, kw_only=True)
class Question(Record):
    """A question on its way from draft to data set."""

    seed_id: str
    seed_entity: str
    method: str
    level: str
    domain: str
    topic: str = ""
    text: str
    language: str = "en"
    writer: str
    answer: Answer
    form: Json = Json(None)
    """The logical form as JSON (`questloom.records.form.Form`), or null where the draft has none."""
    bindings: dict[str, str] = field(default_factory=dict)
    """Variable to the entity id or value key that it is meant to have."""
    hops: tuple[Hop, ...] = ()
    interest: float = 0.0
    """How much somebody might like to know the answer, 1 to 5; 0 where it was not measured."""
    anchor: str = ""
    """Entity that the picture shows."""
    anchor_phrase: str = ""
    """The words that refer to the picture ("the lighthouse in the picture")."""
    image_id: str = ""
    source_image_id: str = ""
    """The undegraded picture; equals `image_id` unless enhanced."""
    votes: Json = Json(None)
    """Of those who read a model's words back, in order; null where words are composed from the form."""
    certificate: Certificate | None = None
    route: Route | None = None
    """The price of its cheapest solution; None where it has no form."""
    grounding: Json = Json(None)
    verdicts: tuple[Verdict, ...] = ()
    enhancement: Enhancement | None = None
    split: str = ""
    provenance: Json = Json(None)
    """For external rows: file, row and licence as given."""
    index: int = 0

    @property
    def id(self) -> str:
        """By its seed and place, not by its words: a reply's text is never part of an id."""
        return record_id("Question", self.seed_id, index=self.index)

    @property
    def logical_form(self) -> Form | None:
        return None if self.form is None else Form.from_json(self.form)

    @property
    def needs_detail(self) -> bool:
        """Whether a detail must be read that is visible only close up."""
        return self._has("reads")

    @property
    def reads_its_picture(self) -> bool:
        """Whether a detail is read in the question's own picture, and not only in a later one."""
        form = self.logical_form
        return form is not None and bool(form.shown_reads)

    @property
    def needs_computation(self) -> bool:
        return self._has("compute")

    def _has(self, kind: str) -> bool:
        return isinstance(self.form, dict) and any(c["is"] == kind for c in self.form["clauses"])

    def with_verdict(self, verdict: Verdict) -> "Question":
        return self.replace(verdicts=(*self.verdicts, verdict))
