"""Lists the members of a class that a description may leave in, without a look at each member.

A class of a larger store has more members, and nearly all state another value than the description.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from questloom.records.form import ClaimClause, ClassClause
from questloom.transforms.certificate.description import Part
from questloom.transforms.certificate.fitting import matches_of
from questloom.transforms.certificate.part_status import status
from questloom.transforms.facts.indexed import INSTANCE_OF
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.value_index import Keys, keys_by_subject
from questloom.transforms.facts.values import (
    ENUMERATION_LIMIT,
    exceptions,
    is_functional,
    name_told,
    names_read,
    places_around,
)
from questloom.transforms.remembered import remembered

FEW = 64
"""Number of members of which each is looked at, because an index would take longer."""
INDEXES_KEPT = 256
"""Number of indexes that stay in memory. The largest take about a megabyte."""


@dataclass(frozen=True, slots=True)
class _Index:
    """The members of a class by the things that they name in one property."""

    sure: frozenset[str]
    """Members that name a thing, and surely have no further value."""
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
    found = matches_of(facts, part)
    kind = next((p for p in parts if isinstance(p.clause, ClassClause)), None)
    if found is None or len(found) <= FEW or kind is None:
        return found
    left = set(found) if part is kind else set(_of_kind(facts, found, kind))
    assert isinstance(kind.clause, ClassClause)
    if facts.num_members(kind.clause.class_id) > ENUMERATION_LIMIT:
        return left
    for other in parts:
        if len(left) > FEW and other is not part and _names_thing(other):
            sure, possible = _members_by(facts, kind.clause.class_id, other)
            left = {m for m in left if m in possible or m not in sure}
    return left


def _of_kind(facts: Lookups, things: Iterable[str], kind: Part) -> Iterator[str]:
    """The things that may be of a kind. Things with the same direct classes are alike."""
    kinds, may_be = keys_by_subject(facts, INSTANCE_OF) or {}, dict[Keys, bool]()
    for thing in things:
        if (classes := kinds.get(thing, ())) not in may_be:
            may_be[classes] = not _are_things(classes) or (
                status(facts, thing, kind) != "contradicted"
            )
        if may_be[classes]:
            yield thing


def _are_things(keys: Keys) -> bool:
    """Whether keys of values are ids of things. Other keys start with a small letter."""
    return bool(keys) and all(key[0].isupper() for key in keys)


def _names_thing(part: Part) -> bool:
    return (
        part.role == "has"
        and isinstance(part.clause, ClaimClause)
        and part.value is not None
        and part.value.kind == "entity"
    )


def _members_by(facts: Lookups, class_id: str, part: Part) -> tuple[frozenset[str], set[str]]:
    """Two sets of members of a class: those of which the store tells the value that a part asks
    for, and those of them that may have the value of the part."""
    assert part.value is not None
    thing, index = part.value.entity, _index(facts, class_id, part.property)
    named = {
        thing,
        *places_around(facts, part.property, thing),
        *index.by_place.get(thing, ()),
        *index.by_name.get(name_told(facts, thing), ()),
    }
    return index.sure, {m for n in named for m in index.by_thing.get(n, ())}


@remembered(INDEXES_KEPT)
def _index(facts: Lookups, class_id: str, property: str) -> _Index:
    stated, kinds = keys_by_subject(facts, property), keys_by_subject(facts, INSTANCE_OF)
    if stated is None or kinds is None:
        return _Index(frozenset(), {}, {}, {})
    alike: dict[tuple[Keys, Keys], list[str]] = {}
    for member in facts.members(class_id, limit=ENUMERATION_LIMIT):
        if member in stated and member in kinds:
            alike.setdefault((stated[member], kinds[member]), []).append(member)
    sure: list[str] = []
    by_thing: dict[str, list[str]] = {}
    for (things, classes), members in alike.items():
        if (
            _are_things(things)
            and _are_things(classes)
            and (facts.trust.complete or is_functional(facts, property, classes))
        ):
            sure += members
            for thing in things:
                by_thing.setdefault(thing, []).extend(members)
    by_name: dict[str, list[str]] = {}
    by_place: dict[str, list[str]] = {}
    for thing in by_thing:
        for name in names_read(facts, thing):
            by_name.setdefault(name, []).append(thing)
        for place in places_around(facts, property, thing):
            by_place.setdefault(place, []).append(thing)
    # Of an exception to a constraint, a named thing does not rule out others.
    return _Index(frozenset(sure) - exceptions(facts, property), by_thing, by_name, by_place)
