"""Searches the truth for all values of variables that make a question's conditions (atoms) true."""

from collections.abc import Iterator

from benchmarks.truth_reader.query import (
    Atom,
    Compared,
    Differ,
    Has,
    Kind,
    Named,
    Pictured,
    Related,
    Seen,
    Winner,
    inverse,
    variables,
)
from benchmarks.truth_reader.world import Literal, Number, Text, Truth


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
