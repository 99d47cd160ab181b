"""Counts the entities of a store that may become seeds under a recipe. The function applies the
run's own rules to all entities, or to an even sample of them."""

import math
from dataclasses import dataclass

from questloom.knowledge.store.store import Store
from questloom.pipeline.plan.estimates import Range, Z
from questloom.pipeline.recipe import Recipe
from questloom.transforms.drafting.seeds import Candidate, candidates
from questloom.transforms.facts.lookups import Lookups

SCANNED = 20_000
"""At most this number of entities is examined. One entity takes about 1 ms. From a larger store,
evenly spaced blocks of entities are taken."""
BLOCK = 1_000


@dataclass(frozen=True)
class SeedCount:
    """How many seeds a store has.

    `eligible` counts the entities that may become seeds. `drawn` counts the seeds that the run
    would take, at most `seeds.count`.
    """

    eligible: Range
    drawn: Range
    scanned: int
    """The number of entities that were examined."""


def count_seeds(recipe: Recipe, store: Store, excluded: frozenset[str] = frozenset()) -> SeedCount:
    """Counts the entities of a store that may become seeds. The count is exact if the store has at
    most `SCANNED` entities."""
    num_rows = store.num_rows("entities")
    blocks = range(0, num_rows, BLOCK)
    step = max(1, math.ceil(num_rows / SCANNED))
    lookups = Lookups(store, recipe.certificate.trust, recipe.language)
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
    num_found = len({c.seed.id for c in pool})
    half = Z * math.sqrt(num_found) if step > 1 else 0.0
    factor = num_rows / scanned if scanned else 1.0
    eligible = Range(max(0.0, num_found - half), num_found, num_found + half).scaled(factor)
    return SeedCount(
        eligible=eligible,
        drawn=eligible.at_most(recipe.seeds.count),
        scanned=scanned,
    )
