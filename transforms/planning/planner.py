"""Turns a seed into its plans. Decides which shapes are tried in which order, and states the reason
if no shape gives a plan."""

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
from questloom.transforms.planning.shapes.ladder import grow_ladders
from questloom.transforms.planning.shapes.meet import grow_meets
from questloom.transforms.planning.shapes.tree import grow_trees
from questloom.transforms.stages.stage import reject

Grows = Callable[[Ground, Seed, int, Random, Refusals], Iterator[Grown]]
GrowsOfThing = Callable[[Ground, str, int, Random, Refusals], Iterator[Grown]]


@dataclass(frozen=True)
class Shape:
    """A shape grows whole forms (questions as queries) from a seed (the item that a question starts
    from).

    Args:
        name: the name that plans record.
        grow: takes a seed and a size, and gives the forms one at a time.
        off: gives the reason why a certified plan does not fit its seed; None where the plan fits.
        limits: maximum number of plans of a seed for each kind of work.
    """

    name: str
    grow: Grows
    off: Callable[[Ground, Seed, Plan], Reason | None] = lambda at, seed, plan: None
    limits: Mapping[str, int] = field(default_factory=lambda: FEW_OTHERS, hash=False)


def _of_thing(grow: GrowsOfThing) -> Grows:
    """Adapts a function that needs only the seed's thing to the arguments of `Shape.grow`."""
    return lambda at, seed, size, draw, refusals: grow(at, seed.entity_id, size, draw, refusals)


def _of_ladder(
    at: Ground, seed: Seed, size: int, draw: Random, refusals: Refusals
) -> Iterator[Grown]:
    """Grows one size of the ladder of a seed's thing. The draw does not depend on the level, so all
    seeds of a ladder grow the same tree."""
    draw = chance(at.recipe_seed, f"{seed.entity_id}:{seed.index}", "ladder")
    sizes = [at.draft.rounds[level] for level in at.ladder]
    return grow_ladders(at, seed.entity_id, sizes, size, draw, refusals)


CHAIN, MEET, TREE, LADDER, CLUSTER = (
    Shape("chain", _of_thing(grow_chains)),
    Shape("meet", _of_thing(grow_meets)),
    Shape("tree", _of_thing(grow_trees)),
    Shape("tree", _of_ladder),
    Shape("cluster", grow_clusters, off_cluster, ALL_ALIKE),
)
BY_METHOD = {"paths": (MEET, CHAIN), "injection": (TREE,), "exploration": (CLUSTER,)}
"""The shapes of each method. Few things allow a meet (two branches that lead to one thing), so
meets are tried before chains."""


def size_of(at: Ground, seed: Seed) -> int:
    """The size of a seed's plans. A tree counts rounds, and a cluster counts claims. A chain or a
    meet counts hops, including the claim that the question asks for."""
    if seed.method == "injection":
        return at.draft.rounds[seed.level]
    if seed.method == "exploration":
        return at.draft.explore.claims[seed.level]
    return at.draft.hops[seed.level] + 1


def plans_of(at: Ground, seed: Seed) -> Found:
    """The plans of a seed at its difficulty level, the plan with the dearest route first.

    Args:
        at: the store, and the rules for planning.
        seed: a seed whose method has shapes.

    Returns:
        The plans, and the counts of refusals.
    """
    size = size_of(at, seed)
    refusals, found = Refusals(), list[Plan]()
    on_ladder = at.ladder and seed.method == "injection"
    for shape in (LADDER,) if on_ladder else BY_METHOD[seed.method]:
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
    """A seed with its plans. A seed without plans becomes a rejection. The reason is the bound that
    refused most often (the first by name among equals)."""
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
