"""How much of a class the store holds: rivals that it does not hold are in no list, and no margin can count them.

"The painting in the Louvre by the same artist" had a margin of 2 because the store held one Leonardo of several. So a description
that singles a thing out among its class is worth something only where the class is known to be nearly all there. Two counts tell:

    stated   how many members there are (a query service's COUNT, in `class-counts.json` beside the dumps), against those that the store holds
    seen     what pages and claims name, against what of it the store holds: a capture and its recapture, since the texts
             were written without regard to which items a dump has; for all classes alike

A stated number is believed before an estimated one. Without both, the class counts as incomplete. A hop that is functional
forward ("the architect of …") needs none of this.
"""

from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.remembered import remembered

MIN_REFERENCES = 200
"""Fewer things named say nothing about what is lacking."""


@remembered()
def share_seen(facts: Facts) -> float | None:
    """The share of what the store's pages and their claims name that it holds; None where they name too little."""
    held, named = facts.references()
    return held / named if named >= MIN_REFERENCES else None


@remembered()
def share_held(facts: Facts, class_id: str) -> float | None:
    """The share of a class's members that the store holds, by the stated number or by what the pages name; None where unknown."""
    stated = facts.stated_members(class_id)
    return min(1.0, facts.num_members(class_id) / stated) if stated else share_seen(facts)


def nearly_complete(facts: Lookups, class_id: str) -> bool:
    """Whether so few members of the class are lacking that the ones listed can be taken for all."""
    if facts.trust.complete:
        return True
    share = share_held(facts, class_id)
    return share is not None and share >= facts.trust.completeness
