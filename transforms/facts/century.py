"""Decides whether a question may ask for the century in which a thing began. Sources often give
different years for one beginning, so a question asks for the century.

An inception is the year in which a painting was begun, finished or first shown, or the middle of
"about 1485 to 1490". Of sixteen paintings in a slice of Wikidata, half had another year than books
give, but none had another century. Near the turn of a century, a difference of a few years changes
the century.
"""

from collections import Counter

from questloom.knowledge.dates import PRECISIONS, coarsened
from questloom.prompts.phrases import property_use
from questloom.records.knowledge import Value
from questloom.transforms.facts.indexed import classes_named
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.values import (
    DECLARED_SURPLUS,
    MIN_EVIDENCE,
    best_values,
    classes_of,
    values_by_key,
)
from questloom.transforms.remembered import remembered

CENTURY = "century"
NEAR_TURN = 10
"""No question asks for the century of a date that is fewer than this number of years from the turn
of a century."""
MAX_MEMBERS = 2_000
"""Maximum number of members of a class that are examined one by one. So many members suffice to
estimate a share, and can be examined in a short time for every class of a large store."""


def has_one_century(facts: Lookups, subject: str, property: str) -> bool:
    """Whether the dates of a thing name one certain century. All dates must lie in one century
    after Christ, and not near its turn. The members of the thing's classes must usually have one
    century each.

    Args:
        facts: the store.
        trust: states how single-valued a property must be (its minimum functionality).
        subject: the thing.
        property: the relation. The result is False for relations that are not asked by century
            (`PropertyUse.century`).
    """
    found = best_values(facts, subject, property) if property_use(property).century else ()
    if not found or not all(
        v.year is not None and v.year > 0 and NEAR_TURN <= v.year % 100 <= 100 - NEAR_TURN
        for v in found
    ):
        return False
    return len({_century(v) for v in found}) == 1 and _is_functional(facts, subject, property)


def commonest_century(facts: Facts, subject: str, property: str, weight: int) -> float:
    """The share of a class's members whose date lies in the commonest century of the class. Only
    members with a date are counted, without the subject itself.

    The result is the largest share over the subject's direct classes. Each share is averaged with
    the share over all subjects of the property, which weighs as much as `weight` subjects. The
    result is 1 where nothing is known.
    """
    everywhere = facts.profile(property).num_subjects
    shares = []
    for counts, _ in (_centuries_in(facts, property, c) for c in classes_of(facts, subject)):
        others = counts.total() - 1 + weight
        shares += [
            (n - 1 + weight * facts.num_subjects(property, key) / everywhere) / others
            for key, n in counts.items()
        ]
    return max(shares, default=1.0)


def _is_functional(facts: Lookups, subject: str, property: str) -> bool:
    """Whether the members of the subject's classes have one century each. The functionality
    (subjects ÷ pairs) is estimated as in `values.py` for properties that have one value by their
    meaning."""
    for counts, num_subjects in (
        _centuries_in(facts, property, c) for c in classes_of(facts, subject)
    ):
        surplus = (counts.total() - num_subjects + MIN_EVIDENCE * DECLARED_SURPLUS) / (
            num_subjects + MIN_EVIDENCE
        )
        if 1 / (1 + surplus) < facts.trust.declared:
            return False
    return True


@remembered()
def _centuries_in(facts: Facts, property: str, class_id: str) -> tuple[Counter[str], int]:
    """Two counts of the members of a class that have a year: the members in each century, and all
    members."""
    members = [
        m for m in facts.members(class_id, limit=MAX_MEMBERS) if class_id in classes_named(facts, m)
    ]
    found = [
        {_century(v) for v in values_by_key(facts, m, property) if v.year is not None}
        for m in members
    ]
    return Counter(key for keys in found for key in keys), sum(bool(keys) for keys in found)


def _century(date: Value) -> str:
    return coarsened(date, PRECISIONS[CENTURY]).key()
