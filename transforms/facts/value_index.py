"""Reads the values of one property for many subjects at once, from the store's table of values.

A certificate compares thousands of members of a class with one thing. To read all claims of a
member takes about 0.5 ms, and to read one row of the table about 1 µs. The larger a store, the fewer
members have their claims in memory.
"""

import functools
from collections import Counter
from itertools import chain, repeat

from questloom.knowledge.dates import refined
from questloom.records.knowledge import CACHED, Value, value_of_key
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.remembered import remembered

MOST_PAIRS = 100_000
"""Maximum number of pairs (subject, value) of a property that are kept in memory. A pair takes about
150 bytes."""
PROPERTIES_KEPT = 256
"""Number of properties whose pairs stay in memory. Fewer would be read again and again."""
Keys = tuple[str, ...]


def indexed_values(facts: Facts, subject: str, property: str) -> tuple[Value, ...] | None:
    """The best values of a property, as their keys state them. A day of the Julian calendar is
    therefore given as the same day of the Gregorian calendar.

    Returns:
        The values; None where only the subject's claims tell them.
    """
    index = _by_subject(facts, property)
    return None if index is None else _values(index.get(subject, ()))


@functools.lru_cache(CACHED)
def _values(keys: Keys) -> tuple[Value, ...] | None:
    """The values that have the given keys; None if a key does not tell enough. The key of a
    quantity has no bounds, and that of a coordinate is rounded. A Julian day in another month has
    two keys."""
    if any(key.startswith(("quantity:", "coordinate:")) or "-J/" in key for key in keys):
        return None
    return refined(map(value_of_key, keys))


@remembered(PROPERTIES_KEPT)
def _by_subject(facts: Facts, property: str) -> dict[str, Keys] | None:
    """The keys of a property's best values, by subject; None if there are too many pairs.

    Equal keys share one tuple, and tuples of strings cost no garbage collection.
    """
    if facts.profile(property).num_pairs > MOST_PAIRS:
        return None
    found: dict[str, Keys] = {}
    for key, subjects in facts.subjects_by_value(property):
        one = (key,)
        if found.keys().isdisjoint(subjects):
            found.update(dict.fromkeys(subjects, one))
        else:
            found.update((s, found.get(s, ()) + one) for s in subjects)
    return found


@remembered(PROPERTIES_KEPT)
def subjects_by_key(facts: Facts, property: str) -> dict[str, list[str]] | None:
    """The subjects of each value of a property, by the value's key; None if there are too many
    pairs."""
    if facts.profile(property).num_pairs > MOST_PAIRS:
        return None
    found: dict[str, list[str]] = {}
    for key, subjects in facts.subjects_by_value(property):
        found.setdefault(key, []).extend(subjects)
    return found


def count_things(facts: Facts, property: str, subjects: frozenset[str]) -> Counter[str]:
    """Counts how many of the subjects name each thing in a property."""
    if (index := _by_subject(facts, property)) is not None:
        counted = Counter(chain.from_iterable(map(index.get, subjects, repeat(()))))
    else:
        counted = Counter()
        for key, those in facts.subjects_by_value(property):
            counted[key] += len(subjects.intersection(those))
    # The ids of entities start with a capital letter, and the keys of other values do not.
    return Counter({key: n for key, n in counted.items() if n and key[0].isupper()})
