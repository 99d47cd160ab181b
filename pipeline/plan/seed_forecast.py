"""How many seeds a store gives under a recipe: the same rules as the run, over all entities or an even sample of them."""

import math
from collections import Counter
from dataclasses import dataclass

from questloom.knowledge.store.store import Store
from questloom.pipeline.plan.call_forecast import Mix
from questloom.pipeline.plan.estimates import Range, Z
from questloom.pipeline.recipe import Recipe
from questloom.transforms.drafting.seeds import Candidate, candidates, choose
from questloom.transforms.facts.lookups import Lookups

SCANNED = 20_000
"""Entities looked at (about 1 ms each); a larger store is sampled in even blocks."""
BLOCK = 1_000


@dataclass(frozen=True)
class SeedCount:
    """What the store gives.

    `eligible` are the seeds that it could give, `drawn` those that the run would take (at most `seeds.count`); `mix` and
    `entities` describe the latter.
    """

    eligible: Range
    drawn: Range
    mix: Mix
    entities: tuple[str, ...]
    scanned: int
    """Entities looked at."""


def count_seeds(recipe: Recipe, store: Store, excluded: frozenset[str] = frozenset()) -> SeedCount:
    """Counts the store's seeds; exactly where it has at most `SCANNED` entities."""
    num_rows = store.num_rows("entities")
    blocks = range(0, num_rows, BLOCK)
    step = max(1, math.ceil(num_rows / SCANNED))
    lookups = Lookups(store, recipe.certificate.trust)
    pool: list[Candidate] = []
    scanned = 0
    for start in blocks[::step]:
        stop = min(start + BLOCK, num_rows)
        scanned += stop - start
        for entity in store.scan_entities(start, stop):
            if entity.id not in excluded and not any(i in excluded for i in entity.merged_ids):
                pool.extend(
                    candidates(
                        entity,
                        lookups,
                        recipe.seeds,
                        recipe.pictures,
                        recipe.seed,
                        recipe.draft.max_answer_words,
                    )
                )
    drawn = choose(pool, recipe.seeds)
    num_found = len({c.seed.id for c in pool})
    half = Z * math.sqrt(num_found) if step > 1 else 0.0
    factor = num_rows / scanned if scanned else 1.0
    eligible = Range(max(0.0, num_found - half), num_found, num_found + half).scaled(factor)
    return SeedCount(
        eligible=eligible,
        drawn=eligible.at_most(recipe.seeds.count),
        mix=Counter((s.method, s.level) for s in drawn),
        entities=tuple(dict.fromkeys(s.entity_id for s in drawn))[:40],
        scanned=scanned,
    )
