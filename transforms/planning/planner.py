"""From a seed to its plans: which shapes are tried, in which order, and the reason where no shape gives a plan."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random

from questloom.records.identity import chance
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import Plan, PlannedSeed
from questloom.records.synthesis import Seed
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.search import (
    ALL_ALIKE,
    FEW_OTHERS,
    Found,
    dearest_first,
    search,
)
from questloom.transforms.planning.shapes.chain import Grown, grow_chains
from questloom.transforms.planning.shapes.cluster import grow_clusters, off_cluster
from questloom.transforms.planning.shapes.meet import grow_meets
from questloom.transforms.planning.shapes.tree import grow_trees
from questloom.transforms.stages.stage import reject

Grows = Callable[[Ground, Seed, int, Random, Refusals], Iterator[Grown]]
GrowsOfThing = Callable[[Ground, str, int, Random, Refusals], Iterator[Grown]]


@dataclass(frozen=True)
class Shape:
    """Grows the whole forms of a seed.

    Args:
        name: the name that plans record.
        grow: gives the forms for a seed and a size, lazily.
        off: the reason why a certified plan does not fit its seed, or None where it fits.
        limits: maximum number of plans of a seed, by kind of work.
    """

    name: str
    grow: Grows
    off: Callable[[Ground, Seed, Plan], Reason | None] = lambda at, seed, plan: None
    limits: Mapping[str, int] = field(default_factory=lambda: FEW_OTHERS, hash=False)


def _of_thing(grow: GrowsOfThing) -> Grows:
    """A shape that depends only on the thing of the seed."""
    return lambda at, seed, size, draw, refusals: grow(at, seed.entity_id, size, draw, refusals)


CHAIN, MEET, TREE, CLUSTER = (
    Shape("chain", _of_thing(grow_chains)),
    Shape("meet", _of_thing(grow_meets)),
    Shape("tree", _of_thing(grow_trees)),
    Shape("cluster", grow_clusters, off_cluster, ALL_ALIKE),
)
BY_METHOD = {"paths": (MEET, CHAIN), "injection": (TREE,), "exploration": (CLUSTER,)}
"""The shapes of each method. Few things allow a meet, so a meet is tried first and a chain replaces
a missing meet."""


def size_of(at: Ground, seed: Seed) -> int:
    """The size of a seed's plans: rounds of a tree, claims of a cluster, else hops, including the asked claim."""
    if seed.method == "injection":
        return at.draft.rounds[seed.level]
    if seed.method == "exploration":
        return at.draft.explore.claims[seed.level]
    return at.draft.hops[seed.level] + 1


def plans_of(at: Ground, seed: Seed) -> Found:
    """A seed's plans at its level, the dearest route first.

    Args:
        at: the store and the rules.
        seed: a seed of a method that plans.

    Returns:
        The plans, and the counts of refusals.
    """
    size = size_of(at, seed)
    refusals, found = Refusals(), list[Plan]()
    for shape in BY_METHOD[seed.method]:
        draw = chance(at.recipe_seed, seed.id, f"plan:{shape.name}")
        grown = shape.grow(at, seed, size, draw, refusals)
        found += search(
            at,
            grown,
            shape=shape.name,
            refusals=refusals,
            limits=shape.limits,
            off=partial(shape.off, at, seed),
        ).plans
    return Found(dearest_first(found), refusals)


def plan_seed(at: Ground, seed: Seed) -> PlannedSeed | Rejection:
    """A seed with its plans. A seed without plans becomes a rejection with the commonest bound (ties by name)."""
    if seed.method not in BY_METHOD:  # read from an outside data set
        return PlannedSeed(seed=seed)
    found = plans_of(at, seed)
    if found.plans:
        return PlannedSeed(seed=seed, plans=found.plans)
    refused, lacks = found.refusals.reasons, found.refusals.lacks
    most = min(refused, key=lambda r: (-refused[r], r), default=Reason.NO_PATH.value)
    evidence = {
        "level": seed.level,
        "refused": dict(sorted(refused.items())),
        "lacks": {str(lack): lacks[lack] for lack in sorted(lacks)},
    }
    return reject(seed, most, evidence)
