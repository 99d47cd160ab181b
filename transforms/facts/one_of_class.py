"""Decides whether a thing has only one value of a class: a town lies in a county and in a state,
but in only one county.

Many properties have several values of different kinds, and a question's words name the kind ("the
county where …"). If the words name a kind, it is enough that the thing has one value of this kind.
"""

from questloom.records.knowledge import Value
from questloom.transforms.facts.indexed import is_instance, things_named
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import (
    MIN_EVIDENCE,
    OTHER_SURPLUS,
    best_values,
    classes_of,
    is_functional,
)
from questloom.transforms.remembered import remembered

MAX_SUBJECTS = 2_000
"""Maximum number of members of the subject's class that are examined."""


def single_value(facts: Lookups, subject: str, property: str, class_id: str = "") -> Value | None:
    """The only value that the subject has for the property; otherwise its only value of the given
    class. None if similar things usually have several values."""
    found = best_values(facts, subject, property)
    if any(v.kind in ("somevalue", "novalue") for v in found):
        return None
    if len(found) == 1 and is_functional(facts, property, classes_of(facts, subject), subject):
        return found[0]
    of_class = [
        v
        for v in found
        if v.kind == "entity" and class_id and is_instance(facts, v.entity, class_id)
    ]
    unknown = any(v.kind == "entity" and not classes_of(facts, v.entity) for v in found)
    if (
        len(of_class) == 1
        and not unknown
        and _functional_within(facts, property, find_descriptor_class(facts, subject), class_id)
    ):
        return of_class[0]
    return None


@remembered()
def _functional_within(facts: Lookups, property: str, subject_class: str, class_id: str) -> bool:
    """Whether members of one class typically have one value of the other class."""
    numbers = [
        n
        for member in facts.members(subject_class, limit=MAX_SUBJECTS)
        if (
            n := sum(
                bool(v.kind == "entity" and is_instance(facts, v.entity, class_id))
                for v in things_named(facts, member, property)
            )
        )
    ]
    surplus = (sum(numbers) - len(numbers) + OTHER_SURPLUS) / (len(numbers) + 1)
    return len(numbers) >= MIN_EVIDENCE and 1 / (1 + surplus) >= facts.trust.measured
