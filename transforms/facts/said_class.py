"""The class that people would name for a thing: "country" for England, not "stateless nation";
"city" for Amsterdam."""

from questloom.prompts.phrases import common_class_ranks, vague_classes
from questloom.transforms.facts.indexed import superclasses
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.remembered import remembered

MOST_ABOVE = 3
"""Number of steps up the class tree in which superclasses are searched."""


@remembered()
def find_descriptor_class(facts: Facts, entity_id: str) -> str:
    """The class that people would name for a thing. A direct class with a common noun as its name
    comes first, then the commonest direct class; "" where the thing has no class.

    Where the class has more than one word ("Belgian municipality with city privileges", "county
    seat"), the nearest common noun among its superclasses replaces the class. Vague nouns are not
    used as a replacement: people say "art academy", not "organization".
    """
    entity = facts.entity(entity_id)
    if entity is None or not entity.classes:
        return ""
    ranks = common_class_ranks()
    common = [c for c in entity.classes if c in ranks]
    if common:
        return min(common, key=lambda c: ranks[c])
    often = min(entity.classes, key=lambda c: (-facts.num_members(c), c))
    label = (facts.entity(often) or entity).label()
    return often if " " not in label else _above(facts, entity.classes) or often


def _above(facts: Facts, classes: tuple[str, ...]) -> str:
    """The nearest superclass with a common noun as its name; "" where there is none."""
    ranks = {c: rank for c, rank in common_class_ranks().items() if c not in vague_classes()}
    level, seen = set(classes), set(classes)
    for _ in range(MOST_ABOVE):
        level = superclasses(facts, level) - seen
        seen |= level
        if found := [c for c in level if c in ranks]:
            return min(found, key=lambda c: ranks[c])
    return ""
