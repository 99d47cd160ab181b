"""Offers computations over two observations (values of things). The two observations must belong
together.

* difference, ratio: the number of years between two dates of linked things, or a comparison of one
  measure for two things of the same kind.
* earliest, latest, largest, smallest: of two things of the same kind, the thing that comes first or
  last, or is greater or smaller. The question continues with the thing that wins the comparison.

Claims are never counted, because no set of claims is known to be complete.
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
"""Operations whose result is one of the compared things."""
GENERATIONS = frozenset({"P22", "P25", "P40", "P1066", "P802", "P184", "P185"})
"""Relations between two people that tell everybody who was born first, such as father and child."""
LONGEST = 400
"""Maximum number of years between two dates that people would still count."""
PLACE_OF = {"P569": "P19", "P570": "P20", "P571": "P740"}
"""Maps the property for an event to the property for the place of the event. A question that
compares things by an event does not ask for the place of the event ("where did the one who died
later die?")."""


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One value of a thing. The value comes from a claim, or from a detail of the thing's
    picture."""

    node: str
    property: str
    value: Value
    part: str = ""
    """The part of the thing on which a detail stands, as in
    `questloom.records.knowledge.Detail`."""
    seen: bool = False
    """Whether the value can be seen on the picture."""


@dataclass(frozen=True, kw_only=True)
class Reasoning:
    """The result of a computation over two observations that belong together."""

    op: str
    """The name of the operation, one of `questloom.records.form.OPERATIONS`."""
    first: Observation
    second: Observation
    result: Value
    """The result: the chosen thing for earliest, latest, largest and smallest, otherwise a
    number."""


def observations(
    facts: Lookups, node: str, max_words: int, *, stated: bool = False
) -> list[Observation]:
    """The dates and measures of a thing that a question may mention.

    Args:
        facts: the store.
        node: a thing of the store.
        max_words: maximum number of words of the value.
        stated: whether the page of the subject must name the value, or the page of the value must
            name the subject.
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
    """The computations over the observations of two things.

    Args:
        facts: the store.
        of_one, of_other: the observations of each thing.
        counts: whether people would count the years between a date of one thing and a date of the
            other.
        compares: whether people would ask which of the two things is older or taller.
        links: the relations between the two things.
    """
    pairs = [(a, b) for a in of_one for b in of_other]
    if counts:
        for a, b in pairs:
            dated = a.value.kind == b.value.kind == "time" and not (a.seen and b.seen)
            # For two people, births or deaths are compared: nobody counts from one person's birth
            # to the other's death.
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
    """Whether two things are of one kind, so that comparing their age or size makes sense."""
    return bool(find_descriptor_class(facts, one)) and find_descriptor_class(
        facts, one
    ) == find_descriptor_class(facts, other)


def years_between(one: Observation, other: Observation) -> Reasoning | None:
    """The years between two dates; None where the dates are equal or too far apart to count."""
    span = compute("difference", (coarsened(one.value, YEAR), coarsened(other.value, YEAR)))
    if span is None or not span.number or span.number > LONGEST:
        return None
    return Reasoning(op="difference", first=one, second=other, result=span)


def compare(one: Observation, other: Observation) -> Iterator[Reasoning]:
    """The computations over two values of one property: the difference and ratio of measures, and
    the thing that wins a comparison."""
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
    # A ratio that must be rounded has no single right answer.
    if (
        ratio is not None
        and ratio.number
        and ratio.number >= 1.5
        and abs(ratio.number * 10 - round(ratio.number * 10)) < 1e-9
    ):
        yield Reasoning(op="ratio", first=first, second=second, result=ratio)
