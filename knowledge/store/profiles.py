"""A property profile counts how the instances of a class use a property. Only best claims count in
profiles.

Subjects, pairs of a subject and a value, and instances are counted subject by subject. Distinct
values are counted from pairs that are sorted by value. All counts are sums, so each worker can
count a part, and the counts are added up.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from questloom.knowledge.dates import refined
from questloom.knowledge.store.codec import pack
from questloom.knowledge.store.rows import Row
from questloom.records.knowledge import Claim, PropertyProfile, Value

PERIODS = ("P580", "P582", "P585")
"""Qualifiers that state when a claim holds: start, end, and point in time."""

INSTANCES, SUBJECTS, PAIRS, VALUES, DATED, COMMONEST = range(6)
Counts = Counter[tuple[int, str, str]]
"""The counts: a dict from (count, property, class id) to a number. The property is "" if the count
is INSTANCES (the number of instances of a class). The class id is "" if the number counts all
subjects, of any class."""


def count_subject(
    counts: Counts, classes: tuple[str, ...], claims: Iterable[Claim]
) -> dict[str, set[str]]:
    """Counts one subject; returns the keys of its distinct values by property.

    A `novalue` claim says that there is no value, so it counts neither as a pair nor as a use of
    the property. If a subject states a date at two precisions, the less precise date is not counted
    as a second value.
    """
    found: dict[str, dict[str, Value]] = {}
    dated = set()
    for claim in claims:
        if claim.best and claim.value.kind != "novalue":
            found.setdefault(claim.property, {})[claim.value.key()] = claim.value
            if any(q.property in PERIODS for q in claim.qualifiers):
                dated.add(claim.property)
    values = {
        property_id: {v.key() for v in refined(same.values())}
        for property_id, same in found.items()
    }
    for class_id in ("", *dict.fromkeys(classes)):
        counts[INSTANCES, "", class_id] += 1
        for property_id, keys in values.items():
            counts[SUBJECTS, property_id, class_id] += 1
            counts[PAIRS, property_id, class_id] += len(keys)
            counts[DATED, property_id, class_id] += property_id in dated
    return values


def count_values(counts: Counts, property_id: str, class_sets: Iterable[tuple[str, ...]]) -> None:
    """Counts one distinct value of a property, for each class of the subjects that have the value.

    `class_sets` holds, for each subject that has the value, the set of the subject's direct
    classes.
    """
    for class_id in {"", *(c for classes in class_sets for c in classes)}:
        counts[VALUES, property_id, class_id] += 1


def count_commonest(counts: Counts, property_id: str, num_subjects: Mapping[str, int]) -> None:
    """Updates the count COMMONEST: how many subjects have the commonest answer to a property.

    `num_subjects` maps each direct class to a number of subjects with the same answer. In
    `num_subjects`, the key "" stands for all classes together.
    """
    for class_id, number in num_subjects.items():
        counts[COMMONEST, property_id, class_id] = max(
            number, counts[COMMONEST, property_id, class_id]
        )


def answer_key(value_key: str) -> str:
    """The answer that people would guess for a value: the year of a date, or the value itself if it
    is no date.

    >>> answer_key("time:+1832-05-04/11"), answer_key("Q64")
    ('time:+1832', 'Q64')
    """
    if not value_key.startswith("time:"):
        return value_key
    sign = len("time:+")
    return value_key[:sign] + re.split("[-/]", value_key[sign:], maxsplit=1)[0]


def profile_rows(counts: Counts) -> Iterator[Row]:
    """Yields the rows of the table `profiles`, sorted."""
    for _, property_id, class_id in sorted(k for k in counts if k[0] == SUBJECTS):
        numbers = {
            what: counts[what, property_id, class_id]
            for what in (SUBJECTS, PAIRS, VALUES, DATED, COMMONEST)
        }
        profile = PropertyProfile(
            property=property_id,
            class_id=class_id,
            num_instances=counts[INSTANCES, "", class_id],
            num_subjects=numbers[SUBJECTS],
            num_pairs=numbers[PAIRS],
            num_values=numbers[VALUES],
            num_dated=numbers[DATED],
            num_commonest=min(numbers[COMMONEST], numbers[SUBJECTS]),
        )
        yield f"{property_id} {class_id}", "", pack(profile)
