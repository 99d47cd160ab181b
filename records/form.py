"""The logical form of a question. The logical form says what the question asks, independent of its
wording. A later stage puts the form into words.

A form is a conjunctive query over claims (facts of Wikidata). One of its variables stands for the
thing in the picture. A *term* is either the name of a variable ("x1") or a `Value`.
`transforms/certificate/` executes a form on the store. `transforms/writing/` puts a form into
English. Each question stores its form as JSON.

This form asks for the year of birth of the architect of the building in the picture:

```
Form(clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"),
              ClaimClause(subject="x1", property="P569", object="a")),
     ask=Ask(var="a", type="date", precision="year"))
```
"""

from dataclasses import dataclass
from functools import cached_property
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
    """The property whose value is the picture, if the picture shows only a sign of `var`, such as
    its flag (P41)."""


@dataclass(frozen=True, kw_only=True)
class ClaimClause:
    """The clause states that the store has a claim with this subject, property and object, and that
    no claim of the same property outranks it."""

    subject: Term
    property: str
    object: Term


@dataclass(frozen=True, kw_only=True)
class ClassClause:
    """The clause states that `var` is an instance of the class `class_id` or of one of its
    subclasses."""

    var: str
    class_id: str


@dataclass(frozen=True, kw_only=True)
class Compare:
    """The clause states that the relation `op` holds between `left` and `right`. Each side is a
    literal (a number or a date), or a variable that stands for a literal."""

    left: Term
    op: str
    right: Term


@dataclass(frozen=True, kw_only=True)
class Compute:
    """The clause states that the operation `op`, applied to `args`, gives `out`. The code of each
    operation is in `transforms/certificate/compute.py`.

    * difference, ratio and sum take two numbers.
    * duration_years takes two dates, and gives whole calendar years.
    * earliest, latest, largest and smallest give that *entity* in `args` whose literal in `keys` is
      the earliest, latest, largest or smallest.
    * count gives the number of values in a closed set.
    """

    out: str
    op: str
    args: tuple[Term, ...]
    keys: tuple[Term, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reads:
    """The clause states that `var` is a detail which can be read only in a picture of `of`, by
    looking closely.

    If the question's own picture shows `of`, a solver (who answers the question) reads the detail
    there. Otherwise the solver reads the detail in a picture on the page of `of`, which is called a
    *later* picture. `property` and `part` say which detail it is, as in
    `questloom.records.knowledge.Detail`.
    """

    var: str
    of: str
    property: str
    part: str = ""


@dataclass(frozen=True, kw_only=True)
class SentenceClause:
    """The clause states that a sentence of the subject's page links subject and object. No claim
    links subject and object. A model that read the page said so (`records.plan.TextFact`)."""

    subject: str
    object: Term
    article_id: str
    revision: int
    section: int
    start: int
    end: int
    text: str = ""
    relation: str = ""
    """The words of the sentence that say what the object is to the subject: "was restored by"."""
    target: str = ""
    """The entity that the sentence names as the object."""
    votes: int = 0
    """Number of replies of a model that state this relation."""


FUZZY_KINDS = ("category", "range", "meta-attribute", "arithmetic", "exclusion")


@dataclass(frozen=True, kw_only=True)
class Fuzzy:
    """The clause describes the value of a claim of `subject`, because the question does not name
    this value (FORT-Searcher, arXiv 2606.12087).

    * category: the value is of the class `object`.
    * range: the value is a date in the decade or century `object`.
    * meta-attribute: the value is of the class `object`, and its name has `number` words or begins
      with `initial`.
    * arithmetic: the value is a date `number` years after the date `since` of the variable
      `object`. If `number` is negative, the value is earlier than this date.
    * exclusion: the value is not `object`, and is not located in `object`.
    """

    kind: str
    """Of `FUZZY_KINDS`."""
    subject: str
    property: str
    object: Term
    number: int = 0
    initial: str = ""
    since: str = ""
    """The years are counted from the date that `object` has for this property."""


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
_OPTIONAL = {"sign", "number", "initial", "since", "relation", "target", "votes"}
"""Fields that are empty in most clauses; the JSON leaves them out if they are empty."""
_TERM_FIELDS = {"subject", "object", "left", "right"}


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What the question asks for: which variable, of which type, and how precisely."""

    var: str
    type: str
    unit: str = ""
    precision: str = ""
    """The precision of a date: "century", "year", "month" or "day". For other answers the precision
    is ""."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """The clauses of a question, and what the question asks for. Equal forms have equal JSON, so an
    id can be made from a form."""

    clauses: tuple[Clause, ...]
    ask: Ask

    def of(self, kind: type) -> tuple:
        """All clauses of one kind, in order."""
        return tuple(c for c in self.clauses if isinstance(c, kind))

    @cached_property
    def anchor(self) -> str:
        """The variable that stands for the thing in the picture; "" if the form has no picture
        yet."""
        images = self.of(Image)
        assert len(images) < 2, "a form has one picture"
        return images[0].var if images else ""

    @property
    def shown_reads(self) -> tuple[Reads, ...]:
        """The details that must be read in the question's own picture."""
        return tuple(c for c in self.of(Reads) if c.of == self.anchor)

    @property
    def later_reads(self) -> tuple[Reads, ...]:
        """The details that must be read in pictures of other things, which a solver has to find
        first."""
        return tuple(c for c in self.of(Reads) if c.of != self.anchor)

    @property
    def sign(self) -> str:
        """If the question's picture is a sign (a flag, a logo), the property whose value is this
        picture; otherwise ""."""
        return next((c.sign for c in self.of(Image)), "")

    def without(self, clause: Clause) -> "Form":
        """The same form without one clause. A form without one clause is used to count effective
        hops, and to plant faults on purpose."""
        return Form(clauses=tuple(c for c in self.clauses if c is not clause), ask=self.ask)

    def to_json(self) -> dict[str, Any]:
        """The form as plain JSON, which records and prompts contain."""
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
        """Reads a form from JSON that `to_json` has written.

        Raises:
            ValueError: the JSON has an unknown clause or field, or lacks a field, as a model's
                reply or a damaged row may.
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
    """The variables that a clause contains, in order, each one once."""
    terms: list[Any] = []
    for name, value in vars(clause).items():
        if name in ("args", "keys"):
            terms.extend(value)
        elif name in ("var", "out", "of") or name in _TERM_FIELDS:
            terms.append(value)
    return tuple(dict.fromkeys(t for t in terms if isinstance(t, str)))
