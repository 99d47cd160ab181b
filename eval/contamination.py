"""What of a benchmark is in the training data: entities, questions by their n-grams, pictures by their perceptual hashes.

The training data is a data set as `questloom synth` exports it, or any folder of Parquet files with the columns `question`, `image` or `images`,
and `bindings` and `anchor`. Its own part `benchmark` is no training data. A match is not proof that a model knows the answer, and no match is no
proof that it does not; the score on the questions without a match stands beside the whole one.
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
"""Words of an n-gram (as in the usual checks of text corpora, 8 to 13); a shorter question is compared as a whole."""
SHARE = 0.5
"""A question is in the training data if so much of its n-grams is: two questions made by one template share some."""
MAX_DISTANCE = 6
"""In how many of 64 bits perceptual hashes of near-duplicates may differ."""
LEFT_OUT = {"benchmark", "formats"}
"""Parts of an exported data set: its own benchmark, and the copies in the folder `formats`."""
KINDS = ("entities", "question", "pictures")
_COLUMNS = ("question", "image", "images", "bindings", "anchor")
_ENTITY = re.compile(r"Q\d+")


@dataclass
class TrainingData:
    """What is looked up."""

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
                    continue  # a picture that cannot be read can be recognised by nobody


@dataclass(frozen=True)
class Findings:
    """Which questions of a benchmark have something of theirs in the training data."""

    sources: tuple[str, ...]
    num_rows: int
    matches: dict[str, tuple[str, ...]]
    """By question id: the kinds of `KINDS` that match."""
    num_questions: int
    num_with_entities: int
    """Questions whose entities are known: only of them anything can be said."""

    @property
    def dirty(self) -> frozenset[str]:
        """Ids of the questions with any match."""
        return frozenset(self.matches)

    def as_json(self) -> dict[str, Any]:
        """Counts."""
        return {
            "training_data": list(self.sources),
            "training_rows": self.num_rows,
            "questions": self.num_questions,
            "with_known_entities": self.num_with_entities,
            "any": len(self.matches),
            **{kind: sum(kind in kinds for kinds in self.matches.values()) for kind in KINDS},
        }


def n_grams(question: str) -> Iterator[str]:
    """A question's n-grams of words; of a short one the whole.

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
    """The training data of some folders.

    Raises:
        InputError: a folder holds no Parquet file with any of the columns.
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
    """Looks every question up.

    Args:
        items: the benchmark.
        training: the training data.
        picture: gives a picture of the benchmark by its sha256.
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
