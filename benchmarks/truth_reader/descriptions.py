"""Finds the thing that a description with "the" means, if it repeats what the text has said: "A museum
houses a painting. … the painting in that museum".
"""

from collections.abc import Iterator, Mapping

from benchmarks.truth_reader.query import (
    Atom,
    Called,
    Compared,
    Described,
    Has,
    Kind,
    Named,
    Pictured,
    Query,
    Related,
    Seen,
    Target,
    inverse,
    place_of,
    renamed,
    variables,
)
from benchmarks.truth_reader.world import WHERE

Means = dict[str, str]
"""The earlier variable that each variable of a description stands for."""
BESIDE = 50
"""The cost of each further thing that a description fits: people find it as natural."""


def repeated(
    query: Query, told: Described, start: int, nouns: Mapping[str, set[str]]
) -> list[Query]:
    """Returns a query for each thing that the description may repeat, the last told first.

    A description that repeats nothing stands for itself.

    Args:
        query: the query; the words within the description that refer back have been resolved.
        told: the description.
        start: the position where the description's sentence begins.
        nouns: the nouns for each thing (see `references.called`).
    """
    atoms = tuple(a for a in query.atoms if a != told)
    new = {
        v for a in told.said for v in variables(a) if place_of(told.var) <= place_of(v) < told.end
    }
    said = [a for a in told.said if new & {*variables(a)}]
    before = [a for a in atoms if all(place_of(v) < start for v in variables(a))]
    pictured = {a.var for a in before if isinstance(a, Pictured)}  # it is "this painting"
    names = {a.var for a in said if isinstance(a, Kind | Called)}
    claims = sorted(said, key=lambda a: isinstance(a, Kind | Called))
    found: dict[str, Means] = {}
    for means in _fits(claims, before, new, {}, nouns) if told.var in names else ():
        if told.var in means and means[told.var] not in pictured:
            found.setdefault(means[told.var], means)
    if not found:
        return [Query(atoms, query.asked, query.cost)]
    queries = []
    for rank, thing in enumerate(sorted(found, key=place_of, reverse=True)):
        left, asked = [a for a in atoms if a not in said], query.asked.vars
        for old, meant in found[thing].items():
            left = [renamed(a, old, meant) for a in left]
            asked = tuple(meant if v == old else v for v in asked)
        target = Target(query.asked.kind, asked, query.asked.unit)
        queries.append(Query(tuple(dict.fromkeys(left)), target, query.cost + BESIDE * rank))
    return queries


def _fits(
    claims: list[Atom],
    before: list[Atom],
    new: set[str],
    means: Means,
    nouns: Mapping[str, set[str]],
) -> Iterator[Means]:
    """Yields each way in which the text has said all claims of a description."""
    if not claims:
        yield means
        return
    claim, *rest = claims
    if isinstance(claim, Kind | Called):
        if claim.var in means and is_called(claim.noun, nouns.get(means[claim.var], set())):
            yield from _fits(rest, before, new, means, nouns)
        return
    for atom in before:
        for pairs in _same(claim, atom):
            more = dict(means)
            if all(more.setdefault(v, w) == w if v in new else v == w for v, w in pairs):
                yield from _fits(rest, before, new, more, nouns)


def is_called(noun: str, nouns: set[str]) -> bool:
    """Whether a noun is one of a thing's nouns, or the last word of one ("station")."""
    return noun in nouns or any(n.split(" ")[-1] == noun for n in nouns)


def _same(claim: Atom, atom: Atom) -> Iterator[list[tuple[str, str]]]:
    """Yields the pairs of variables that must stand for the same, if an earlier atom says a claim."""
    match claim, atom:
        case Related(var, relation, other), Related(left, earlier, right):
            if parts_of(relation) & parts_of(earlier):
                yield [(var, left), (other, right)]
            if parts_of(relation) & parts_of(inverse(earlier)):
                yield [(var, right), (other, left)]
        case Has(var, properties, literal), Has(left, earlier, right):
            if {*properties.split()} & {*earlier.split()}:
                yield [(var, left), (literal, right)]
        case Compared(var, op, value), Compared(left, same, right) if op == same:
            if isinstance(value, str) and isinstance(right, str):
                yield [(var, left), (value, right)]
            elif value == right:
                yield [(var, left)]
        case Named(var, name), Named(left, same) if name == same:
            yield [(var, left)]
        case Seen(var, literal, part, what), Seen(left, right, p, w) if (part, what) == (p, w):
            yield [(var, left), (literal, right)]
        case Pictured(var), Pictured(left):
            yield [(var, left)]


def parts_of(relation: str) -> frozenset[str]:
    """The single meanings of a relation; "in a place" is each property of a place."""
    found: set[str] = set()
    for part in relation.split():
        if part[0] == "@":
            arrow = "<" if part.endswith("^") else ">"
            found |= {f"{arrow}{p}" for p in (*WHERE, *(["P159"] if "hq" in part else []))}
        else:
            found.add(part)
    return frozenset(found)
