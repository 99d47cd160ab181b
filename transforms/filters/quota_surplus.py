"""Finds the questions over a quota among all questions, and writes them into the folder of the
stage that drops them."""

from collections.abc import Iterator
from dataclasses import dataclass

import apache_beam as beam

from questloom.files.parquet import read_records
from questloom.records.synthesis import Question
from questloom.records.table import Record
from questloom.transforms.drafting.schedule import apportion
from questloom.transforms.filters.duplicate_losers import rank
from questloom.transforms.filters.filter import FilterJob
from questloom.transforms.filters.quota_shares import over_level, over_quota, parts_of
from questloom.transforms.stages.write_side import WriteSide


@dataclass(frozen=True, kw_only=True)
class Surplus(Record):
    """A question to drop, because enough other questions have the same thing or relation."""

    item_id: str
    what: str


class FindSurplus(beam.DoFn):
    """Takes the shard numbers as one list; gives (shard, `Surplus`) for every question to drop."""

    def __init__(self, job: FilterJob, source: str) -> None:
        self.job, self.source = job, source

    def process(self, shards: list[int]) -> Iterator[tuple[int, Surplus | None]]:
        recipe, found, shard_of_id = self.job.recipe, [], {}
        for shard in sorted(shards):
            yield shard, None
            for q in read_records(self.job.run.shard(self.source, "kept", shard), Question):
                found.append(parts_of(q, rank(recipe.seed, q.id)))
                shard_of_id[q.id] = shard
        gone = dict(over_quota(found, recipe.filters.quotas))
        if recipe.seeds.accepted:
            wanted = apportion(recipe.seeds.accepted, recipe.seeds.levels)
            gone |= dict(over_level((p for p in found if p.id not in gone), wanted))
        for question_id, what in gone.items():
            yield shard_of_id[question_id], Surplus(item_id=question_id, what=what)


def gather_surplus(
    shards: beam.PCollection, job: FilterJob, source: str, label: str
) -> beam.PCollection:
    """Finds the surplus questions, and writes them into the folder of the stage that drops them."""
    return (
        shards
        | "all for quotas" >> beam.combiners.ToList()
        | "surplus" >> beam.ParDo(FindSurplus(job, source))
        | "surplus by shard" >> beam.GroupByKey()
        | "write surplus" >> beam.ParDo(WriteSide(job, label, Surplus))
    )
