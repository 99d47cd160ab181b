"""The roles of an exploration (ODE 3.1) by a model: each chooses among what the store gives, and words what it chose.

All offers were executed already. The model chooses what it thinks worth knowing. It cannot add to the graph what no claim and no known detail states.
Without a model explorations are planned (`transforms/planning/shapes/cluster.py`).
"""

from collections.abc import Sequence
from typing import Protocol

from questloom.records.knowledge import Entity
from questloom.records.synthesis import Seed
from questloom.transforms.writing.evidence import EvidenceGraph, Link, Observation, Reasoning
from questloom.transforms.writing.writer import Draft

MOST_GRAPHS = 100


def attempt_of(seed: Seed, number: int) -> Seed:
    """A seed as the roles are given it for its n-th evidence graph: of another id, so that they draw anew.

    >>> seed_of(attempt_of(Seed(entity_id="Q1", method="m", rule="r", level="easy", domain="other", index=3), 2))[0].index
    3
    """
    return seed.replace(index=seed.index * MOST_GRAPHS + number)


def seed_of(attempt: Seed) -> tuple[Seed, int]:
    """The seed, and the number of its evidence graph, from 0."""
    index, number = divmod(attempt.index, MOST_GRAPHS)
    return attempt.replace(index=index), number


class Explorer(Protocol):
    """The roles; `seed` is an attempt at one. An empty list means "nothing fits"; a
    reply of no use raises `questloom.transforms.writing.writer.WriterRejection`."""

    @property
    def at_once(self) -> int:
        """How many plans `curate` is given to choose from."""

    async def propose_seed(self, seed: Seed, entity: Entity) -> str:
        """Why the seed is not worth exploring; "" where it is."""

    async def explore(
        self, seed: Seed, graph: EvidenceGraph, links: Sequence[Link], most: int
    ) -> list[Link]:
        """The links from one node to new ones that are followed, at most so many."""

    async def reason(
        self, seed: Seed, graph: EvidenceGraph, found: Sequence[Reasoning], most: int
    ) -> list[Reasoning]:
        """The reasoning nodes that the graph gets."""

    async def perceive(
        self, seed: Seed, graph: EvidenceGraph, found: Sequence[Observation], most: int
    ) -> list[Observation]:
        """The perception nodes that the graph gets."""

    async def curate(
        self, seed: Seed, graph: EvidenceGraph, plans: Sequence[Draft]
    ) -> list[tuple[int, Draft]]:
        """The plans worth asking, best first, as (index in `plans`, draft). The draft has words unless the writer composes them from the form."""

    async def deepen(self, seed: Seed, draft: Draft, deeper: Sequence[Draft]) -> list[Draft]:
        """The deeper forms of a draft, best first, in words as above; the answer is the same in all."""
