"""Reasoning nodes: what follows from two observations of a graph. Only what belongs together is computed with.

    difference, ratio                     years between two dates of linked things; one measure of two things of a kind
    earliest, latest, largest, smallest   the one of two things of a kind that comes first or is greater; a question goes on from it

A count of claims is not offered: no set of claims is known to be complete.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from questloom.knowledge.dates import coarsened
from questloom.records.knowledge import Value, entity_value
from questloom.records.periods import YEAR
from questloom.transforms.certificate.compute import compute
from questloom.transforms.certificate.evidence import is_named
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.writing.graph.clues import attributes

CHOOSES = frozenset({"earliest", "latest", "largest", "smallest"})
"""Operations that give one of the things compared."""
GENERATIONS = frozenset({"P22", "P25", "P40", "P1066", "P802", "P184", "P185"})
"""Relations of which anybody knows which of the two was born first."""
LONGEST = 400
"""Years between two dates that somebody would still count."""
PLACE_OF = {"P569": "P19", "P570": "P20", "P571": "P740"}
"""Of an event by which two things are compared the place is not asked: "where did the one who died later die?"."""


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One value of a node: of a claim, or of a detail of its picture."""

    node: str
    property: str
    value: Value
    part: str = ""
    """Of a detail, as `questloom.records.knowledge.Detail` names it."""
    seen: bool = False
    """Whether it is to be seen on the picture."""


@dataclass(frozen=True, kw_only=True)
class Reasoning:
    """What follows from two observations that belong together."""

    op: str
    """Of `questloom.records.form.OPERATIONS`."""
    first: Observation
    second: Observation
    result: Value
    """A number, or for earliest, latest, largest and smallest the node that wins."""


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


def alike(facts: Facts, one: str, other: str) -> bool:
    """Whether two things are of one kind, so that it means something which of them is older or taller."""
    return bool(find_descriptor_class(facts, one)) and find_descriptor_class(
        facts, one
    ) == find_descriptor_class(facts, other)


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
