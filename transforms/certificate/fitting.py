"""Lists the entities that fit a description or one part of a description."""

from itertools import islice

from questloom.records.form import ClassClause
from questloom.records.knowledge import Value
from questloom.transforms.certificate.description import Description, Part
from questloom.transforms.certificate.part_status import status
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.page_statements import leads_to_target, linked_things
from questloom.transforms.facts.values import (
    ENUMERATION_LIMIT,
    best_values,
)
from questloom.transforms.facts.within import num_within, subjects_within


def matches_of(facts: Facts, part: Part) -> tuple[str, ...] | None:
    """The entities that match a part of a description; None if they cannot be enumerated."""
    if part.role == "kind":
        assert isinstance(part.clause, ClassClause)
        return (
            facts.members(part.clause.class_id, limit=ENUMERATION_LIMIT)
            if facts.num_members(part.clause.class_id) <= ENUMERATION_LIMIT
            else None
        )
    assert part.value is not None
    if part.role == "has":
        return subjects_within(facts, part.property, part.value)
    if part.role == "of":
        return tuple(
            v.entity
            for v in best_values(facts, part.value.entity, part.property)
            if v.kind == "entity"
        )
    if leads_to_target(part.clause, part.value):
        return linked_things(facts, part.value.entity)
    return None


def size_of_part(facts: Facts, part: Part) -> int:
    """About how many entities match a part; more than the limit if they cannot be enumerated."""
    if part.role == "kind":
        assert isinstance(part.clause, ClassClause)
        return facts.num_members(part.clause.class_id)
    if part.role == "has" and part.value is not None:
        return num_within(facts, part.property, part.value)
    if part.value is not None and leads_to_target(part.clause, part.value):
        return len(linked_things(facts, part.value.entity))
    return 0 if part.role == "of" else ENUMERATION_LIMIT + 1


def num_fitting(
    facts: Lookups, description: Description, without: str, most: int = 2
) -> int | None:
    """How many entities fit a description without the parts that refer to `without`, which is a
    variable or the id of a named entity. The count stops at `most`. The result is None if no
    remaining part can be enumerated. If no part can be enumerated, surely more than one entity
    fits.
    """
    parts = [p for p in description.parts if not _rests_on(p, without)]
    found = _fitting(facts, parts, most)
    return None if found is None else len(found)


def fitting(facts: Lookups, description: Description, most: int) -> tuple[str, ...] | None:
    """The entities that fit a description, up to `most` of them; None if they cannot be
    enumerated."""
    return _fitting(facts, list(description.parts), most)


def _fitting(facts: Lookups, parts: list[Part], most: int) -> tuple[str, ...] | None:
    if not parts:
        return None
    matches = matches_of(facts, min(parts, key=lambda p: size_of_part(facts, p)))
    if matches is None:
        return None
    fit = (c for c in matches if all(status(facts, c, p) == "match" for p in parts))
    return tuple(islice(fit, most))


def constants_of(description: Description) -> tuple[str, ...]:
    """The entities that a description mentions by name."""
    terms = [
        getattr(p.clause, end, None) for p in description.parts for end in ("subject", "object")
    ]
    return tuple(t.entity for t in terms if isinstance(t, Value) and t.kind == "entity")


def _rests_on(part: Part, end: str) -> bool:
    terms = [getattr(part.clause, name, None) for name in ("subject", "object", "left", "right")]
    return any(t == end or (isinstance(t, Value) and t.entity == end) for t in terms if t)
