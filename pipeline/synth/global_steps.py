"""Two steps of the main job must look at all items at once: the choice of the seeds, and the
division of the questions into splits. If a filter needs such a step, the filter's own file defines
the step.

Workers exchange only ids, keys and the numbers of shards. The result of a step is written into the
folder of the stage that uses it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

from questloom.files.parquet import read_metadata, read_records, write_records
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.outside_stages import outside_seeds
from questloom.pipeline.synth.splits import BENCHMARK, components, keys_of, sets_aside
from questloom.records.identity import shard_of
from questloom.records.knowledge import Entity
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question, Seed
from questloom.records.table import Record
from questloom.transforms.drafting.seeds import Candidate, candidates, choose
from questloom.transforms.stages.stage_shards import shard_facts
from questloom.transforms.stages.write_side import WriteSide

RANGE = 2_000
"""When seeds are chosen, a worker examines this number of entities at once."""


@dataclass(frozen=True, kw_only=True)
class SplitDraw(Record):
    """The split of one question. All questions of a component (a group of connected questions) get
    the same split."""

    item_id: str
    split: str
    component: str


class FindCandidates(beam.DoFn):
    """Takes ranges (start, stop) of rows in the table of entities. Output: `Candidate`s."""

    def __init__(self, job: Job, excluded: frozenset[str]) -> None:
        self.job, self.excluded = job, excluded

    def process(self, rows: tuple[int, int]) -> Iterator[tuple[tuple[str, str, str], Candidate]]:
        recipe, store = self.job.recipe, self.job.store
        for entity in store.scan_entities(*rows):
            if entity.id in self.excluded or _excluded(entity, self.excluded):
                continue
            for candidate in candidates(
                entity,
                self.job.lookups,
                recipe.seeds,
                recipe.pictures,
                recipe.seed,
                recipe.draft.max_answer_words,
            ):
                yield (*candidate.stratum, candidate.group), candidate


def _excluded(entity: Entity, excluded: frozenset[str]) -> bool:
    return any(i in excluded for i in entity.merged_ids)


class WriteSeeds(beam.DoFn):
    """Input: the list of all seeds. Output: the shard numbers."""

    def __init__(self, job: Job, label: str) -> None:
        self.job, self.label = job, label

    def process(self, found: list[Candidate]) -> Iterator[int]:
        recipe = self.job.recipe
        yield from write_seeds(
            self.job, self.label, (*choose(found, recipe.seeds), *outside_seeds(self.job))
        )


def write_seeds(job: Job, label: str, seeds: Iterable[Seed]) -> Iterator[int]:
    """Writes the seeds of a run into the run's shards."""
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


class DrawSplits(beam.DoFn):
    """Takes the list of all shard numbers. Yields a pair (shard, `SplitDraw`) for every
    question."""

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


def gather_splits(shards: beam.PCollection, job: Job, source: str, label: str) -> beam.PCollection:
    """Chooses a split for every question at random. The splits are written to a file, which the
    stage that assigns them reads."""
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
    """Chooses the run's seeds, and writes them into the folder of the stage `label`. Returns the
    shard numbers."""
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


def seeds_stand(job: Job, label: str) -> bool:
    """Whether a run with this recipe has already written all shards of seeds."""
    found = [read_metadata(job.run.shard(label, "kept", n)) for n in range(job.recipe.run.shards)]
    return all(f is not None and f.get("fingerprint") == job.recipe.fingerprint for f in found)
