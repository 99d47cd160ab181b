"""The logical form of a question: what the question asks, apart from its wording. The English words are written in a
later stage.

A form is a conjunctive query over claims; one of its variables is the thing in the picture. A *term* is a variable name
("x1") or a `Value`. `transforms/certificate/` executes a form on the store, and `transforms/writing/` puts it into
English. Each question stores its form as JSON.

Example: the year of birth of the architect of the building in the picture:

```
Form(clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"),
              ClaimClause(subject="x1", property="P569", object="a")),
     ask=Ask(var="a", type="date", precision="year"))
```
"""

from dataclasses import dataclass
from typing import Any

from questloom.records.knowledge import Value

Term = str | Value
OPERATIONS = (
    "difference",
    "ratio",
    "sum",
    "count",
    "earliest",
    "latest",
    "largest",
    "smallest",
    "duration_years",
)


def _term_json(term: Term) -> Any:
    return (
        {"var": term}
        if isinstance(term, str)
        else {"value": {k: v for k, v in term.to_row().items() if v not in (None, "", 0)}}
    )


def _term(data: Any) -> Term:
    return data["var"] if "var" in data else Value.from_row(data["value"])


@dataclass(frozen=True, kw_only=True)
class Image:
    """The clause states that the question's picture shows `var`. A form has exactly one clause of this kind."""

    var: str
    sign: str = ""
    """The property whose value is the picture, if the picture is only a sign of `var`, such as its flag (P41)."""


@dataclass(frozen=True, kw_only=True)
class ClaimClause:
    """The clause states that the store has a best claim with this subject, property and object."""

    subject: Term
    property: str
    object: Term


@dataclass(frozen=True, kw_only=True)
class ClassClause:
    """The clause states that `var` is an instance of `class_id` or of a subclass."""

    var: str
    class_id: str


@dataclass(frozen=True, kw_only=True)
class Compare:
    """The clause states that the relation `op` holds between `left` and `right`. `left` and `right` are literals
    (numbers, dates) or variables for literals."""

    left: Term
    op: str
    right: Term


@dataclass(frozen=True, kw_only=True)
class Compute:
    """The clause states that `out` is the result of `op` for `args`; the code of each `op` is in
    `transforms/certificate/compute.py`.

    difference, ratio, sum: two numbers; duration_years: two dates, in whole calendar years; earliest, latest, largest,
    smallest: the *entity* in `args` whose literal in `keys` wins; count: the number of values in a closed set.
    """

    out: str
    op: str
    args: tuple[Term, ...]
    keys: tuple[Term, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reads:
    """The clause states that `var` is the value of a detail that only a close look at a picture of `of` shows.

    If the question's picture shows `of`, a solver reads the detail in that picture. Otherwise a solver reads the detail
    in a picture on the page of `of` (a *later* picture). `property` and `part` name the detail, as in
    `questloom.records.knowledge.Detail`.
    """

    var: str
    of: str
    property: str
    part: str = ""


@dataclass(frozen=True, kw_only=True)
class SentenceClause:
    """The clause states that a sentence of an article links subject and object, while no claim does."""

    subject: str
    object: Term
    article_id: str
    revision: int
    section: int
    start: int
    end: int
    text: str = ""


FUZZY_KINDS = ("category", "range", "meta-attribute", "arithmetic", "exclusion")


@dataclass(frozen=True, kw_only=True)
class Fuzzy:
    """What a value of a claim of `subject` is like, where the words do not say the value (FORT-Searcher, arXiv 2606.12087).

    category: it is of the class `object`. range: it is a date in the decade or century `object`. meta-attribute: it is of
    the class `object`, and its name has `number` words or begins with `initial`. arithmetic: it is a date `number` years after
    the date `since` of the variable `object`, before it where `number` is negative. exclusion: it is not `object` and not in it.
    """

    kind: str
    """Of `FUZZY_KINDS`."""
    subject: str
    property: str
    object: Term
    number: int = 0
    initial: str = ""
    since: str = ""
    """The property of `object` from whose date the years are counted."""


Clause = Image | ClaimClause | ClassClause | Compare | Compute | Reads | SentenceClause | Fuzzy
_KINDS: dict[str, type] = {
    "image": Image,
    "claim": ClaimClause,
    "class": ClassClause,
    "compare": Compare,
    "compute": Compute,
    "reads": Reads,
    "sentence": SentenceClause,
    "fuzzy": Fuzzy,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_OPTIONAL = {"sign", "number", "initial", "since"}
"""Fields that most clauses leave empty, and rows leave out."""
_TERM_FIELDS = {"subject", "object", "left", "right"}


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What the question asks for: the variable, the type of the answer, and its precision."""

    var: str
    type: str
    unit: str = ""
    precision: str = ""
    """For dates "century", "year", "month" or "day"; otherwise ""."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """The clauses of a question, and the variable that it asks for. Equal forms have equal JSON, so a form can be part
    of an id."""

    clauses: tuple[Clause, ...]
    ask: Ask

    def of(self, kind: type) -> tuple:
        """The clauses of one kind, in order."""
        return tuple(c for c in self.clauses if isinstance(c, kind))

    @property
    def anchor(self) -> str:
        """The variable of the thing in the picture; "" as long as the form has no picture."""
        images = self.of(Image)
        assert len(images) < 2, "a form has one picture"
        return images[0].var if images else ""

    @property
    def shown_reads(self) -> tuple[Reads, ...]:
        """The details that a solver reads in the question's own picture."""
        return tuple(c for c in self.of(Reads) if c.of == self.anchor)

    @property
    def later_reads(self) -> tuple[Reads, ...]:
        """The details that a solver reads in pictures of things that must be found first."""
        return tuple(c for c in self.of(Reads) if c.of != self.anchor)

    @property
    def sign(self) -> str:
        """The property whose value is the question's picture, if the picture is a sign (a flag, a logo); else ""."""
        return next((c.sign for c in self.of(Image)), "")

    def without(self, clause: Clause) -> "Form":
        """The form without one of its clauses, for counting effective hops and for planted faults."""
        return Form(clauses=tuple(c for c in self.clauses if c is not clause), ask=self.ask)

    def to_json(self) -> dict[str, Any]:
        """The form as plain JSON, for records and prompts."""
        out = []
        for clause in self.clauses:
            entry: dict[str, Any] = {"is": _NAMES[type(clause)]}
            for name, value in vars(clause).items():
                if name in _OPTIONAL and not value:
                    continue  # most pictures are views, not signs
                if name in ("args", "keys"):
                    entry[name] = [_term_json(t) for t in value]
                elif name in _TERM_FIELDS:
                    entry[name] = _term_json(value)
                else:
                    entry[name] = value
            out.append(entry)
        return {"clauses": out, "ask": vars(self.ask)}

    @staticmethod
    def from_json(data: Any) -> "Form":
        """Reads the form from JSON that `to_json` made.

        Raises: ValueError: the JSON has an unknown clause, or an unknown or missing field (in a model's reply or a
        damaged row).
        """
        try:
            clauses = []
            for entry in data["clauses"]:
                fields = {k: v for k, v in entry.items() if k != "is"}
                for name in fields:
                    if name in ("args", "keys"):
                        fields[name] = tuple(_term(t) for t in fields[name])
                    elif name in _TERM_FIELDS:
                        fields[name] = _term(fields[name])
                clauses.append(_KINDS[entry["is"]](**fields))
            return Form(clauses=tuple(clauses), ask=Ask(**data["ask"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no logical form: {error!r}") from error


def variables(clause: Clause) -> tuple[str, ...]:
    """The variables that a clause names, in order, without duplicates."""
    terms: list[Any] = []
    for name, value in vars(clause).items():
        if name in ("args", "keys"):
            terms.extend(value)
        elif name in ("var", "out", "of") or name in _TERM_FIELDS:
            terms.append(value)
    return tuple(dict.fromkeys(t for t in terms if isinstance(t, str)))
