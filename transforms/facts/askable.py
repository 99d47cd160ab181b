"""Decides whether people would ask for a fact. The relation must suit the subject and the kind of
the value. The fact must also agree with the store's own dates.

A claim can be true and well worded, and still make a question that nobody asks: "In which grave is
this man buried?", "How many centimetres tall was this president?". A store may also contain
contradictions, for example a man who died before the war in which he fought.
"""

from questloom.prompts.phrases import common_class_ranks, property_use, vague_classes
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.facts.indexed import is_instance
from questloom.transforms.facts.lifetime import BIRTH, DEATH, contradicted
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.remembered import remembered

RARE = 2_000
"""A class is rare if fewer than one in 2,000 things belong to the class and it has fewer than
`FEWEST` members. People do not use the name of a rare class ("grave", "palazzo")."""
FEWEST = 20
MOST_PARTS = 200
"""Maximum number of claims with the same value that are examined."""
_PART_OF = ("P279", "P361")


@remembered()
def leads_to_kind(facts: Facts, property: str, entity_id: str) -> bool:
    """Whether a thing is of a kind that fits the relation: people are born and buried in a town or
    a churchyard, not "in a state"."""
    use = property_use(property)
    if use.only and not any(is_instance(facts, entity_id, c) for c in use.only):
        return False
    return find_descriptor_class(facts, entity_id) not in use.never


@remembered()
def has_common_class(facts: Facts, entity_id: str) -> bool:
    """Whether a question can name the thing's kind. The kind must be a common noun or a frequent
    class of the store. Classes that fit every thing do not count."""
    class_id = find_descriptor_class(facts, entity_id)
    if not class_id or class_id in vague_classes():
        return False
    return class_id in common_class_ranks() or facts.num_members(class_id) >= min(
        FEWEST, facts.profile("P31").num_subjects / RARE
    )


def is_askable(facts: Facts, subject: str, property: str, value: Value) -> bool:
    """Whether people would ask for this value of this subject, and the store does not contradict
    the value.

    Args:
        facts: the store.
        subject: the thing that the question is about.
        property: the relation.
        value: the only value of the relation.
    """
    if any(is_instance(facts, subject, c) for c in property_use(property).unasked_of):
        return False
    if value.kind == "entity":
        return (
            leads_to_kind(facts, property, value.entity)
            and has_common_class(facts, value.entity)
            and not _is_coarse(facts, property, value.entity)
        )
    return not (property in (BIRTH, DEATH) and contradicted(facts, subject))


@remembered()
def _is_coarse(facts: Facts, property: str, entity_id: str) -> bool:
    """Whether a value is too coarse, because one of its parts, of the same kind, is also a value of
    the relation. If "Renaissance" was expected, a solver who answers "High Renaissance" would be
    marked wrong."""
    into = facts.claims_into(entity_id, limit=MOST_PARTS)
    parts = {
        c.subject
        for c in into
        if c.property in _PART_OF
        and find_descriptor_class(facts, c.subject) == find_descriptor_class(facts, entity_id)
    }
    return any(facts.num_subjects(property, entity_value(part).key()) for part in parts)
