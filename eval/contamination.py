"""Finds questions of a benchmark that also occur in training data. A question matches training data
by its entities, its word n-grams or the hashes of its pictures.

The training data is a data set that `questloom synth` exported, or any folder of Parquet files. The
files need at least one of the columns `question`, `image`, `images`, `bindings` and `anchor`. The
part `benchmark` of an exported data set does not count as training data. A match does not prove
that a model knows the answer. A missing match does not prove that the model does not know the
answer. The tables therefore show two scores: on all questions, and on the questions without a
match.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from questloom.eval.items import Item
from questloom.models.picture_file import PictureError
from questloom.records.errors import InputError
from questloom.records.table import decode_json
from questloom.transforms.pictures.choose import near_duplicate, perceptual_hash

WORDS = 8
"""The number of words in an n-gram. Most contamination checks of text corpora use 8 to 13 words. A
question with fewer words is compared as a whole.
"""
SHARE = 0.5
"""If the training data contain at least this share of a question's n-grams, the question counts as
found.

A single common n-gram is not enough, because different questions from one template share some
n-grams.
"""
MAX_DISTANCE = 6
"""The maximum number of different bits (of 64) in the perceptual hashes of two near-duplicate
pictures.
"""
LEFT_OUT = {"benchmark", "formats"}
"""The parts of an exported data set that are not searched: its own benchmark, and the copies in the
folder `formats`.
"""
KINDS = ("entities", "question", "pictures")
_COLUMNS = ("question", "image", "images", "bindings", "anchor")
_ENTITY = re.compile(r"Q\d+")


@dataclass
class TrainingData:
    """An index of training data: entities, n-grams of questions, and hashes of pictures."""

    sources: list[str] = field(default_factory=list)
    entities: set[str] = field(default_factory=set)
    grams: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)
    num_rows: int = 0

    def add(self, row: dict[str, Any]) -> None:
        """Adds a row to the index."""
        self.num_rows += 1
        self.grams.update(n_grams(row.get("question") or ""))
        bindings = decode_json(row.get("bindings") or None) or {}
        self.entities.update(v for v in bindings.values() if _ENTITY.fullmatch(str(v)))
        self.entities.update({row.get("anchor") or ""} - {""})
        for cell in [row.get("image"), *(row.get("images") or [])]:
            data = cell.get("bytes") if isinstance(cell, dict) else cell
            if isinstance(data, bytes):
                try:
                    self.hashes.add(perceptual_hash(data))
                except PictureError:
                    continue  # an unreadable picture cannot match any picture


@dataclass(frozen=True)
class Findings:
    """The questions of a benchmark that match something in the training data."""

    sources: tuple[str, ...]
    num_rows: int
    matches: dict[str, tuple[str, ...]]
    """The kinds of match (see `KINDS`) of each question, by the question's id."""
    num_questions: int
    num_with_entities: int
    """The number of questions whose entities are known. A question whose entities are unknown
    cannot match by an entity.
    """

    @property
    def dirty(self) -> frozenset[str]:
        """The ids of all questions that have a match."""
        return frozenset(self.matches)

    def as_json(self) -> dict[str, Any]:
        """The number of questions with each kind of match."""
        return {
            "training_data": list(self.sources),
            "training_rows": self.num_rows,
            "questions": self.num_questions,
            "with_known_entities": self.num_with_entities,
            "any": len(self.matches),
            **{kind: sum(kind in kinds for kinds in self.matches.values()) for kind in KINDS},
        }


def n_grams(question: str) -> Iterator[str]:
    """Yields the word n-grams of a question. A short question gives only one n-gram.

    >>> list(n_grams("Who built this?"))
    ['who built this']
    """
    words = re.findall(r"\w+", question.casefold())
    if words:
        yield from (
            " ".join(words[start : start + WORDS])
            for start in range(max(1, len(words) - WORDS + 1))
        )


def read_training(folders: Sequence[str]) -> TrainingData:
    """Reads the training data in some folders.

    Raises:
        InputError: a folder contains no Parquet file with any of the needed columns.
    """
    found = TrainingData()
    for folder in folders:
        files = [
            path
            for path in sorted(Path(folder).rglob("*.parquet"))
            if not LEFT_OUT & {p.partition("-")[0] for p in path.relative_to(folder).parts}
        ]
        readable = [
            (path, wanted)
            for path in files
            if (wanted := [c for c in _COLUMNS if c in pq.read_schema(path).names])
        ]
        if not readable:
            raise InputError(
                f"--against {folder}",
                "holds no Parquet file with a column question, image, images, bindings or anchor",
                "Name the folder of an exported data set (RUN/dataset).",
            )
        found.sources.append(Path(folder).resolve().name)
        for path, wanted in readable:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=256, columns=wanted):
                    for row in batch.to_pylist():
                        found.add(row)
    return found


def compare(
    items: Iterable[Item], training: TrainingData, picture: Callable[[str], bytes]
) -> Findings:
    """Searches the training data for every question of a benchmark.

    Args:
        items: the benchmark's questions.
        training: the index of the training data.
        picture: function that returns a picture of the benchmark for its sha256.
    """
    matches: dict[str, tuple[str, ...]] = {}
    num = with_entities = 0
    hashes = sorted(training.hashes)
    for item in items:
        num += 1
        with_entities += bool(item.entities)
        grams = list(n_grams(item.question))
        held = {
            "entities": bool(training.entities & set(item.entities)),
            "question": sum(gram in training.grams for gram in grams) >= SHARE * max(1, len(grams)),
            "pictures": any(
                near_duplicate(_hash(picture(sha256)), hashes, MAX_DISTANCE)
                for sha256 in item.pictures
            ),
        }
        if any(held.values()):
            matches[item.id] = tuple(kind for kind in KINDS if held[kind])
    return Findings(tuple(training.sources), training.num_rows, matches, num, with_entities)


def _hash(data: bytes) -> str:
    try:
        return perceptual_hash(data)
    except PictureError:
        return ""
