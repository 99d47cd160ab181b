"""The meaning of a question as conditions (atoms) on variables.

Variables are strings. A variable for a thing has an id as its value. A variable for a literal has a
date, number or text as its value.
"""

from dataclasses import dataclass, fields

from benchmarks.truth_reader.world import Date, Number, Text

ORDER = ("first", "second", "third")
"""The words that tell apart several things of one kind, in the order of their first mention."""
ONE = "one"
"""The noun of "the first one": it stands for the noun of which two things were mentioned."""
SELF = "self"
"""The variable for the subject of a verb phrase, as long as the phrase has no noun; the noun's own
variable later takes its place.
"""
WRITTEN = "written"
"""The variable for the year that a sentence such as "A year is written in this picture."
introduces.
"""


@dataclass(frozen=True)
class Pictured:
    """The picture of the question shows the thing `var`."""

    var: str


@dataclass(frozen=True)
class Named:
    """The thing `var` has the name `name`."""

    var: str
    name: str


@dataclass(frozen=True)
class Kind:
    """The thing `var` belongs to the class or occupation that a noun names."""

    var: str
    noun: str


@dataclass(frozen=True)
class Called:
    """An earlier phrase called the thing `var` by the noun `noun` ("the spouse of …"). Later words
    may use this noun to refer back to the thing.
    """

    var: str
    noun: str


@dataclass(frozen=True)
class Related:
    """The relation `relation` (see the lexicon) leads from `var` to `other`."""

    var: str
    relation: str
    other: str


@dataclass(frozen=True)
class Has:
    """`var` has the value `literal` for one of the given `properties`."""

    var: str
    properties: str
    literal: str


@dataclass(frozen=True)
class Compared:
    """A comparison between two literals. The operator is "<", ">" or "=", or "year" for dates in
    the same year.

    `right` is a variable or a constant.
    """

    left: str
    op: str
    right: str | Date | Number | Text


@dataclass(frozen=True)
class Seen:
    """A picture of the thing `var` shows the detail `literal` on the thing's part `part` ("" for
    any part).

    `what` says what kind of detail it is: year, number, text, count or colour. If the question's
    own picture shows `var`, only this picture counts.
    """

    var: str
    literal: str
    part: str
    what: str


@dataclass(frozen=True)
class Back:
    """`var` refers back to an earlier thing, in the way that the field `mode` says.

    The mode "that" means the thing called `noun`. The mode "other" means the second of two things
    called `noun`, and so does "that other"; after "another river", only that river. The mode "it"
    means a thing that was just mentioned and can be so. The mode "pronoun" means a person, and
    `noun` is he or she. The mode "one" means a thing in the picture that is of the same kind as the
    last named thing. The mode "compared" means one of the things that a sentence compares
    (`Together`): the first or the last by some properties, such as "first P571". The mode "twin"
    means any thing before: "by the same artist" as that. The mode "another" means no earlier thing,
    but one of the kind of the thing whose verb it follows: "a river that flows into another".
    """

    var: str
    noun: str
    mode: str


@dataclass(frozen=True)
class Described:
    """A description with "the", of the thing `var`, called `noun`. If it repeats what the text has
    said of a thing, it means this thing.

    `said` are the conditions of the description. The description ends at the position `end`.
    """

    var: str
    noun: str
    said: tuple["Atom", ...]
    end: int


@dataclass(frozen=True)
class Another:
    """`var` differs from all earlier things that are called `noun`."""

    var: str
    noun: str


@dataclass(frozen=True)
class Differ:
    """The two variables stand for different things."""

    var: str
    other: str


@dataclass(frozen=True)
class Winner:
    """`var` is one of the variables in `among`. Of the literals in `keys`, one for each variable in
    `among`, the literal that belongs to `var` is the least or the greatest.
    """

    var: str
    among: tuple[str, ...]
    keys: tuple[str, ...]
    greatest: bool


@dataclass(frozen=True)
class Together:
    """Two or more things, which a sentence compares."""

    var: str
    among: tuple[str, ...]


Atom = (
    Together
    | Called
    | Pictured
    | Named
    | Kind
    | Related
    | Has
    | Compared
    | Seen
    | Back
    | Described
    | Another
    | Differ
    | Winner
)


@dataclass(frozen=True)
class Target:
    """What the question asks for, such as a thing or a year.

    The kind is "thing", "century", "year", "month", "day", "number", "text", "count", or a
    computation with two literals. The computations are `years` (between two years), `full_years`
    (between two days), `difference`, `sum` and `ratio`.
    """

    kind: str
    vars: tuple[str, ...]
    unit: str = ""


@dataclass(frozen=True)
class Query:
    """The meaning of a question in one possible reading."""

    atoms: tuple[Atom, ...]
    asked: Target
    cost: int = 0
    """The sum of the distances between modifiers and their nouns. People prefer the reading with
    the smallest sum.
    """


def renamed(atom: Atom, old: str, new: str) -> Atom:
    """Returns the atom with one variable replaced by another."""

    def swap(value):
        return (
            tuple(swap(v) for v in value)
            if isinstance(value, tuple)
            else renamed(value, old, new)
            if isinstance(value, Atom)
            else new
            if value == old
            else value
        )

    constant = {"name", "noun", "relation", "properties", "op", "part", "what", "mode", "greatest"}
    return type(atom)(
        **{
            f.name: v if f.name in constant else swap(v)
            for f in fields(atom)
            for v in [getattr(atom, f.name)]
        }
    )


def place_of(var: str) -> int:
    """The position in the text at which a variable's phrase begins."""
    digits = "".join(c for c in var if c.isdigit())
    return int(digits) if digits else 10_000


def variables(atom: Atom) -> tuple[str, ...]:
    match atom:
        case Related(var, _, other) | Differ(var, other):
            return var, other
        case Has(var, _, literal) | Seen(var, literal, _, _):
            return var, literal
        case Compared(left, _, right):
            return (left, right) if isinstance(right, str) else (left,)
        case Winner(var, among, keys, _):
            return (var, *among, *keys)
        case _:
            return (atom.var,)


def inverse(relation: str) -> str:
    """Returns the inverse of a relation, which is the same relation seen from its other end.

    >>> inverse(">P84 >P287 @in")
    '<P84 <P287 @in^'
    """
    return " ".join(
        p.removesuffix("^")
        if p.endswith("^")
        else f"{p}^"
        if p[0] == "@"
        else {"<": ">", ">": "<"}[p[0]] + p[1:]
        for p in relation.split()
    )
