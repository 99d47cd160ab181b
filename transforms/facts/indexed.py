"""Reads what a store says of many things at once: their classes, and the things that they name."""

from collections.abc import Iterable

from questloom.records.knowledge import Value
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.value_index import indexed_values
from questloom.transforms.facts.values import best_values, classes_of
from questloom.transforms.remembered import remembered

INSTANCE_OF = "P31"


def things_named(facts: Facts, subject: str, property: str) -> tuple[Value, ...]:
    """The result of `best_values`. It is read from the index unless it has dates, of which the
    index does not tell the calendar."""
    found = indexed_values(facts, subject, property)
    if found is None or any(v.kind == "time" for v in found):
        return best_values(facts, subject, property)
    return found


def classes_named(facts: Facts, subject: str) -> tuple[str, ...]:
    """The direct classes of a thing, in any order."""
    found = indexed_values(facts, subject, INSTANCE_OF)
    named = tuple(v.entity for v in found or () if v.kind == "entity")
    return named or classes_of(facts, subject)


def is_instance(facts: Facts, entity_id: str, class_id: str) -> bool | None:
    """Whether the entity is an instance of the class or of a subclass; None where the store knows
    no class of the entity."""
    known = _classes_above(facts, entity_id)
    return None if known is None else class_id in known


@remembered()
def _classes_above(facts: Facts, entity_id: str) -> frozenset[str] | None:
    """The classes of an entity with all their superclasses; None where the store knows no class."""
    classes = indexed_values(facts, entity_id, INSTANCE_OF)
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
    return not _ancestors(facts, class_id).isdisjoint(classes_named(facts, rival))


@remembered()
def _ancestors(facts: Facts, class_id: str) -> frozenset[str]:
    """The superclasses of a class, and theirs."""
    wanted = facts.entity(class_id)
    ancestors = set(wanted.class_closure) if wanted else set()
    frontier = {class_id}
    for _ in range(8):
        frontier = superclasses(facts, frontier) - ancestors
        if not frontier:
            break
        ancestors |= frontier
    return frozenset(ancestors)


@remembered(1)
def _closures(facts: Facts) -> dict[tuple[Value, ...], frozenset[str]]:
    """For each set of direct classes that `_classes_above` met, these classes with all their
    superclasses. Things with the same direct classes have the same superclasses."""
    return {}
