"""Reads the values of one property for many subjects at once, from the store's index of values.

A certificate compares thousands of members of a class with one thing. To read all claims of a
member takes about 0.5 ms, and to read one row of the index about 1 µs. The larger a store, the fewer
members have their claims in memory.
"""

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
    """The best values of a property whose values are things, in any order. The result may lack
    values that are no things, unless the subject has an unknown value."""
    return tuple(_by_subject(facts, property).get(subject, ())) or best_values(
        facts, subject, property
    )


def classes_named(facts: Facts, subject: str) -> tuple[str, ...]:
    """The direct classes of a thing, in any order."""
    found = _by_subject(facts, INSTANCE_OF).get(subject)
    return tuple(v.entity for v in found) if found else classes_of(facts, subject)


@remembered(PROPERTIES_KEPT)
def _by_subject(facts: Facts, property: str) -> dict[str, list[Value]]:
    """The things that a property's best claims name, by subject; empty if there are too many pairs.
    Subjects with an unknown value are left out."""
    found: dict[str, list[Value]] = {}
    if facts.profile(property).num_pairs > MOST_PAIRS:
        return found
    last = Value(kind="entity")
    for thing, subject in facts.entity_values(property):
        if thing != last.entity:
            last = entity_value(thing)
        found.setdefault(subject, []).append(last)
    for subject in facts.subjects(property, "somevalue", limit=MOST_PAIRS):
        found.pop(subject, None)
    return found
