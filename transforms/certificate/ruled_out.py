"""Lists the members of a class that a description may leave in, without a look at each member.

A class of a larger store has more members, and nearly all state another value than the description.
"""

from collections.abc import Collection
from dataclasses import dataclass

from questloom.records.form import ClaimClause, ClassClause
from questloom.transforms.certificate.description import Part
from questloom.transforms.certificate.fitting import matches_of, size_of_part
from questloom.transforms.facts.indexed import classes_named
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.values import (
    ENUMERATION_LIMIT,
    is_functional,
    name_told,
    names_read,
    places_around,
    values_by_key,
)
from questloom.transforms.remembered import remembered

FEW = 64
"""Number of members of which each is looked at, because an index would take longer."""
INDEXES_KEPT = 256
"""Number of indexes that stay in memory. The largest take about a megabyte."""


@dataclass(frozen=True, slots=True)
class _Index:
    """The members of a class by the things that they name in one property."""

    unsure: tuple[str, ...]
    """Members that no named thing rules out: they name none, or may have further values."""
    by_thing: dict[str, list[str]]
    by_name: dict[str, list[str]]
    """The named things by their names."""
    by_place: dict[str, list[str]]
    """The named things by the larger things around them."""


def possible_matches(facts: Lookups, part: Part, parts: list[Part]) -> Collection[str] | None:
    """The matches of a part of a description. Of a large class, most members that another part
    rules out (`status` would call them "contradicted") are left out.

    Args:
        facts: the store.
        part: the part.
        parts: all parts of the description.

    Returns:
        The matches in any order; None if they cannot be enumerated.
    """
    others = [p for p in parts if _names_thing(p)]
    if (
        not others
        or not isinstance(part.clause, ClassClause)
        or not FEW < size_of_part(facts, part) <= ENUMERATION_LIMIT
    ):
        return matches_of(facts, part)
    left = _left_by(facts, part.clause.class_id, others[0])
    for other in others[1:]:
        if len(left) > FEW:
            left &= _left_by(facts, part.clause.class_id, other)
    return left


def _names_thing(part: Part) -> bool:
    return (
        part.role == "has"
        and isinstance(part.clause, ClaimClause)
        and part.value is not None
        and part.value.kind == "entity"
    )


def _left_by(facts: Lookups, class_id: str, part: Part) -> set[str]:
    """The members of a class that a part may leave in."""
    assert part.value is not None
    thing, index = part.value.entity, _index(facts, class_id, part.property)
    named = {
        thing,
        *places_around(facts, part.property, thing),
        *index.by_place.get(thing, ()),
        *index.by_name.get(name_told(facts, thing), ()),
    }
    return {*index.unsure, *(m for n in named for m in index.by_thing.get(n, ()))}


@remembered(INDEXES_KEPT)
def _index(facts: Lookups, class_id: str, property: str) -> _Index:
    unsure: list[str] = []
    by_thing: dict[str, list[str]] = {}
    for member in facts.members(class_id, limit=ENUMERATION_LIMIT):
        values = values_by_key(facts, member, property)
        if (
            not values
            or any(v.kind in ("somevalue", "novalue") for v in values)
            or not (
                facts.trust.complete
                or is_functional(facts, property, classes_named(facts, member), member)
            )
        ):
            unsure.append(member)
            continue
        for value in values:
            by_thing.setdefault(value.entity, []).append(member)
    by_name: dict[str, list[str]] = {}
    by_place: dict[str, list[str]] = {}
    for thing in filter(None, by_thing):
        for name in names_read(facts, thing):
            by_name.setdefault(name, []).append(thing)
        for place in places_around(facts, property, thing):
            by_place.setdefault(place, []).append(thing)
    return _Index(tuple(unsure), by_thing, by_name, by_place)
