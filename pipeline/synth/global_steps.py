"""The steps of the main job that look at all questions at once: drawing the seeds, finding duplicates, drawing the splits.

Only ids, keys and shard numbers pass between workers; what a step finds is written beside the stage that uses it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

from questloom.files.parquet import read_facts, read_records, write_records
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.outside_stages import outside_seeds
from questloom.pipeline.synth.splits import BENCHMARK, components, keys_of, sets_aside
from questloom.records.identity import canonical_json, shard_of
from questloom.records.knowledge import Entity
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question, Seed
from questloom.records.table import Record
from questloom.transforms.drafting.seeds import Candidate, candidates, choose
from questloom.transforms.filters.duplicates import Losers, duplicate_keys, rank
from questloom.transforms.filters.quotas import over_quota, parts_of
from questloom.transforms.stages.stage_shards import shard_facts

RANGE = 2_000
"""Entities a worker looks at in one go when seeds are drawn."""


@dataclass(frozen=True, kw_only=True)
class Loser(Record):
    """A duplicate that another question won against, by which key."""

    item_id: str
    winner: str
    by: str


@dataclass(frozen=True, kw_only=True)
class Surplus(Record):
    """A question that must go, since a thing or relation of it is on enough others."""

    item_id: str
    what: str


@dataclass(frozen=True, kw_only=True)
class SplitDraw(Record):
    """The split that a question's component was drawn into."""

    item_id: str
    split: str
    component: str


class FindCandidates(beam.DoFn):
    """(start, stop) rows of the entity table in, `Candidate`s out."""

    def __init__(self, job: Job, excluded: frozenset[str]) -> None:
        self.job, self.excluded = job, excluded

    def process(self, rows: tuple[int, int]) -> Iterator[tuple[tuple[str, str, str], Candidate]]:
        recipe, store = self.job.recipe, self.job.store
        for entity in store.scan_entities(*rows):
            if entity.id in self.excluded or _excluded(entity, self.excluded):
                continue
            for candidate in candidates(
                entity,
                store,
                recipe.seeds,
                recipe.pictures,
                recipe.seed,
                recipe.certificate.trust,
                recipe.draft.max_answer_words,
            ):
                yield (*candidate.stratum, candidate.group), candidate


def _excluded(entity: Entity, excluded: frozenset[str]) -> bool:
    return any(i in excluded for i in entity.merged_ids)


class WriteSeeds(beam.DoFn):
    """The one list of seeds in, the shard numbers out."""

    def __init__(self, job: Job, label: str) -> None:
        self.job, self.label = job, label

    def process(self, found: list[Candidate]) -> Iterator[int]:
        recipe = self.job.recipe
        yield from write_seeds(
            self.job, self.label, (*choose(found, recipe.seeds), *outside_seeds(self.job))
        )


def write_seeds(job: Job, label: str, seeds: Iterable[Seed]) -> Iterator[int]:
    """Writes the seeds of a run, shard by shard."""
    run, recipe = job.run, job.recipe
    shards: list[list[Seed]] = [[] for _ in range(recipe.run.shards)]
    for seed in seeds:
        shards[shard_of(seed.id, recipe.run.shards)].append(seed)
    for number, mine in enumerate(shards):
        facts = shard_facts(recipe.fingerprint, "", (len(mine), len(mine), 0, 0, len(mine)))
        write_records(run.shard(label, "rejected", number), Rejection, ())
        write_records(
            run.shard(label, "kept", number), Seed, sorted(mine, key=lambda s: s.id), **facts
        )
        yield number


class ShardKeys(beam.DoFn):
    """Shard numbers in; (key, (rank, id, shard)) of every question that came so far out."""

    def __init__(self, job: Job, source: str) -> None:
        self.job, self.source = job, source

    def process(self, shard: int) -> Iterator[tuple[str, tuple[str, str]]]:
        recipe = self.job.recipe
        if not recipe.filters.duplicates:
            return
        for question in read_records(self.job.run.shard(self.source, "kept", shard), Question):
            for key in duplicate_keys(question):
                yield key, (rank(recipe.seed, question.id), f"{question.id}:{shard}")


class WriteSide(beam.DoFn):
    """(shard, side records) in, shard numbers out: the second input of a stage that a global step feeds."""

    def __init__(self, job: Job, stage: str, kind: type) -> None:
        self.job, self.stage, self.kind = job, stage, kind

    def process(self, group) -> Iterator[int]:
        shard, records = group
        found = sorted(
            (r for r in records if r is not None),
            key=lambda r: canonical_json(r.to_row()),
            reverse=True,
        )
        rows = {r.item_id: r for r in found}
        write_records(
            self.job.run.shard(self.stage, "side", shard),
            self.kind,
            [rows[i] for i in sorted(rows)],
        )
        yield shard


class FindSurplus(beam.DoFn):
    """The shard numbers as one list in; (shard, `Surplus`) of every question that is too much out."""

    def __init__(self, job: Job, source: str) -> None:
        self.job, self.source = job, source

    def process(self, shards: list[int]) -> Iterator[tuple[int, Surplus | None]]:
        recipe, found, shard_of_id = self.job.recipe, [], {}
        for shard in sorted(shards):
            yield shard, None
            for q in read_records(self.job.run.shard(self.source, "kept", shard), Question):
                found.append(parts_of(q, rank(recipe.seed, q.id)))
                shard_of_id[q.id] = shard
        for question_id, what in over_quota(found, recipe.filters.quotas):
            yield shard_of_id[question_id], Surplus(item_id=question_id, what=what)


class DrawSplits(beam.DoFn):
    """The shard numbers as one list in; (shard, `SplitDraw`) of every question out."""

    def __init__(self, job: Job, source: str) -> None:
        self.job, self.source = job, source

    def process(self, shards: list[int]) -> Iterator[tuple[int, SplitDraw | None]]:
        keys, seeds = [], sets_aside(self.job.recipe)
        for shard in sorted(shards):
            yield shard, None
            for q in read_records(self.job.run.shard(self.source, "kept", shard), Question):
                keys.append((q.id, shard, keys_of(q, seeds=seeds), q.level == BENCHMARK))
        for question_id, shard, component, split in components(keys, self.job.recipe):
            yield shard, SplitDraw(item_id=question_id, split=split, component=component)


def gather_losers(shards: beam.PCollection, job: Job, source: str, label: str) -> beam.PCollection:
    """Writes which questions lose against which, beside the stage that drops them."""
    losers = (
        shards
        | "keys" >> beam.ParDo(ShardKeys(job, source))
        | "duplicates" >> Losers(job.recipe.filters.near_duplicate_similarity)
        | "loser's shard" >> beam.Map(_loser_by_shard)
    )
    return (
        (losers, shards | "every shard" >> beam.Map(lambda shard: (shard, None)))
        | "losers and shards" >> beam.Flatten()
        | "losers by shard" >> beam.GroupByKey()
        | "write losers" >> beam.ParDo(WriteSide(job, label, Loser))
    )


def gather_surplus(shards: beam.PCollection, job: Job, source: str, label: str) -> beam.PCollection:
    """Finds the questions that are too much, and writes them beside the stage that drops them."""
    return (
        shards
        | "all for quotas" >> beam.combiners.ToList()
        | "surplus" >> beam.ParDo(FindSurplus(job, source))
        | "surplus by shard" >> beam.GroupByKey()
        | "write surplus" >> beam.ParDo(WriteSide(job, label, Surplus))
    )


def gather_splits(shards: beam.PCollection, job: Job, source: str, label: str) -> beam.PCollection:
    """Draws the split of every question, and writes it beside the stage that gives it."""
    return (
        shards
        | "all shards" >> beam.combiners.ToList()
        | "components" >> beam.ParDo(DrawSplits(job, source))
        | "splits by shard" >> beam.GroupByKey()
        | "write splits" >> beam.ParDo(WriteSide(job, label, SplitDraw))
    )


def seed_shards(
    pipeline: beam.Pipeline, job: Job, excluded: frozenset[str], label: str
) -> beam.PCollection:
    """Draws the run's seeds and writes them as the stage of that label; gives the shard numbers."""
    num_rows = job.store.num_rows("entities")
    ranges = [(start, min(start + RANGE, num_rows)) for start in range(0, num_rows, RANGE)]
    return (
        pipeline
        | "ranges" >> beam.Create(ranges, reshuffle=False)
        | "spread ranges" >> beam.Reshuffle()
        | "candidates" >> beam.ParDo(FindCandidates(job, excluded))
        | "first by rank"
        >> beam.combiners.Top.SmallestPerKey(
            job.recipe.seeds.count, key=lambda c: (c.rank, c.seed.id)
        )
        | "of all strata" >> beam.FlatMap(lambda group: group[1])
        | "one list" >> beam.combiners.ToList()
        | "choose seeds" >> beam.ParDo(WriteSeeds(job, label))
    )


def _loser_by_shard(entry: tuple[str, tuple[str, str]]) -> tuple[int, Loser]:
    loser, (winner, by) = entry
    item_id, shard = loser.split(":")
    return int(shard), Loser(item_id=item_id, winner=winner.split(":")[0], by=by)


def seeds_stand(job: Job, label: str) -> bool:
    """Whether all shards of seeds were written under this recipe."""
    found = [read_facts(job.run.shard(label, "kept", n)) for n in range(job.recipe.run.shards)]
    return all(f is not None and f.get("fingerprint") == job.recipe.fingerprint for f in found)
