"""Estimates which share of a class's members the store holds. The certificate counts rivals (other
things that fit the question). The certificate cannot count a rival that the store does not hold.

"The painting in the Louvre by the same artist" once seemed to fit one thing only, because the store
held one of several paintings by Leonardo. A description that singles a thing out of its class is
therefore reliable only where the store holds nearly all of the class. Two counts measure how
complete a class is:

* Stated: a query service gives the number of members (`class-counts.json` beside the dumps), which
  is compared with the number in the store.
* Seen: the things that pages and claims name, compared with the named things in the store. The
  comparison of named things is a capture-recapture estimate. The estimated share holds for all
  classes alike, since texts name things whether or not a dump holds the things.

A stated number of members has priority over an estimated number. If a class has neither a stated
nor an estimated number, the class counts as incomplete. A step that leads to one value only ("the
architect of …") needs no count.
"""

from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.remembered import remembered

MIN_REFERENCES = 200
"""Minimum number of named things for an estimate. With fewer named things, the share is not
estimated."""


@remembered()
def share_seen(facts: Facts) -> float | None:
    """Of all things that the store's pages and claims name, the share that the store holds. None
    where too few things are named."""
    held, named = facts.references()
    return held / named if named >= MIN_REFERENCES else None


@remembered()
def share_held(facts: Facts, class_id: str) -> float | None:
    """The share of a class's members that the store holds. The share comes from the stated number
    of members, or else from the things that pages name. None where no number is stated and too few
    things are named for an estimate."""
    stated = facts.stated_members(class_id)
    return min(1.0, facts.num_members(class_id) / stated) if stated else share_seen(facts)


def nearly_complete(facts: Lookups, class_id: str) -> bool:
    """Whether the store holds so many members of the class that the class counts as complete."""
    if facts.trust.complete:
        return True
    share = share_held(facts, class_id)
    return share is not None and share >= facts.trust.completeness
