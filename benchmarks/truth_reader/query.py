"""The meaning of a question as conditions (atoms) on variables. A search finds every answer that
the truth allows.

Variables are strings. A variable for a thing has an id as its value. A variable for a literal has a
date, number or text as its value.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from benchmarks.truth_reader.world import Date, Literal, Number, Text, Truth

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
    called `noun`. The mode "it" means any thing that was just mentioned. The mode "pronoun" means a
    person, and `noun` is he or she. The mode "one" means a thing in the picture that is of the same
    kind as the last named thing. The mode "compared" means one of the things that a sentence
    compares (`Together`): the first or the last by some properties, such as "first P571". The mode
    "twin" means any thing before: "by the same artist" as that.
    """

    var: str
    noun: str
    mode: str


@dataclass(frozen=True)
class Told:
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
    | Told
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


def matches(left: Literal, op: str, right: Literal) -> bool:
    """Whether the comparison of two literals is true.

    "Before 1832" means before the year 1832 begins. Two dates of different precision count as equal
    if one can lie within the other.
    """
    if isinstance(left, tuple) and isinstance(right, tuple):
        if op == "year":
            return left[0] == right[0]
        shared = [(a, b) for a, b in zip(left, right, strict=True) if a and b]
        one, two = [a for a, _ in shared], [b for _, b in shared]
        return one == two if op == "=" else one < two if op == "<" else one > two
    if isinstance(left, Number) and isinstance(right, Number):
        a, b = left.number, right.number
        same = abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1.0)
        return (not right.unit or left.unit == right.unit) and (
            same if op == "=" else not same and (a < b if op == "<" else a > b)
        )
    return op == "=" and left == right


class TooMany(Exception):
    """The search for the answers of a reading is too large, so the question counts as unreadable."""


class Execution:
    """Finds all assignments of values with which the truth satisfies a query.

    Args:
        truth: the truth of the world.
        is_kind: function of (truth, id, noun) that returns whether the noun says what the thing is.
        picture: the names of the files that hold the question's picture.
        beyond: whether "in a place" includes smaller places inside the place.
    """

    MOST = 200_000

    def __init__(
        self, truth: Truth, is_kind, picture: frozenset[str], *, beyond: bool = True
    ) -> None:
        self.truth, self.is_kind, self.picture, self.beyond = truth, is_kind, picture, beyond
        self.steps = 0

    def solutions(self, atoms: tuple[Atom, ...], given: dict | None = None) -> Iterator[dict]:
        """Yields every assignment of values to the variables with which all atoms are true.

        The variables in `given` have their values from the start.
        """
        yield from self._search(list(atoms), given or {})

    def _search(self, left: list[Atom], bound: dict) -> Iterator[dict]:
        if not left:
            yield bound
            return
        self.steps += 1
        if self.steps > self.MOST:
            raise TooMany
        atom = min(left, key=lambda a: self._work(a, bound))
        rest = [a for a in left if a is not atom]
        for more in self._extend(atom, bound):
            yield from self._search(rest, more)

    def _work(self, atom: Atom, bound: dict) -> float:
        free = [v for v in variables(atom) if v not in bound]
        if not free:
            return 0
        match atom:
            case Pictured():
                return 1
            case Named():
                return 1.5
            case Related(_, relation, _) if len(free) == 1:
                return 6 if "@" in relation or relation == "<P17" else 2
            case Has(var, _, _) | Seen(var, _, _, _) if var in bound:
                return 1.5
            case Winner(var, among, keys, _) if all(v in bound for v in (*among, *keys)):
                return 1
            case Kind():
                return 50
            case _:
                return float("inf")

    def _extend(self, atom: Atom, bound: dict) -> Iterator[dict]:
        truth = self.truth
        match atom:
            case Pictured(var):
                yield from self._among(var, truth.shows(self.picture), bound)
            case Named(var, name):
                yield from self._among(var, truth.by_label.get(name, ()), bound)
            case Kind(var, noun):
                among = [bound[var]] if var in bound else truth.things
                yield from self._among(
                    var, (e for e in among if self.is_kind(truth, e, noun)), bound
                )
            case Related(var, relation, other):
                yield from self._related(var, relation, other, bound)
            case Has(var, properties, literal):
                if var not in bound:
                    raise TooMany
                for prop in properties.split():
                    for value in truth.things[bound[var]].literals.get(prop, ()):
                        if literal not in bound or matches(bound[literal], "=", value):
                            yield {**bound, literal: value}
            case Compared(left, op, right):
                if left not in bound or (isinstance(right, str) and right not in bound):
                    raise TooMany
                if matches(bound[left], op, bound[right] if isinstance(right, str) else right):
                    yield bound
            case Seen(var, literal, part, what):
                if var not in bound:
                    raise TooMany
                for value in self._seen(bound[var], part, what):
                    if literal not in bound or bound[literal] == value:
                        yield {**bound, literal: value}
            case Differ(var, other):
                if bound[var] != bound[other]:
                    yield bound
            case Winner(var, among, keys, greatest):
                values = [bound[k] for k in keys]
                if _comparable(values):
                    best = (max if greatest else min)(values, key=_order)
                    if sum(_order(v) == _order(best) for v in values) == 1:
                        yield from self._among(var, [bound[among[values.index(best)]]], bound)
            case _:
                raise AssertionError(f"{atom} was to be resolved before")

    def _among(self, var: str, ids, bound: dict) -> Iterator[dict]:
        for id_ in sorted(ids):
            if bound.get(var, id_) == id_:
                yield {**bound, var: id_}

    def _related(self, var: str, relation: str, other: str, bound: dict) -> Iterator[dict]:
        if var in bound:
            yield from self._among(
                other, self.truth.related(bound[var], relation, beyond=self.beyond), bound
            )
        elif other in bound:
            yield from self._among(
                var, self.truth.related(bound[other], inverse(relation), beyond=self.beyond), bound
            )
        else:
            raise TooMany

    def _seen(self, id_: str, part: str, what: str) -> list[Literal]:
        """The details that the pictures of a thing show. A detail counts as a year if an
        inscription contains the year.
        """
        found: list[Literal] = []
        is_shown = id_ in self.truth.shows(self.picture)
        for detail in self.truth.things[id_].details:
            if is_shown and detail["picture"] not in self.picture:
                continue
            if part and part not in PARTS.get(detail["part"], ()):
                continue
            prop, readable = detail["property"], detail["readable"]
            if (what == "count" and prop == "P1114") or (
                what == "number" and readable.replace(",", "").isdigit()
            ):
                found.append(Number(float("".join(c for c in readable if c.isdigit()))))
            elif what == "year" and prop == "P1684" and (years := _years(readable)):
                found.extend((year, 0, 0) for year in years)
            elif (what == "text" and prop == "P1684") or (what == "colour" and prop == "P462"):
                found.append(Text(readable))
        return list(dict.fromkeys(found))


PARTS = {
    "Q721747": ("commemorative plaque", "plaque"),
    "Q12277": ("arch",),
    "Q4817": ("column",),
    "Q14660": ("flag",),
    "Q36794": ("door",),
    "Q1640824": ("inscription",),
}
"""The names of the parts of a thing that can carry a visible detail (such as a plaque), by the
part's id.
"""


def _years(text: str) -> list[int]:
    """Finds the years from 1000 to 2029 in an inscription.

    >>> _years("Erected 1873"), _years("No. 793")
    ([1873], [])
    """
    digits = "".join(c if c.isdigit() else " " for c in text).split()
    return [int(d) for d in digits if len(d) == 4 and 1000 <= int(d) < 2030]


def _order(value: Literal):
    return (
        value[0]
        if isinstance(value, tuple)
        else value.number
        if isinstance(value, Number)
        else value.text
    )


def _comparable(values: list[Literal]) -> bool:
    return (
        len({type(v) for v in values}) == 1
        and len({v.unit for v in values if isinstance(v, Number)}) <= 1
    )


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
