"""Whether people would ask for a value of a relation at all: of that subject, of that kind, and as the store's own dates allow.

A claim can be true, single and well worded, and its question still one that nobody asks ("In which grave is this man buried?", "How many
centimetres tall was this president?") or one whose answer the store itself contradicts (a death before the war in which the dead man fought).
"""

from questloom.prompts.phrases import common_class_ranks, property_use, vague_classes
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.facts.lifetime import BIRTH, DEATH, contradicted
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import is_instance
from questloom.transforms.remembered import remembered

RARE = 2_000
"""A class of which not one in so many things is, and of which there are not `FEWEST`, is a word of the store's and not of people ("grave", "palazzo")."""
FEWEST = 20
MOST_PARTS = 200
"""Claims into a value that are looked at."""
_PART_OF = ("P279", "P361")


@remembered()
def leads_to_kind(facts: Facts, property: str, entity_id: str) -> bool:
    """Whether a thing is of a kind that a relation is followed to: one is born and buried in a town or a churchyard, not "in a state"."""
    use = property_use(property)
    if use.only and not any(is_instance(facts, entity_id, c) for c in use.only):
        return False
    return find_descriptor_class(facts, entity_id) not in use.never


@remembered()
def has_common_class(facts: Facts, entity_id: str) -> bool:
    """Whether a thing is of a kind by which it can be asked for: a common noun, or a class that the store has often, and none that fits everything."""
    class_id = find_descriptor_class(facts, entity_id)
    if not class_id or class_id in vague_classes():
        return False
    return class_id in common_class_ranks() or facts.num_members(class_id) >= min(
        FEWEST, facts.profile("P31").num_subjects / RARE
    )


def is_askable(facts: Facts, subject: str, property: str, value: Value) -> bool:
    """Whether a question for this value of this subject is one that people ask and that the store does not contradict.

    Args:
        facts: the store.
        subject: the thing of which it is asked.
        property: the relation.
        value: the one value.
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
    """Whether the relation has also values of the same kind that are parts of this one: who says "High Renaissance" is told that "Renaissance" was meant."""
    into = facts.claims_into(entity_id, limit=MOST_PARTS)
    parts = {
        c.subject
        for c in into
        if c.property in _PART_OF
        and find_descriptor_class(facts, c.subject) == find_descriptor_class(facts, entity_id)
    }
    return any(facts.num_subjects(property, entity_value(part).key()) for part in parts)
