"""Finds the questions to drop as duplicates over all questions at once, and writes them into the
folder of the stage that drops them.

Each question has several keys. If two questions share a key, the question with the smaller rank
(drawn from the recipe's seed) stays. Then nearly identical texts are compared (`near_duplicates`).
A question is dropped where a nearly identical text has a smaller rank.

**Which questions are dropped**: a question is dropped if any duplicate has a smaller rank, even if
that duplicate is dropped too. The order of the questions therefore does not matter, and one round
suffices. Every group of duplicates keeps its first question. A chain of similar questions may lose
more than necessary: let a be similar to b, and b to c, but a not to c. With ranks a < b < c both b
and c are dropped, c because of a question that is itself dropped. If b has the smallest rank, a and
c are dropped; if b has the largest, only b is dropped.

**Shuffle traffic** for a question of 28 words at a similarity of 0.85: each question sends its keys
with rank, id and shard (0.25 kB). One key is the folded text. The first question of each text also
sends its text once per MinHash band, with rank, id and shard. `benchmarks.near_duplicates` measured
12 × 0.27 = 3.3 kB. The text itself is shorter than 8-byte hashes of its word triples, and texts
cannot collide.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

from questloom.files.parquet import read_records
from questloom.language.names_in_text import folded
from questloom.records.form import Compute
from questloom.records.identity import priority
from questloom.records.synthesis import Question
from questloom.records.table import Record
from questloom.transforms.filters.filter import FilterJob
from questloom.transforms.filters.near_duplicates import Member, alike, band_keys
from questloom.transforms.stages.write_side import WriteSide

TEXT = "text"


def duplicate_keys(question: Question, *, ladders: bool = False) -> Iterator[str]:
    """The keys of a question; two questions with a common key are duplicates. The keys are: the
    words; the path with the answer; the picture with the answer; the picture with the things of a
    computation.

    Words alone ("Who painted this?") prove little, so their key includes the answer and the
    pictured thing.

    Args:
        question: the question.
        ladders: whether questions of the method "injection" are in ladders. Questions of a ladder
            have the same picture and answer at different levels.
    """
    answer = question.answer.value.key()
    words = folded(question.text).strip()
    yield f"{TEXT}:{answer},{question.anchor}:{words}"
    if question.bindings:
        yield f"path:{answer}:{','.join(sorted(set(question.bindings.values())))}"
    if question.image_id:
        rung = f":{question.level}" if ladders and question.method == "injection" else ""
        yield f"picture:{question.image_id}:{answer}{rung}"
        form = question.logical_form
        if form is not None and form.of(
            Compute
        ):  # the years to its building, and those to its opening
            yield f"computed:{question.image_id}:{','.join(sorted({v for v in question.bindings.values() if v.startswith('Q')}))}"


@dataclass(frozen=True, kw_only=True)
class Loser(Record):
    """A question that is dropped for a duplicate, with the kind of key that both questions have."""

    item_id: str
    winner: str
    by: str


class ShardKeys(beam.DoFn):
    """Takes shard numbers. Gives (key, (rank, id, shard)) for every key of every question that
    reached the stage."""

    def __init__(self, job: FilterJob, source: str) -> None:
        self.job, self.source = job, source

    def process(self, shard: int) -> Iterator[tuple[str, tuple[str, str]]]:
        recipe = self.job.recipe
        if not recipe.filters.duplicates:
            return
        for question in read_records(self.job.run.shard(self.source, "kept", shard), Question):
            for key in duplicate_keys(question, ladders=recipe.seeds.ladders):
                yield key, (rank(recipe.seed, question.id), f"{question.id}:{shard}")


class Losers(beam.PTransform):
    """Takes (key, (rank, id)) pairs. Gives (id of the dropped question, (id of the question that
    stays, kind of key)). A question appears several times if several keys make it a duplicate.

    Args:
        similarity: minimum Jaccard similarity of word triples of two nearly identical texts, 0.5 to
            1.
    """

    def __init__(self, similarity: float) -> None:
        super().__init__()
        self.similarity = similarity

    def expand(self, pairs: beam.PCollection) -> beam.PCollection:
        groups = pairs | "by key" >> beam.GroupByKey()
        near = (
            groups
            | "first of each text" >> beam.FlatMap(banded, self.similarity)
            | "by band" >> beam.GroupByKey()
            | "all but the first alike" >> beam.FlatMap(near_losers_of, self.similarity)
        )
        return (
            groups | "all but the first" >> beam.FlatMap(losers_of),
            near,
        ) | "the same and nearly" >> beam.Flatten()


def losers_of(
    group: tuple[str, Iterable[tuple[str, str]]],
) -> Iterator[tuple[str, tuple[str, str]]]:
    """All questions of a group with the same key except the first, each with the first question's id."""
    key, members = group
    first = min(members)
    yield from (
        (loser, (first[1], key.partition(":")[0]))
        for its_rank, loser in members
        if (its_rank, loser) != first
    )


def banded(
    group: tuple[str, Iterable[tuple[str, str]]], similarity: float
) -> Iterator[tuple[str, Member]]:
    """For a group of questions with the same text, gives the first question once per MinHash band.
    Groups of questions that share something other than their text are skipped."""
    key, members = group
    if key.startswith(f"{TEXT}:"):
        about, _, words = key.rpartition(":")  # folded words have no colon, but an answer may
        first = (*min(members), words)
        yield from ((band, first) for band in band_keys(words, about, similarity))


def near_losers_of(
    group: tuple[str, Iterable[Member]], similarity: float
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Compares the texts of questions with a common MinHash band. Gives each question whose text is
    similar enough to that of an earlier question, with the id of the earlier question."""
    yield from (
        (loser, (winner, TEXT)) for (_, loser, _), (_, winner, _) in alike(group[1], similarity)
    )


def gather_losers(
    shards: beam.PCollection, job: FilterJob, source: str, label: str
) -> beam.PCollection:
    """Writes the pairs of losing and winning questions into the folder of the stage that drops the losers."""
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


def _loser_by_shard(entry: tuple[str, tuple[str, str]]) -> tuple[int, Loser]:
    loser, (winner, by) = entry
    item_id, shard = loser.split(":")
    return int(shard), Loser(item_id=item_id, winner=winner.split(":")[0], by=by)


def rank(recipe_seed: int, question_id: str) -> str:
    """A question's rank among its duplicates, 32 hexadecimal digits. The question with the smallest rank stays."""
    return priority(recipe_seed, question_id, "duplicates")
