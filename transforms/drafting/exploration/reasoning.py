"""Reasoning nodes: what follows from two observations of a graph. Only what belongs together is computed with.

    difference, ratio                     years between two dates of linked things; one measure of two things of a kind
    earliest, latest, largest, smallest   the one of two things of a kind that comes first or is greater; a question goes on from it

A count of claims is not offered: no set of claims is known to be complete.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from questloom.knowledge.dates import coarsened
from questloom.records.knowledge import entity_value
from questloom.records.periods import YEAR
from questloom.transforms.certificate.compute import compute
from questloom.transforms.certificate.evidence import is_named
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.writing.evidence import EvidenceGraph, Link, Observation, Reasoning
from questloom.transforms.writing.graph.clues import attributes
from questloom.transforms.writing.graph.graph_writer import MAKERS

CHOOSES = frozenset({"earliest", "latest", "largest", "smallest"})
"""Operations that give one of the things compared."""
GENERATIONS = frozenset({"P22", "P25", "P40", "P1066", "P802", "P184", "P185"})
"""Relations of which anybody knows which of the two was born first."""
LONGEST = 400
"""Years between two dates that somebody would still count."""


def observations(
    facts: Lookups, node: str, max_words: int, *, stated: bool = False
) -> list[Observation]:
    """The dates and measures of a node that a question may speak of.

    Args:
        facts: the store.
        node: a thing of the store.
        max_words: of the value in words.
        stated: whether a page of either end must name the other.
    """
    entity = facts.entity(node)
    assert entity is not None
    return [
        Observation(node=node, property=claim.property, value=claim.value)
        for _, claim, answer in attributes(facts, entity, max_words, frozenset())
        if claim.value.kind in ("time", "quantity")
        and (claim.value.kind != "time" or claim.value.year is not None)
        and (not stated or is_named(facts, claim))
    ]


def reasonings(graph: EvidenceGraph, facts: Lookups, max_words: int) -> list[Reasoning]:
    """All reasoning nodes that a graph allows, in a fixed order."""
    seen = {
        n.id: [o for o in graph.perceptions if o.node == n.id and o.value.year is not None]
        for n in graph.nodes
    }
    said = {n.id: observations(facts, n.id, max_words) for n in graph.nodes}
    found = [
        r
        for node in seen
        for look in seen[node]
        for date in said[node]
        if date.value.kind == "time" and (r := years_between(look, date))
    ]
    for one, other in combinations([n.id for n in graph.nodes], 2):
        between = [k for k in graph.links if {k.source, k.target} == {one, other}]
        found += reason_over(
            facts,
            (*seen[one], *said[one]),
            (*seen[other], *said[other]),
            counts=belong_together(facts, one, other, between),
            compares=alike(facts, one, other) and (bool(between) or _beside(graph, one, other)),
            links=frozenset(k.property for k in between),
        )
    return list(dict.fromkeys(found))


def reason_over(
    facts: Facts,
    of_one: Sequence[Observation],
    of_other: Sequence[Observation],
    *,
    counts: bool,
    compares: bool,
    links: frozenset[str],
) -> Iterator[Reasoning]:
    """What follows from the observations of two things.

    Args:
        facts: the store.
        of_one, of_other: what is seen and said of each.
        counts: whether somebody would count the years between any two of their dates.
        compares: whether somebody would ask which of them is older or taller.
        links: the relations between the two.
    """
    pairs = [(a, b) for a in of_one for b in of_other]
    if counts:
        for a, b in pairs:
            dated = a.value.kind == b.value.kind == "time" and not (a.seen and b.seen)
            # Of two people ages are compared, or deaths: nobody counts from the birth of the one to the death of the other.
            mixed = not (a.seen or b.seen) and a.property != b.property and _people(facts, a, b)
            if dated and not mixed and (r := years_between(a, b)):
                yield r
    for a, b in pairs if compares else ():
        known = a.value.kind == "time" and links & GENERATIONS
        if a.property == b.property and not (a.seen or b.seen or known):
            yield from compare(a, b)


def _people(facts: Facts, *seen: Observation) -> bool:
    return all((entity := facts.entity(o.node)) and entity.domain == "person" for o in seen)


def belong_together(facts: Facts, one: str, other: str, between: Iterable[Link]) -> bool:
    """Whether somebody would count the years between dates of two linked things: both of one kind, or a thing and its maker, but no places."""
    domains = {entity.domain for e in (one, other) if (entity := facts.entity(e))}
    links = list(between)
    return (
        bool(links)
        and "location" not in domains
        and (len(domains) == 1 or any(k.property in MAKERS for k in links))
    )


def alike(facts: Facts, one: str, other: str) -> bool:
    """Whether two things are of one kind, so that it means something which of them is older or taller."""
    return bool(find_descriptor_class(facts, one)) and find_descriptor_class(
        facts, one
    ) == find_descriptor_class(facts, other)


def _beside(graph: EvidenceGraph, one: str, other: str) -> bool:
    """Whether two nodes are linked to a third."""
    near = [
        {k.target for k in graph.from_node(n)} | {k.source for k in graph.links if k.target == n}
        for n in (one, other)
    ]
    return bool(near[0] & near[1])


def years_between(one: Observation, other: Observation) -> Reasoning | None:
    """The years between two dates; None where they are equal or nobody would count them."""
    span = compute("difference", (coarsened(one.value, YEAR), coarsened(other.value, YEAR)))
    if span is None or not span.number or span.number > LONGEST:
        return None
    return Reasoning(op="difference", first=one, second=other, result=span)


def compare(one: Observation, other: Observation) -> Iterator[Reasoning]:
    """What two values of one property give: the difference and ratio of measures, and which thing wins."""
    ends = (entity_value(one.node), entity_value(other.node))
    if one.value.kind == "time":
        years = (coarsened(one.value, YEAR), coarsened(other.value, YEAR))
        for op in ("earliest", "latest"):
            if winner := compute(op, ends, years):
                yield Reasoning(op=op, first=one, second=other, result=winner)
        return
    for op in ("largest", "smallest"):
        if winner := compute(op, ends, (one.value, other.value)):
            yield Reasoning(op=op, first=one, second=other, result=winner)
    difference = compute("difference", (one.value, other.value))
    if difference is not None and difference.number:
        yield Reasoning(op="difference", first=one, second=other, result=difference)
    first, second = sorted((one, other), key=lambda o: -(o.value.number or 0.0))
    ratio = compute("ratio", (first.value, second.value))
    # A ratio that has to be rounded has no one right answer.
    if (
        ratio is not None
        and ratio.number
        and ratio.number >= 1.5
        and abs(ratio.number * 10 - round(ratio.number * 10)) < 1e-9
    ):
        yield Reasoning(op="ratio", first=first, second=second, result=ratio)
