"""How much of a class the store holds. No list contains rivals that the store does not hold, so no
margin can count them.

"The painting in the Louvre by the same artist" once had a margin of 2, because the store held one
of several paintings by Leonardo. A description that singles a thing out of its class is therefore
reliable only where the store holds nearly all of the class. Two counts measure this:

* Stated: a query service's COUNT of members (`class-counts.json` beside the dumps), compared with the
  members in the store.
* Seen: the things that pages and claims name, compared with the named things in the store. This
  capture-recapture estimate holds for all classes alike, since texts name things whether or not a
  dump holds them.

A stated number has priority over an estimated one. Without both numbers, the class counts as
incomplete. A hop that is functional forward ("the architect of …") needs no count.
"""

from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.remembered import remembered

MIN_REFERENCES = 200
"""Minimum number of named things for an estimate. Fewer things tell nothing about what is lacking."""


@remembered()
def share_seen(facts: Facts) -> float | None:
    """The share of the things named on the store's pages and in their claims that the store holds;
    None where too few things are named."""
    held, named = facts.references()
    return held / named if named >= MIN_REFERENCES else None


@remembered()
def share_held(facts: Facts, class_id: str) -> float | None:
    """The share of a class's members that the store holds, by the stated number or by the pages'
    names; None where unknown."""
    stated = facts.stated_members(class_id)
    return min(1.0, facts.num_members(class_id) / stated) if stated else share_seen(facts)


def nearly_complete(facts: Lookups, class_id: str) -> bool:
    """Whether the store lacks so few members of the class that its list can count as complete."""
    if facts.trust.complete:
        return True
    share = share_held(facts, class_id)
    return share is not None and share >= facts.trust.completeness
