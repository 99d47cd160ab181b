"""Records that the stages of synthesis pass to each other: seeds, questions, certificates, verdicts."""

from dataclasses import dataclass, field

from questloom.records.form import Form
from questloom.records.identity import record_id
from questloom.records.knowledge import Value
from questloom.records.route import Route
from questloom.records.table import Json, Record

METHODS = ("paths", "injection", "exploration", "external")
LEVELS = ("easy", "medium", "hard", "expert", "benchmark")
MAX_ANSWER_WORDS = 6
"""Maximum number of words of an answer, unless the recipe's `DraftRules.max_answer_words` says
otherwise. OpenSearch-VL (appendix) allows at most 6 tokens."""
ABILITIES = (
    "perception",
    "perception+search",
    "perception+reasoning",
    "perception+search+reasoning",
)
"""What a question demands of its solver. The paper on ODE calls these abilities "ability profiles".
Every question needs its picture; some also need a search, and some a computation or comparison."""
NOT_RUN = "not_run"
BASES = ("closed", "margin", "votes", "external")


@dataclass(frozen=True, kw_only=True)
class Seed(Record):
    """An entity from which a question is made, by one method and at one level."""

    entity_id: str
    method: str
    rule: str
    """The rule that selected the entity: "rare" (VSearcher's rule), "anchor" (OpenSearch-VL's rule)
    or "external"."""
    level: str
    domain: str
    topic: str = ""
    ability: str = ""
    """What the question will demand of its solver: one of `ABILITIES`; "" if the method does not
    plan abilities."""
    index: int = 0
    """Number of this seed among the seeds with the same entity and method."""

    @property
    def id(self) -> str:
        return record_id("Seed", self.entity_id, self.method, self.level, index=self.index)


@dataclass(frozen=True, kw_only=True)
class Hop(Record):
    """One edge of the path from the picture to the answer, with the evidence for the edge."""

    source: str
    """Variable at the start of the edge."""
    target: str
    """Variable at the end of the edge."""
    property: str = ""
    """Property id; "" if only a sentence states the link."""
    reverse: bool = False
    """Whether the claim's subject is the edge's target, and not its source."""
    claim_id: str = ""
    revision: int = 0
    evidence: str = ""
    """The sentence or the infobox line that states the claim; `stated` says which of them it is."""
    stated: str = ""
    """Where a page states the claim: "sentence", "infobox" or "no".

    "no" means that neither the page of the subject nor that of the object states the claim in known
    words. In rows of an older version, this field is "".
    """
    page: str = ""
    """Title of the page that holds the evidence."""
    article_id: str = ""
    section: int = -1
    start: int = -1
    end: int = -1


@dataclass(frozen=True, kw_only=True)
class Answer(Record):
    """The answer: its typed value, the expected words, and other words that are accepted."""

    value: Value
    text: str
    type: str
    aliases: tuple[str, ...] = ()
    unit: str = ""
    precision: str = ""


@dataclass(frozen=True, kw_only=True)
class Check(Record):
    """One check in the certificate: its name, whether it passed, its score (if it has one), and the evidence."""

    name: str
    passed: bool
    score: float | None = None
    evidence: Json = Json(None)


@dataclass(frozen=True, kw_only=True)
class Rival(Record):
    """The entity that comes closest to fitting a description, apart from the intended entity."""

    var: str
    entity_id: str
    label: str = ""
    num_gaps: int = 0
    """Number of clauses (statements in the description) that the store can neither confirm nor
    refute for this entity. The entity contradicts none of the clauses."""
    gaps: tuple[str, ...] = ()
    """The clauses on which the store has no data about this entity, in the notation of the logical
    form."""


@dataclass(frozen=True, kw_only=True)
class Fuzzed(Record):
    """A clue that the question states vaguely. `before` is the number of things of the right class
    that fit the exact clue; `after` is the number that fit the vague clue."""

    kind: str
    """Of `questloom.records.form.FUZZY_KINDS`."""
    var: str
    property: str
    value: str
    """Key of the exact value, which the question does not state."""
    before: int
    after: int


@dataclass(frozen=True, kw_only=True)
class Certificate(Record):
    """The proof that a question has one answer and needs its picture."""

    basis: str
    margin: int
    """The smallest number of gaps (clauses on which the store has no data) over all rivals and
    variables; -1 if the certificate's basis is not "margin"."""
    nearest_rival: Rival | None = None
    breaking_claims: tuple[str, ...] = ()
    """Ids of the claims without which the proof would fail."""
    evidence: tuple[Hop, ...] = ()
    nominal_hops: int = 0
    effective_hops: int | None = None
    """Number of hops in `smallest_part`; None if the form was not run as a query on the store."""
    smallest_part: Json = Json(None)
    """The smallest part of the logical form that still has the same answer and no other."""
    answers_without_picture: int | None = None
    """Number of answers that the form has if the picture is left out (counted up to a limit); None
    if the form was not run as a query on the store."""
    checks: tuple[Check, ...] = ()
    fuzzed: tuple[Fuzzed, ...] = ()
    """The vague clauses of the question's logical form, in the form's order."""
    votes: Json = Json(None)

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)


@dataclass(frozen=True, kw_only=True)
class Verdict(Record):
    """The verdict of one filter on a question. A kept question has a verdict of every filter."""

    filter: str
    passed: bool | None
    """Whether the question passed; None if the filter was not run."""
    solver: str = ""
    """Name of the solver: a model, "local_search" or "popularity_prior"; `NOT_RUN` if the filter was not run."""
    num_samples: int = 0
    num_correct: int = 0
    evidence: Json = Json(None)


def not_run(filter: str, why: str) -> Verdict:
    """The verdict of a filter that was not run: neither passed nor failed."""
    return Verdict(filter=filter, passed=None, solver=NOT_RUN, evidence=Json({"why": why}))


@dataclass(frozen=True, kw_only=True)
class Enhancement(Record):
    """How the shown picture was degraded, and which tool repairs it. The store keeps the original
    picture."""

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
    """The logical form (`questloom.records.form.Form`) as JSON; null if the draft has no form."""
    bindings: dict[str, str] = field(default_factory=dict)
    """The entity id or value key that the question intends for each variable of the form."""
    hops: tuple[Hop, ...] = ()
    interest: float = 0.0
    """How much a reader might want to know the answer, from 1 to 5; 0 if this was not measured."""
    anchor: str = ""
    """The entity that the picture shows."""
    anchor_phrase: str = ""
    """The words in the question that refer to the picture ("the lighthouse in the picture")."""
    image_id: str = ""
    source_image_id: str = ""
    """Id of the picture before degradation; equals `image_id` if the picture was not degraded."""
    votes: Json = Json(None)
    """Votes of the models that checked the question's wording, in order; null if code wrote the
    question from the logical form."""
    certificate: Certificate | None = None
    route: Route | None = None
    """The price of the question: its cheapest sequence of tool calls. The value is None if the
    question has no logical form."""
    grounding: Json = Json(None)
    verdicts: tuple[Verdict, ...] = ()
    enhancement: Enhancement | None = None
    split: str = ""
    provenance: Json = Json(None)
    """For a question from an external file: the file, the row and the licence as the file gives
    them."""
    index: int = 0

    @property
    def id(self) -> str:
        """The id: a hash of the seed and the index. The id never depends on the text of a model's reply."""
        return record_id("Question", self.seed_id, index=self.index)

    @property
    def logical_form(self) -> Form | None:
        return None if self.form is None else Form.from_json(self.form)

    @property
    def needs_detail(self) -> bool:
        """Whether a solver must read a detail that can be seen only from close up."""
        return self._has("reads")

    @property
    def reads_its_picture(self) -> bool:
        """Whether a solver must read a detail in the question's own picture, and not only in a
        later picture.
        """
        form = self.logical_form
        return form is not None and bool(form.shown_reads)

    @property
    def needs_computation(self) -> bool:
        return self._has("compute")

    def _has(self, kind: str) -> bool:
        return isinstance(self.form, dict) and any(c["is"] == kind for c in self.form["clauses"])

    def with_verdict(self, verdict: Verdict) -> "Question":
        return self.replace(verdicts=(*self.verdicts, verdict))
