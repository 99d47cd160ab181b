"""The logical form of a question: what the question asks, apart from its wording. The English words
are written later.

A form is a conjunctive query over claims, and one variable is the thing in the picture. A *term* is
a variable name ("x1") or a `Value`. `transforms/certificate/` executes a form on the store, and
`transforms/writing/` puts it into English. Each question stores its form as JSON.

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
    """The picture of the question shows `var`. A form has exactly one clause of this kind."""

    var: str
    sign: str = ""
    """The property whose value is the picture, where the picture is a sign of `var` (P41: its flag)
    and does not show it."""


@dataclass(frozen=True, kw_only=True)
class ClaimClause:
    """The store has a best claim with this subject, property and object."""

    subject: Term
    property: str
    object: Term


@dataclass(frozen=True, kw_only=True)
class ClassClause:
    """`var` is an instance of `class_id` or of a subclass."""

    var: str
    class_id: str


@dataclass(frozen=True, kw_only=True)
class Compare:
    """`left` and `right` stand in the relation `op`. `left` and `right` are literals (numbers,
    dates) or variables for literals."""

    left: Term
    op: str
    right: Term


@dataclass(frozen=True, kw_only=True)
class Compute:
    """`out` is `op` over `args`; `transforms/certificate/compute.py` holds the code of each `op`.

    difference, ratio, sum: two numbers; duration_years: two dates, in whole years of the calendar;
    earliest, latest, largest, smallest: the *entity* of `args` (variables) whose literal in `keys` wins;
    count: the number of values of a closed set.
    """

    out: str
    op: str
    args: tuple[Term, ...]
    keys: tuple[Term, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reads:
    """`var` is the value of a detail that only a close look at a picture of `of` shows.

    Where the question's picture shows `of`, a solver reads the detail there. Otherwise a solver
    reads it on a picture of `of`'s page (a *later* picture). `property` and `part` name the detail
    as `questloom.records.knowledge.Detail` does.
    """

    var: str
    of: str
    property: str
    part: str = ""


@dataclass(frozen=True, kw_only=True)
class SentenceClause:
    """A sentence of an article links subject and object, and no claim does (a link that only a text states)."""

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
    """The variable that the question asks for, the answer's type, and its precision."""

    var: str
    type: str
    unit: str = ""
    precision: str = ""
    """"century", "year", "month", "day" for dates; "" otherwise."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """The clauses and the asked variable of a question. Equal forms have equal JSON, so a form can
    be part of an id."""

    clauses: tuple[Clause, ...]
    ask: Ask

    def of(self, kind: type) -> tuple:
        """The clauses of one kind, in order."""
        return tuple(c for c in self.clauses if isinstance(c, kind))

    @property
    def anchor(self) -> str:
        """The variable that the picture shows, or "" while the form still has no picture."""
        images = self.of(Image)
        assert len(images) < 2, "a form has one picture"
        return images[0].var if images else ""

    @property
    def shown_reads(self) -> tuple[Reads, ...]:
        """The details that a solver reads on the question's own picture."""
        return tuple(c for c in self.of(Reads) if c.of == self.anchor)

    @property
    def later_reads(self) -> tuple[Reads, ...]:
        """The details that a solver reads on pictures of things that must be found first."""
        return tuple(c for c in self.of(Reads) if c.of != self.anchor)

    @property
    def sign(self) -> str:
        """The property whose value is the question's picture, where the picture is a sign (a flag,
        a logo); else ""."""
        return next((c.sign for c in self.of(Image)), "")

    def without(self, clause: Clause) -> "Form":
        """The form without one clause (for effective hops and planted faults)."""
        return Form(clauses=tuple(c for c in self.clauses if c is not clause), ask=self.ask)

    def to_json(self) -> dict[str, Any]:
        """The form as plain JSON, for rows and prompts."""
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
        """The form that JSON from `to_json` describes.

        Raises:
            ValueError: the JSON has an unknown clause, or a missing or unknown field (a model's
                reply, a damaged row).
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
