"""Reads the values of one property for many subjects at once, from the store's index of values.

A certificate compares thousands of members of a class with one thing. To read all claims of a
member takes about 0.5 ms, and to read one row of the index about 1 µs. The larger a store, the fewer
members have their claims in memory.
"""

from collections.abc import Iterable

from questloom.records.knowledge import Value, entity_value
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.values import best_values, classes_of
from questloom.transforms.remembered import remembered

MOST_PAIRS = 100_000
"""Maximum number of pairs (subject, value) of a property that are kept in memory. A pair takes about
150 bytes."""
PROPERTIES_KEPT = 64
"""Number of properties whose pairs stay in memory."""
INSTANCE_OF = "P31"


def things_named(facts: Facts, subject: str, property: str) -> tuple[Value, ...]:
    """The result of `best_values`. It is read from the index if all values of the property are
    things, whoever the subject is."""
    found = _named(facts, subject, property)
    return best_values(facts, subject, property) if found is None else found


def classes_named(facts: Facts, subject: str) -> tuple[str, ...]:
    """The direct classes of a thing, in any order."""
    found = _named(facts, subject, INSTANCE_OF)
    return tuple(v.entity for v in found) if found else classes_of(facts, subject)


def is_instance(facts: Facts, entity_id: str, class_id: str) -> bool | None:
    """Whether the entity is an instance of the class or of a subclass; None where the store knows
    no class of the entity."""
    known = _classes_above(facts, entity_id)
    return None if known is None else class_id in known


@remembered()
def _classes_above(facts: Facts, entity_id: str) -> frozenset[str] | None:
    """The classes of an entity with all their superclasses; None where the store knows no class."""
    classes = _named(facts, entity_id, INSTANCE_OF)
    known = _closures(facts).get(classes) if classes else None
    if known is not None:
        return known
    entity = facts.entity(entity_id)
    if entity is None or not entity.classes:
        return None
    known = frozenset(entity.classes + entity.class_closure)
    if classes:
        _closures(facts)[classes] = known
    return known


def superclasses(facts: Facts, classes: Iterable[str]) -> set[str]:
    """The direct superclasses of some classes."""
    named = (v for c in classes for v in things_named(facts, c, "P279"))
    return {v.entity for v in named if v.kind == "entity"}


def is_less_specific(facts: Facts, rival: str, class_id: str) -> bool:
    """Whether the rival's class is an ancestor of the wanted class, so that the rival may also be
    an instance of the wanted class."""
    wanted = facts.entity(class_id)
    ancestors = set(wanted.class_closure) if wanted else set()
    frontier = {class_id}
    for _ in range(8):
        frontier = superclasses(facts, frontier) - ancestors
        if not frontier:
            break
        ancestors |= frontier
    return bool(ancestors & set(classes_named(facts, rival)))


@remembered(1)
def _closures(facts: Facts) -> dict[tuple[Value, ...], frozenset[str]]:
    """For each set of direct classes that `_classes_above` met, these classes with all their
    superclasses. Things with the same direct classes have the same superclasses."""
    return {}


def _named(facts: Facts, subject: str, property: str) -> tuple[Value, ...] | None:
    """The things that a subject names in a property; None if only the subject's claims tell."""
    index = _by_subject(facts, property)
    return None if index is None else index.get(subject, ())


@remembered(PROPERTIES_KEPT)
def _by_subject(facts: Facts, property: str) -> dict[str, tuple[Value, ...] | None] | None:
    """The things that a property's best claims name, by subject. The entry of a subject with an
    unknown value or none is None, since the index does not tell its values. The result is None if
    there are too many pairs, or if some values are no things.
    """
    profile = facts.profile(property)
    if profile.num_pairs > MOST_PAIRS:
        return None
    listed: dict[str, list[Value]] = {}
    last = Value(kind="entity")
    for thing, subject in facts.entity_values(property):
        if thing != last.entity:
            last = entity_value(thing)
        listed.setdefault(subject, []).append(last)
    unknown = facts.subjects(property, "somevalue", limit=MOST_PAIRS)
    # the profile counts every value but "none"
    if profile.num_pairs != sum(map(len, listed.values())) + len(unknown):
        return None
    found: dict[str, tuple[Value, ...] | None] = {s: tuple(v) for s, v in listed.items()}
    found.update(dict.fromkeys(unknown))
    found.update(dict.fromkeys(facts.subjects(property, "novalue", limit=MOST_PAIRS)))
    return found
