"""One stage shard of a run to its files of the data set: a pure function of the run's files, so shards can go to any worker.

    data/rl/train-00003-000.parquet      questions, by use and split; `questions_per_shard` a file
    data/rejected/rejected-00003-000.parquet
    formats/verl/rl_train/00003-000.parquet
"""
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features

from files.parquet import read_records, write_records
from pipeline.export.asked import Asking
from pipeline.export.attribution import Attribution, read_ledger
from pipeline.export.columns import REJECTED, rejected_row, task_features, task_row
from pipeline.export.episode_ledger import read_episode_ledger
from pipeline.export.formats import FORMATS
from pipeline.export.quota import SURPLUS_USE, Quota
from pipeline.export.sft_rows import SFT, TRAJECTORY_FORMATS, Teaching, sft_row
from pipeline.recipe import Recipe
from records.errors import InputError
from records.identity import priority
from records.outcomes import Rejection
from records.synthesis import Question
from transforms.episodes.episode_folder import EpisodeFolder
from transforms.stages.run_folder import RunFolder

ROWS_PER_GROUP = 100
"""What a reader must hold at once: rows with pictures are large."""


@dataclass
class Tally:
    """What the card counts, added up over shards."""

    counts: Counter = field(default_factory=Counter)
    """(table, value) to number: ("level", "easy"), ("split", "rl/train"), …"""
    example: tuple[str, Question] | None = None
    """The training question with the smallest draw, and the draw."""

    def add(self, other: "Tally") -> None:
        """Takes another shard's numbers."""
        self.counts += other.counts
        self.example = min((e for e in (self.example, other.example) if e), key=lambda e: e[0], default=None)


class RowWriter:
    """Rows to numbered Parquet files with the features' metadata, so that `datasets` gives pictures and not bytes.

    Pictures are stored as they are: they are compressed already, and a hub can tell equal ones.
    """

    def __init__(self, prefix: Path, features: Features, rows_per_file: int) -> None:
        self.prefix, self.schema, self.rows_per_file = prefix, features.arrow_schema, rows_per_file
        self._writer: pq.ParquetWriter | None = None
        self._num_files, self._num_rows = 0, 0
        self._rows: list[dict[str, Any]] = []

    def write(self, row: dict[str, Any]) -> None:
        """Adds a row."""
        self._rows.append(row)
        self._num_rows += 1
        if len(self._rows) == ROWS_PER_GROUP or self._num_rows == self.rows_per_file:
            self._flush()
        if self._num_rows == self.rows_per_file:
            self.close()

    def _flush(self) -> None:
        if not self._rows:
            return
        if self._writer is None:
            path = self.prefix.with_name(f"{self.prefix.name}-{self._num_files:03d}.parquet")
            path.parent.mkdir(parents=True, exist_ok=True)
            columns = _leaf_columns(self.schema)
            self._writer = pq.ParquetWriter(path, self.schema, compression={c: "NONE" if c.endswith(".bytes") else "ZSTD" for c in columns},
                                            use_dictionary=[c for c in columns if not c.endswith(".bytes")])
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self.schema))
        self._rows = []

    def close(self) -> None:
        """Ends the present file."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
            self._writer, self._num_rows = None, 0
            self._num_files += 1


class LineWriter:
    """The same for JSON lines."""

    def __init__(self, prefix: Path, rows_per_file: int) -> None:
        self.prefix, self.rows_per_file = prefix, rows_per_file
        self._lines: IO[str] | None = None
        self._num_files, self._num_rows = 0, 0

    def write(self, row: dict[str, Any]) -> None:
        """Adds a row."""
        if self._lines is None:
            path = self.prefix.with_name(f"{self.prefix.name}-{self._num_files:03d}.jsonl")
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lines = path.open("w", encoding="utf-8")
        self._lines.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._num_rows += 1
        if self._num_rows == self.rows_per_file:
            self.close()

    def close(self) -> None:
        """Ends the present file."""
        if self._lines is not None:
            self._lines.close()
            self._lines, self._num_rows = None, 0
            self._num_files += 1


def _leaf_columns(schema: pa.Schema) -> list[str]:
    """The names that Parquet gives the columns of a schema ("images.list.element.bytes")."""
    sink = pa.BufferOutputStream()
    pq.ParquetWriter(sink, schema).close()
    leaves = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    return [leaves.column(i).path for i in range(len(leaves))]


def write_shard(run: RunFolder, recipe: Recipe, quota: Quota, shard: int, folder: Path, teaching: Teaching) -> Tally:
    """Writes one stage shard's part of the data set under `folder`, and gives its numbers. `teaching` is what the teacher left.

    Raises:
        InputError: a picture is missing, damaged, or stands in no ledger.
    """
    writers: dict[str, RowWriter | LineWriter] = {}

    def put(name: str, features: Features | None, row: dict[str, Any]) -> None:
        if name not in writers:
            prefix, size = folder / f"{name}-{shard:05d}", recipe.export.questions_per_shard
            writers[name] = LineWriter(prefix, size) if features is None else RowWriter(prefix, features, size)
        writers[name].write(row)

    def read(image_id: str) -> bytes:
        return run.read_picture(image_id)

    tally, ledger, used = Tally(), read_ledger(run, shard), {}
    results, asking = teaching.results(shard), Asking(recipe, teaching.renderer, teaching.schemas)
    formats = {name: (FORMATS[name], made(asking.tools) if (made := FORMATS[name].features) else None) for name in recipe.export.formats}
    columns = task_features(enhanced=recipe.enhancement.share > 0, outside=bool(recipe.external), taught=teaching.is_there)
    for question in questions(run, shard):
        use, split = quota.place_of(question)
        if use == "rl" and teaching.is_broken(results.get(question.id)):
            use = SURPLUS_USE
        row = task_row(question, f"{use}/{split}", read, results.get(question.id))
        put(f"data/{use}/{split}", columns, {name: row[name] for name in columns})
        # Where there are trajectories, nobody wants to be trained on bare answers.
        wanted = {name: f for name, f in formats.items() if use in f[0].uses and not (use == "sft" and teaching.is_there)}
        asked = asking.of(question, read) if wanted else None
        for name, (shape, features) in wanted.items():
            assert asked is not None
            put(f"formats/{name}/{use}_{split}/part", features, shape.row(asked, f"questloom/{recipe.name}", split))
        for image_id in pictures_of(question):
            if image_id not in ledger:
                raise InputError(f"picture {image_id}", "has no known origin", "Run `questloom synth` again on the same folder.")
            used[image_id] = ledger[image_id]
        _count(tally, question, use, split, recipe.seed)
    ledger |= read_episode_ledger(EpisodeFolder.of(run), shard)
    for rendered in teaching.rendered(shard):
        split = rendered.trajectory.split.partition("/")[2]
        put(f"data/trajectories/{split}", SFT, sft_row(rendered))
        for name in recipe.export.formats:
            put(f"formats/{name}/trajectories_{split}/part", TRAJECTORY_FORMATS[name].features, TRAJECTORY_FORMATS[name].row(rendered))
        used |= {picture.sha256: ledger[picture.sha256] for picture in rendered.pictures}
        tally.counts.update([("trajectories", split), ("trajectory level", rendered.trajectory.level)])
    for rejection in teaching.rejections(shard):
        put("data/rejected/rejected", REJECTED, rejected_row(rejection))
        tally.counts["teach reason", rejection.stage, rejection.reason] += 1
    for rejection in rejections(run, shard):
        put("data/rejected/rejected", REJECTED, rejected_row(rejection))
        tally.counts["reason", rejection.stage, rejection.reason] += 1
    for writer in writers.values():
        writer.close()
    write_records(attribution_part(folder, shard), Attribution, [used[i] for i in sorted(used)])
    return tally


def attribution_part(folder: Path, shard: int) -> Path:
    """Where a shard's part of the attribution waits to be merged."""
    return folder / ".attribution" / f"{shard:05d}.parquet"


def questions(run: RunFolder, shard: int) -> Iterator[Question]:
    """The kept questions of a shard: those of the last stage."""
    return read_records(run.shard(run.labels()[-1], "kept", shard), Question)


def rejections(run: RunFolder, shard: int) -> Iterator[Rejection]:
    """What every stage rejected of a shard."""
    for stage in run.labels():
        yield from read_records(run.shard(stage, "rejected", shard), Rejection)


def pictures_of(question: Question) -> Iterable[str]:
    """The pictures that a question brings into the data set."""
    return (question.image_id, question.enhancement.original_image_id) if question.enhancement else (question.image_id,)


def _count(tally: Tally, question: Question, use: str, split: str, seed: int) -> None:
    certificate, enhancement = question.certificate, question.enhancement
    needs = [words for words, needed in (("a detail seen close up", question.needs_detail), ("a computation", question.needs_computation),
                                         ("a picture to be repaired first", enhancement is not None)) if needed]
    tally.counts.update([
        ("split", f"{use}/{split}"), ("level", question.level), ("method", question.method), ("answer type", question.answer.type),
        ("topic", question.topic or "none"), ("writer", question.writer), ("basis", certificate.basis if certificate else "none"),
        ("grounding", question.grounding["status"] if isinstance(question.grounding, dict) else "none"),
        *(("needs", words) for words in needs), *(("solver", v.filter, v.solver) for v in question.verdicts),
    ])
    if split == "train" and enhancement is None:
        tally.add(Tally(example=(priority(seed, question.id, "card"), question)))
