"""An explorer that chooses by chance, by the weights of the relations, and what is seen before what is said: what the drivers are tested with."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from questloom.records.identity import chance
from questloom.records.knowledge import Entity
from questloom.records.synthesis import Seed
from questloom.transforms.writing.evidence import EvidenceGraph, Link, Observation, Reasoning
from questloom.transforms.writing.graph.verbalise import KINSHIP
from questloom.transforms.writing.writer import Draft

_T = TypeVar("_T")


@dataclass(frozen=True)
class ChanceExplorer:
    """Implements `questloom.transforms.writing.explorer.Explorer`. What it is given is in order
    already; it words nothing, since the words are made from the form."""

    recipe_seed: int
    reverse_share: float = 0.5
    at_once: int = 1

    def _chance(self, seed: Seed, role: str) -> Random:
        return chance(self.recipe_seed, seed.id, f"explorer:{role}")

    async def propose_seed(self, seed: Seed, entity: Entity) -> str:
        return ""  # the rules of seeds have chosen

    async def explore(
        self, seed: Seed, graph: EvidenceGraph, links: Sequence[Link], most: int
    ) -> list[Link]:
        """Links at random, each property once where there are enough; the direction is drawn before the property, the property before the target."""
        draw = self._chance(seed, f"explore:{len(graph.nodes)}:{links[0].source}")
        left, chosen = list(links), list[Link]()
        while left and len(chosen) < most:
            way = [k for k in left if k.reverse == (draw.random() < self.reverse_share)] or left
            weights = {k.property: k.weight for k in way}
            property = draw.choices(sorted(weights), [weights[p] for p in sorted(weights)])[0]
            link = draw.choice([k for k in way if k.property == property])
            chosen.append(link)
            others = [k for k in left if k.target != link.target]
            left = [k for k in others if k.property != property] or others
        return chosen

    async def reason(
        self, seed: Seed, graph: EvidenceGraph, found: Sequence[Reasoning], most: int
    ) -> list[Reasoning]:
        """At random: first those over what is seen on a picture, then one of each operation, then others; those between two people of a family last."""
        order = self._shuffled(seed, "reason", found)
        first = [next(r for r in order if r.op == op) for op in dict.fromkeys(r.op for r in order)]
        kin = {frozenset((k.source, k.target)) for k in graph.links if k.property in KINSHIP}
        return sorted(
            dict.fromkeys([*first, *order]),
            key=lambda r: (
                frozenset((r.first.node, r.second.node)) in kin,
                not (r.first.seen or r.second.seen),
            ),
        )[:most]

    async def perceive(
        self, seed: Seed, graph: EvidenceGraph, found: Sequence[Observation], most: int
    ) -> list[Observation]:
        return self._shuffled(seed, "perceive", found)[:most]

    async def curate(
        self, seed: Seed, graph: EvidenceGraph, plans: Sequence[Draft]
    ) -> list[tuple[int, Draft]]:
        return list(enumerate(plans))

    async def deepen(self, seed: Seed, draft: Draft, deeper: Sequence[Draft]) -> list[Draft]:
        return list(deeper)

    def _shuffled(self, seed: Seed, role: str, found: Sequence[_T]) -> list[_T]:
        return self._chance(seed, role).sample(list(found), len(found))
