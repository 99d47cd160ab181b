"""Reads the data of supervised fine-tuning: stored episodes, and dialogues from outside data sets.

```
RUN, RUN/episodes/POLICY       a policy's kept trajectories (by default the teacher's), if their question's split is sft/train or sft/validation
FILE, FOLDER, DATA_SET:CONFIGURATION      dialogues in LLaMA-Factory's ShareGPT form, or as messages (`sft/dialogues.py`, `sft/data_sets.py`)
```

Every row is accounted for: the result is a `Document`, or a `DroppedRow` with a reason.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from questloom.records.errors import InputError
from questloom.records.identity import canonical_json
from questloom.records.trajectories import Trajectory
from questloom.train.rows.row import UnusableRow
from questloom.train.sft.data_sets import HUB, TRAIN, VALIDATION, DialogueFile, dialogue_files
from questloom.train.sft.dialogues import fields_of
from questloom.transforms.episodes.episode_folder import KEEP, TEACHER, EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder

Split = Literal["train", "validation"]
OTHER_SPLIT = "other_split"
"""The reason for leaving out a trajectory whose question is for reinforcement learning or for
tests."""
FOREIGN_SPLIT = "foreign_split"
"""The reason for leaving out a row whose split is neither training nor validation."""
_SPLITS: dict[str, Split] = {"sft/train": "train", "sft/validation": "validation"}


@dataclass(frozen=True, kw_only=True)
class Document:
    """One conversation in the form in which its source stores it."""

    id: str
    split: Split
    kind: Literal["episode", "dialogue"]
    home: str
    """The folder from which relative paths of picture files start."""
    text: str
    """JSON text: an `Episode`, or the fields that `dialogues.fields_of` returns."""
    pictures: tuple[bytes, ...] = ()
    """The pictures of a dialogue, as bytes of files. An entry is b"" if the row gives only the path
    of the picture's file.
    """
    source: str = ""
    """The source in the user's words."""


@dataclass(frozen=True)
class DroppedRow:
    """A row that is left out, with the reason."""

    id: str
    reason: str
    what: str = ""
    """The error message of this row; "" if the reason alone explains the error."""


def read_documents(
    train: Sequence[str], validation: Sequence[str] = ()
) -> Iterator[Document | DroppedRow]:
    """Reads all sources, in the given order.

    Args:
        train: runs, folders of episodes, and dialogues. Stored episodes and configurations of data
            sets state their own splits.
        validation: dialogues for validation, which are never used for training.

    Raises:
        InputError: a source is missing, or is of an unknown kind.
    """
    for path in train:
        yield from _read(path, "train")
    for path in validation:
        yield from _read(path, "validation")


def check_sources(train: Sequence[str], validation: Sequence[str] = ()) -> None:
    """Checks that the sources exist and differ. The rows of the sources are not read.

    Raises:
        InputError: see `read_documents`; also if a source is named twice.
    """
    for path in {path for path in (*train, *validation) if [*train, *validation].count(path) > 1}:
        raise InputError(path, "is named twice", "Name it once.")
    for path in train:
        if _episodes(path) is None:
            dialogue_files(path, TRAIN)
    for path in validation:
        _files(path, "validation")


def _read(path: str, split: Split) -> Iterator[Document | DroppedRow]:
    folder = _episodes(path) if split == "train" else None
    if folder is not None:
        yield from _of_episodes(folder, path)
        return
    for file in _files(path, split):
        for number, row in enumerate(_rows(file.path), 1):
            where = f"{file.path.name}, row {number}"
            if file.split not in (TRAIN, VALIDATION):
                yield DroppedRow(where, FOREIGN_SPLIT, f"{where} is of the split {file.split}")
            else:
                yield _of_dialogue(
                    where,
                    str(file.path.parent),
                    row,
                    "train" if file.split == TRAIN else "validation",
                    path,
                )


def _files(path: str, split: Split) -> list[DialogueFile]:
    """The dialogue files of a source.

    Raises:
        InputError: see `dialogue_files`; also if a source for validation has rows for training.
    """
    if split == "validation" and _episodes(path) is not None:
        raise InputError(
            path,
            "holds episodes, which know themselves whether they are for validation",
            "Name it with --data.",
        )
    found = dialogue_files(path, split)
    if split == "validation" and any(file.split == TRAIN for file in found):
        raise InputError(
            path,
            "holds rows for training, and says itself which are for validation",
            "Name it with --data.",
        )
    return found


def _episodes(path: str) -> EpisodeFolder | None:
    """The folder of episodes at a path; None if the path leads to something else.

    Raises:
        InputError: the path is a run, but has no kept episodes.
    """
    fix = "Play its questions first: questloom teach."
    if path.startswith(HUB):
        return None
    own = EpisodeFolder(path)
    if own.files.has_prompt():
        found = own
    elif RunFolder(path).recipe.is_file():
        found = EpisodeFolder.of(RunFolder(path), TEACHER)
        if not found.files.has_prompt():
            raise InputError(
                path,
                f"has no episodes of the policy {TEACHER!r} (it has: {', '.join(RunFolder(path).policies()) or 'none'})",
                fix,
            )
    else:
        return None
    if not found.label(KEEP):
        raise InputError(found.path, "has no kept trajectories yet", fix)
    return found


def _of_episodes(folder: EpisodeFolder, source: str) -> Iterator[Document | DroppedRow]:
    for trajectory in folder.read(folder.label(KEEP), "kept", Trajectory):
        split = _SPLITS.get(trajectory.split)
        if split is None:
            yield DroppedRow(trajectory.id, OTHER_SPLIT)
        else:
            yield Document(
                id=trajectory.id,
                split=split,
                kind="episode",
                home=folder.path,
                text=canonical_json(trajectory.episode.to_row()),
                source=source,
            )


def _of_dialogue(
    where: str, home: str, row: Any, split: Split, source: str = ""
) -> Document | DroppedRow:
    try:
        fields, pictures = fields_of(row, where)
    except UnusableRow as error:
        return DroppedRow(where, str(error.fault), f"{where} {error.what}")
    return Document(
        id=where,
        split=split,
        kind="dialogue",
        home=home,
        text=canonical_json(fields),
        pictures=pictures,
        source=source,
    )


def _rows(file: Path) -> Iterator[Any]:
    try:
        if file.suffix == ".parquet":
            with pq.ParquetFile(file) as table:
                for batch in table.iter_batches(64):
                    yield from batch.to_pylist()
            return
        raw = file.read_bytes()
        text = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode("utf-8")
        if ".jsonl" in file.suffixes:
            yield from map(json.loads, filter(str.strip, text.split("\n")))
            return
        rows = json.loads(text)
    except (OSError, EOFError, ValueError, pa.ArrowException) as error:
        raise InputError(
            str(file),
            f"cannot be read: {error}",
            "Give Parquet, or a .json list or .jsonl rows in UTF-8, with or without .gz.",
        ) from error
    if not isinstance(rows, list):
        raise InputError(
            str(file),
            "is no list of dialogues",
            'Give a list of rows with "conversations" (from, value).',
        )
    yield from rows
