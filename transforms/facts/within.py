"""Lists the things that have a value or something inside it: the lighthouses of a county include
those of its towns.

`values.values_match` also counts a value's ancestors as matches when it tests one thing. This
module lists the subjects of a value together with the subjects of all its parts. A list without the
subjects of the parts would lack rivals (other things that fit the question), and the certificate
would not count them.
"""

from collections.abc import Sequence

from questloom.records.knowledge import Value
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.value_index import subjects_by_key
from questloom.transforms.facts.values import CLIMB_DEPTH, ENUMERATION_LIMIT, TRANSITIVE
from questloom.transforms.remembered import remembered

MOST_INSIDE = 2_000
"""Maximum number of things inside a value that are listed. A country holds too many towns to be a
useful clue."""


def subjects_within(
    facts: Facts, property: str, value: Value, limit: int = ENUMERATION_LIMIT
) -> tuple[str, ...] | None:
    """The sorted subjects that have the given value for a property, or a value inside it (such as a
    town of the given county); None where there are too many to list."""
    return (
        _within(facts, property, value, limit)
        if num_within(facts, property, value) <= limit
        else None
    )


def num_within(facts: Facts, property: str, value: Value) -> int:
    """The number of subjects with this value or anything inside it. A subject counts once for each
    of its values. If too many things lie inside the value, the result is `ENUMERATION_LIMIT` + 1."""
    if value.kind != "entity" or property not in TRANSITIVE:
        return facts.num_subjects(property, value.key())
    return _num_inside(facts, property, value.entity)


@remembered()
def _num_inside(facts: Facts, property: str, entity_id: str) -> int:
    inside = _inside(facts, TRANSITIVE[property], entity_id)
    return (
        ENUMERATION_LIMIT + 1
        if inside is None
        else sum(_num_subjects(facts, property, e) for e in inside)
    )


@remembered()
def _within(facts: Facts, property: str, value: Value, limit: int) -> tuple[str, ...]:
    if value.kind != "entity" or property not in TRANSITIVE:
        return facts.subjects(property, value.key(), limit=limit)
    inside = _inside(facts, TRANSITIVE[property], value.entity) or ()
    return tuple(sorted({s for e in inside for s in _subjects(facts, property, e, limit)}))


@remembered()
def _inside(facts: Facts, climb: tuple[str, ...], entity_id: str) -> tuple[str, ...] | None:
    """A thing and all things that the given properties place inside it; None where there are more
    than `MOST_INSIDE` things."""
    seen, level = {entity_id}, {entity_id}
    for _ in range(CLIMB_DEPTH):
        keys, room = [(p, e) for e in sorted(level) for p in climb], MOST_INSIDE - len(seen)
        for key in keys:
            room -= _num_subjects(facts, *key)
            if room < 0:
                return None
        level = {s for key in keys for s in _subjects(facts, *key, MOST_INSIDE)} - seen
        seen |= level
        if not level:
            break
    return tuple(sorted(seen))


def _subjects(facts: Facts, property: str, thing: str, limit: int) -> Sequence[str]:
    """The subjects that name a thing. A county has hundreds of places, so they are looked up in
    memory, if the property is not too large."""
    index = subjects_by_key(facts, property)
    return facts.subjects(property, thing, limit=limit) if index is None else index.get(thing, ())


def _num_subjects(facts: Facts, property: str, thing: str) -> int:
    index = subjects_by_key(facts, property)
    return facts.num_subjects(property, thing) if index is None else len(index.get(thing, ()))
