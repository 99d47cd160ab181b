"""Orders the plans of all seeds at once, and writes the orders into the folder of the stage that words the plans."""

from collections.abc import Iterator
from typing import Any

import apache_beam as beam

from questloom.files.parquet import read_records
from questloom.records.identity import priority
from questloom.records.outcomes import Rejection
from questloom.records.plan import PlannedSeed, Preference
from questloom.transforms.planning.choice import Shares, as_offer, order_plans
from questloom.transforms.planning.supply import check_supply, supply_of
from questloom.transforms.stages.write_side import WriteSide


class Prefer(beam.DoFn):
    """Takes the shard numbers as one list. Gives (shard, `Preference`) for every seed with
    plans."""

    def __init__(self, job: Any, source: str) -> None:
        self.job, self.source = job, source

    def process(self, shards: list[int]) -> Iterator[tuple[int, Preference | None]]:
        recipe, found, shard_of_id = self.job.recipe, [], {}
        run = self.job.run
        check_supply(
            supply_of(
                run.read(self.source, "kept", PlannedSeed),
                run.read(self.source, "rejected", Rejection),
            ),
            recipe.seeds,
            str(self.job.store_path),
        )
        for shard in sorted(shards):
            yield shard, None
            for planned in read_records(
                self.job.run.shard(self.source, "kept", shard), PlannedSeed
            ):
                rank = priority(recipe.seed, planned.id, "choice")
                found.append((planned.id, rank, tuple(map(as_offer, planned.plans))))
                shard_of_id[planned.id] = shard
        shares = Shares(
            relation=recipe.filters.quotas.relation,
            thing=recipe.filters.quotas.node,
            detail=recipe.draft.detail_share,
            computation=recipe.draft.computation_share,
        )
        for seed_id, order in order_plans(found, shares).items():
            yield shard_of_id[seed_id], Preference(item_id=seed_id, order=order)


def gather_preferences(
    shards: beam.PCollection, job: Any, source: str, label: str
) -> beam.PCollection:
    """Orders the plans of every seed, and writes the orders into the folder of the stage that words
    the plans."""
    return (
        shards
        | "all for choice" >> beam.combiners.ToList()
        | "preferences" >> beam.ParDo(Prefer(job, source))
        | "preferences by shard" >> beam.GroupByKey()
        | "write preferences" >> beam.ParDo(WriteSide(job, label, Preference))
    )
