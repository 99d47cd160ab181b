"""Which questions fall as duplicates: found over all of them at once, and written beside the stage that drops them.

Each question gives keys; wherever two share a key, the one with the smaller rank (drawn by the recipe's seed) stays. Then the first of each text is
compared with the texts that are nearly the same (`near_duplicates`), and falls where one of these has a smaller rank.

**Who falls**: a question of which a duplicate has a smaller rank, whether or not that one stays itself. So the result needs no order and no
second round, and every group of duplicates keeps its first. The price is paid in chains: where a is like b and b like c, but a not like c, then
with ranks a < b < c both b and c fall, c to a question that is itself gone; with b first, a and c fall; with b last, only b does.

**What crosses the shuffle**, by question of 28 words at a similarity of 0.85: keys with rank, id and shard, one of the keys being the folded words
(0.25 kB); and, only for the first of each text, the words with rank, id and shard once a band (12 × 0.27 = 3.3 kB, by
`benchmarks.near_duplicates`). The words are shorter than hashes of their triples at 8 B each would be, and leave nothing to a collision.
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


def duplicate_keys(question: Question) -> Iterator[str]:
    """Keys by which two questions are one: words, path with answer, picture with answer, picture and things of a computation.

    Words alone ("Who painted this?") say little: they count together with the answer and the thing that is shown.
    """
    answer = question.answer.value.key()
    words = folded(question.text).strip()
    yield f"{TEXT}:{answer},{question.anchor}:{words}"
    if question.bindings:
        yield f"path:{answer}:{','.join(sorted(set(question.bindings.values())))}"
    if question.image_id:
        yield f"picture:{question.image_id}:{answer}"
        form = question.logical_form
        if form is not None and form.of(
            Compute
        ):  # the years to its building, and those to its opening
            yield f"computed:{question.image_id}:{','.join(sorted({v for v in question.bindings.values() if v.startswith('Q')}))}"


@dataclass(frozen=True, kw_only=True)
class Loser(Record):
    """A duplicate that another question won against, by which key."""

    item_id: str
    winner: str
    by: str


class ShardKeys(beam.DoFn):
    """Shard numbers in; (key, (rank, id, shard)) of every question that came so far out."""

    def __init__(self, job: FilterJob, source: str) -> None:
        self.job, self.source = job, source

    def process(self, shard: int) -> Iterator[tuple[str, tuple[str, str]]]:
        recipe = self.job.recipe
        if not recipe.filters.duplicates:
            return
        for question in read_records(self.job.run.shard(self.source, "kept", shard), Question):
            for key in duplicate_keys(question):
                yield key, (rank(recipe.seed, question.id), f"{question.id}:{shard}")


class Losers(beam.PTransform):
    """(key, (rank, id)) pairs in; (losing id, (winning id, kind of key)) out, several times where a question loses by several keys.

    Args:
        similarity: Jaccard similarity of word triples from which two texts are nearly the same, 0.5 to 1.
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
    """All but the first of a group with the same key, each with the first one's id."""
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
    """The first question with a text, under each band of the text; nothing for groups by another kind of key."""
    key, members = group
    if key.startswith(f"{TEXT}:"):
        about, _, words = key.rpartition(":")  # folded words have no colon, an answer may
        first = (*min(members), words)
        yield from ((band, first) for band in band_keys(words, about, similarity))


def near_losers_of(
    group: tuple[str, Iterable[Member]], similarity: float
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Those of a band's group that have one before them whose text is truly so similar, each with the first such one's id."""
    yield from (
        (loser, (winner, TEXT)) for (_, loser, _), (_, winner, _) in alike(group[1], similarity)
    )


def gather_losers(
    shards: beam.PCollection, job: FilterJob, source: str, label: str
) -> beam.PCollection:
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


def _loser_by_shard(entry: tuple[str, tuple[str, str]]) -> tuple[int, Loser]:
    loser, (winner, by) = entry
    item_id, shard = loser.split(":")
    return int(shard), Loser(item_id=item_id, winner=winner.split(":")[0], by=by)


def rank(recipe_seed: int, question_id: str) -> str:
    """A question's rank among its duplicates, 32 hexadecimal digits: the smallest stays."""
    return priority(recipe_seed, question_id, "duplicates")
