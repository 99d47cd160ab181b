"""Predicts which descriptions are worth a test on the store. A description should fit about one
entity. Without the step that leads to the entity, or without one of the named things, a description
should fit more entities.

The prediction treats clauses as if they were independent, so it can be far off. The certificate
later makes the exact test. The prediction saves time: in one store of paintings, a single class has
5,151 members, and a single material fits 4,000 things. Most sets of clues for paintings are
hopeless, and testing them on the store is expensive.
"""

from math import prod

from questloom.records.form import ClaimClause, Clause
from questloom.records.knowledge import Value
from questloom.transforms.facts.lookups import Facts

MOST_EXPECTED = 6.0
"""A description is skipped if it is expected to fit more entities than this number."""
LEAST_WITHOUT = 0.4
"""If a description is left without the step to its entity, or without one of the entities that it
names, it must be expected to fit at least this number of entities. If fewer entities fit, the
description does not need the step or the name."""


class ExpectedFit:
    """Estimates how many entities the clues of one thing fit, and decides whether the clues are
    worth a test."""

    def __init__(self, facts: Facts, num_members: int, num_by_hop: int) -> None:
        self._facts, self._num_members, self._num_by_hop = facts, max(1, num_members), num_by_hop
        self._shares: dict[Clause, float] = {}  # a clue stands in many descriptions

    def __call__(self, clues: tuple[Clause, ...]) -> bool:
        for clue in clues:
            if clue not in self._shares:
                self._shares[clue] = self._share(clue)
        shares = [self._shares[c] for c in clues]
        if self._num_by_hop:
            return (
                self._num_by_hop * prod(shares) <= MOST_EXPECTED
                and self._num_members * prod(shares) >= LEAST_WITHOUT
            )
        if self._num_members * prod(shares) > MOST_EXPECTED:
            return False
        return any(
            self._num_members * prod(shares[:i] + shares[i + 1 :]) >= LEAST_WITHOUT
            for i, c in enumerate(clues)
            if _names(c)
        )

    def _share(self, clue: Clause) -> float:
        """Of the members of the class, the share that a clue fits."""
        if not isinstance(clue, ClaimClause) or not isinstance(clue.object, Value):
            return 1.0 / self._num_members
        return min(
            1.0,
            max(1, self._facts.num_subjects(clue.property, clue.object.key())) / self._num_members,
        )


def _names(clue: Clause) -> bool:
    return isinstance(clue, ClaimClause) and any(
        isinstance(t, Value) and t.kind == "entity" for t in (clue.subject, clue.object)
    )
