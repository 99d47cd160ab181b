"""Removes all traces of the pictures that `--drop` names from a run.

A question becomes a rejection `dropped_by_request` if it is about the picture, or about another
picture from the same source. The rejection does not name the picture. The rejection belongs to the
stage that chose the picture, and the question is deleted from all later stages. If other rows name
the picture as evidence, the name is replaced by a blank. The counts and the digests of the stages
are updated. The run can then still be resumed, reported and exported.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from questloom.files.locations import Location, readable
from questloom.files.parquet import read_metadata, write_records, write_whole
from questloom.pipeline.export.attribution import Attribution, ledger_path, read_ledger
from questloom.pipeline.export.dataset import ExportSummary, build_dataset
from questloom.pipeline.export.episode_ledger import read_episode_ledger
from questloom.pipeline.export.purge_episodes import pictures_from, purge_episodes
from questloom.pipeline.export.rewrite import rewrite
from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.pipeline.report import build_report
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, record_id
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.pictures.choose import perceptual_hash
from questloom.transforms.stages.run_folder import RunFolder, name_of
from questloom.transforms.stages.stage_shards import file_digest, source_digest

BLANK = "(dropped)"
HASHES = ("exclude", "dropped_pictures.txt")
"""The file with the hashes of all dropped pictures. A later run can name this file in
`filters.exclude_pictures`."""
_KINDS = ("side", "pending", "rejected", "kept")
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass
class Dropped:
    """The names and hashes of the dropped pictures, which must no longer occur in the run."""

    names: set[str] = field(default_factory=set)
    """Every text that names a dropped picture: its file name in every spelling, its source page and
    its hashes."""
    sources: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)
    """The hashes of the pictures in the form that a policy sees."""
    played: set[str] = field(default_factory=set)
    """The hashes of the pictures in the form that the episodes showed."""
    found: set[str] = field(default_factory=set)
    """The lines of the user's file that name a picture of the run. Pictures that an interrupted
    call has already removed from the ledgers count as pictures of the run."""


@dataclass(frozen=True)
class DropSummary:
    """The result of `drop`."""

    num_pictures: int
    num_questions: int
    """The number of questions about dropped pictures. Questions that earlier calls dropped count
    too."""
    not_found: tuple[str, ...]
    """The lines of the user's file that name no picture of the run."""
    dataset: ExportSummary


def read_names(path: Location) -> tuple[str, ...]:
    """Reads a file that names one picture per line. The name is the Commons file name, the sha256
    of the source file, or the sha256 of the picture that policies see.

    Raises:
        InputError: the file cannot be read, or names no picture.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            str(path),
            f"cannot be read ({error})",
            "Name a UTF-8 text file with one picture a line.",
        ) from error
    names = tuple(
        dict.fromkeys(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    )
    if not names:
        raise InputError(
            str(path), "names no picture", "Write Commons file names or sha256 hashes, one a line."
        )
    return names


def drop(run: RunFolder, names: Iterable[str]) -> DropSummary:
    """Removes pictures from a finished run, and rebuilds the run's data set and report.

    If a kill interrupts the call, the same call with the same names gives the same result. The
    store keeps its copy of a dropped picture, so a new run may use the picture again. To exclude
    the picture from a new run, name RUN/exclude/dropped_pictures.txt in the new run's
    `filters.exclude_pictures`.

    Args:
        run: the run's folder.
        names: the lines of the user's file; see `read_names`.

    Raises:
        InputError: there is no run, or the run is not finished.
    """
    recipe = _recipe(run)
    marker = run.at(".drop-under-way.json")
    dropped = _resume(marker) if marker.exists() else Dropped()
    if not marker.exists():
        _check_chain(run, recipe.run.shards)
    names = tuple(names)
    not_found = _find(run, recipe.run.shards, names, dropped)
    for policy in run.policies():
        dropped.played |= pictures_from(
            EpisodeFolder.of(run, policy), recipe.run.shards, dropped.sources
        )
    write_whole(
        marker, (canonical_json({k: sorted(v) for k, v in vars(dropped).items()}) + "\n").encode()
    )
    _list_hashes(run, dropped.shown)
    num_questions = sum(_purge_shard(run, shard, dropped) for shard in range(recipe.run.shards))
    for policy in run.policies():
        purge_episodes(
            EpisodeFolder.of(run, policy),
            recipe.run.shards,
            sources=dropped.sources,
            pictures=dropped.shown | dropped.played,
            blanked=lambda table: _blanked(table, dropped.names),
        )
    for image_id in dropped.shown:
        run.picture(image_id).unlink(missing_ok=True)
    run.at("audit", "sheet.html").unlink(
        missing_ok=True
    )  # the sheets contain pictures; a filled-in sheet.csv can still be read back
    summary = build_dataset(run, recipe)
    _correct_facts(run.facts, run)
    if run.at("report").exists():
        build_report(run.at())
    marker.unlink()
    return DropSummary(
        num_pictures=len(dropped.shown),
        num_questions=num_questions,
        not_found=not_found,
        dataset=summary,
    )


def _list_hashes(run: RunFolder, shown: Iterable[str]) -> None:
    """Adds the perceptual hashes of the pictures to the file that earlier calls wrote. Only
    pictures whose files still exist can be hashed."""
    path = run.at(*HASHES)
    lines = set(path.read_text(encoding="utf-8").split()) if path.is_file() else set()
    for image_id in shown:
        places = (
            run.picture(image_id),
            *(EpisodeFolder.of(run, policy).files.picture(image_id) for policy in run.policies()),
        )
        lines |= {perceptual_hash(place.read_bytes()) for place in places if place.is_file()}
    write_whole(path, "".join(f"{line}\n" for line in sorted(lines)).encode())


def _recipe(run: RunFolder) -> Recipe:
    return recipe_of(run.read_recipe()["recipe"], str(run.recipe))


def _resume(marker: Location) -> Dropped:
    return Dropped(**{k: set(v) for k, v in json.loads(marker.read_text(encoding="utf-8")).items()})


def spelling(file: str) -> str:
    """A Commons file name in MediaWiki's normal form: without namespace, with spaces instead of
    underscores, with a capital first letter."""
    name = " ".join(file.replace("_", " ").split())
    name = name[5:].lstrip() if name[:5].lower() == "file:" else name
    return name[:1].upper() + name[1:]


def _find(
    run: RunFolder, num_shards: int, names: tuple[str, ...], dropped: Dropped
) -> tuple[str, ...]:
    """Fills `dropped`. Returns those names that no ledger contains."""
    wanted = {n.lower() if _SHA256.fullmatch(n) else spelling(n): n for n in names}
    for shard in range(num_shards):
        for row in _ledgers(run, shard):
            hits = {row.image_id, row.source_sha256, spelling(row.file)} & wanted.keys()
            if hits:
                dropped.found |= hits
                dropped.sources.add(row.source_sha256)
    for shard in range(num_shards):
        for row in _ledgers(run, shard):
            if row.source_sha256 in dropped.sources:
                dropped.shown.add(row.image_id)
                dropped.names |= {
                    row.image_id,
                    row.source_sha256,
                    row.source_page,
                    *_spellings(row.file),
                }
    # A picture that a stage examined and refused is in no ledger, only in the evidence of its
    # refusal.
    dropped.names.update(
        s for key in wanted for s in (_spellings(key) if not _SHA256.fullmatch(key) else {key})
    )
    dropped.names.discard("")
    return tuple(original for key, original in wanted.items() if key not in dropped.found)


def _ledgers(run: RunFolder, shard: int) -> Iterator[Attribution]:
    """Every picture that a shard's questions were given, or that a policy saw."""
    yield from read_ledger(run, shard).values()
    for policy in run.policies():
        yield from read_episode_ledger(EpisodeFolder.of(run, policy), shard).values()


def _spellings(file: str) -> set[str]:
    under = file.replace(" ", "_")
    return {file, under, quote(file), quote(under)}


def _check_chain(run: RunFolder, num_shards: int) -> None:
    """Raises an error if a stage is older than its input. The purge writes the stages' digests
    anew, so it would hide that a stage is out of date."""
    for shard in range(num_shards):
        before: Location | None = None
        for stage in run.labels():
            path = run.shard(stage, "kept", shard)
            facts = read_metadata(path)
            if (
                facts is None
                or facts.get("num_pending") != "0"
                or (before and facts["source"] != _source(run, stage, shard, before))
            ):
                raise InputError(
                    str(path),
                    "is not finished",
                    "Run the same `questloom synth` command again, then drop.",
                )
            before = path


def _source(run: RunFolder, stage: str, shard: int, before: Location) -> str:
    side = run.shard(stage, "side", shard)
    return source_digest((before, side)) if side.exists() else file_digest(before)


def _purge_shard(run: RunFolder, shard: int, dropped: Dropped) -> int:
    """Removes the pictures from one shard in all stages, in order. Returns how many questions of
    the shard are dropped now. Questions that earlier calls dropped count too."""
    gone: set[str] = set()
    before: Location | None = None
    for stage in run.labels():
        paths = {kind: run.shard(stage, kind, shard) for kind in _KINDS}
        facts = read_metadata(paths["kept"])
        assert facts is not None, "checked before"
        rows = {
            kind: pq.read_table(readable(path)) for kind, path in paths.items() if path.exists()
        }
        if facts["record"] == Question.__name__:
            ids, sources = _question_ids(rows["kept"]), rows["kept"]["source_image_id"].to_pylist()
            here = {i for i, source in zip(ids, sources, strict=True) if source in dropped.sources}
            earlier = {
                i
                for i, reason in zip(*_columns(rows["rejected"], "item_id", "reason"), strict=True)
                if reason == Reason.DROPPED_BY_REQUEST
            }
            if here or earlier or gone:
                rows = _without(rows, gone | here, new=here - gone, stage=name_of(stage))
                facts = _counted(facts, rows)
            gone |= here | earlier
        rows = {kind: _blanked(table, dropped.names) for kind, table in rows.items()}
        for kind, table in rows.items():
            if kind != "kept":
                rewrite(paths[kind], table, read_metadata(paths[kind]) or {})
        rewrite(
            paths["kept"],
            rows["kept"],
            facts | ({"source": _source(run, stage, shard, before)} if before else {}),
        )
        before = paths["kept"]
    ledger = [
        a
        for _, a in sorted(read_ledger(run, shard).items())
        if a.source_sha256 not in dropped.sources
    ]
    write_records(ledger_path(run, shard), Attribution, ledger)
    return len(gone)


def _question_ids(table: pa.Table) -> list[str]:
    return [
        record_id("Question", seed_id, index=index)
        for seed_id, index in zip(*_columns(table, "seed_id", "index"), strict=True)
    ]


def _columns(table: pa.Table, *names: str) -> list[list]:
    return [table[name].to_pylist() for name in names]


def _without(
    rows: dict[str, pa.Table], gone: set[str], *, new: set[str], stage: str
) -> dict[str, pa.Table]:
    """The tables of one stage without the dropped questions. Moves the questions `new` from the
    kept rows to the rejections."""
    ids = _question_ids(rows["kept"])
    made = {
        kind: table.filter(
            pa.array(
                [i not in gone for i in (ids if kind == "kept" else table["item_id"].to_pylist())],
                pa.bool_(),
            )
        )
        for kind, table in rows.items()
    }
    # A killed attempt may have written the rejections already: those of this stage are made anew.
    seeds = dict(zip(ids, rows["kept"]["seed_id"].to_pylist(), strict=True))
    rejected = made["rejected"].to_pylist() + [
        Rejection(
            item_id=i, seed_id=seeds[i], stage=stage, reason=Reason.DROPPED_BY_REQUEST.value
        ).to_row()
        for i in new
    ]
    rejected.sort(key=lambda row: (row["item_id"], row["reason"]))
    return made | {"rejected": pa.Table.from_pylist(rejected, schema=rows["rejected"].schema)}


def _counted(facts: dict[str, str], rows: dict[str, pa.Table]) -> dict[str, str]:
    """A stage's facts for the metadata of its file, with the counts corrected after the purge. In
    the stage that chooses pictures and in all later stages, each question has one row."""
    num_kept, num_rejected = (
        rows["kept"].num_rows,
        len(set(rows["rejected"]["item_id"].to_pylist())),
    )
    return facts | {
        "num_in": str(num_kept + num_rejected),
        "num_kept": str(num_kept),
        "num_rejected": str(num_rejected),
        "num_out": str(num_kept),
    }


def _blanked(table: pa.Table, names: set[str]) -> pa.Table:
    """The table, with a blank in place of every mention of the names."""
    if not mentions(table, names):
        return table
    # Longest first: a page's address contains the file's name.
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return pa.Table.from_pylist(
        [_blank(row, ordered) for row in table.to_pylist()], schema=table.schema
    )


def _blank(value: Any, names: list[str]) -> Any:
    if isinstance(value, str):
        for name in names:
            value = value.replace(name, BLANK)
        return value
    if isinstance(value, dict):
        return {k: _blank(v, names) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_blank(v, names) for v in value)
    return value


def mentions(table: pa.Table, names: Iterable[str]) -> bool:
    """Whether a text column of a table contains one of the names, even deep inside a nested
    value."""
    texts = [name.encode() for name in names]
    return any(text in data for data in _buffers(table) for text in texts)


def _buffers(table: pa.Table) -> Iterator[bytes]:
    for column in table.columns:
        for chunk in column.chunks:
            yield from (buffer.to_pybytes() for buffer in chunk.buffers() if buffer is not None)


def _correct_facts(path: Location, run: RunFolder) -> None:
    """Corrects the counts of `run.json` after the purge. The times and versions in the file do not
    change."""
    if not path.is_file():
        return
    facts = json.loads(path.read_text(encoding="utf-8"))
    for stage, row in facts.get("stages", {}).items():
        for name in ("num_in", "num_kept", "num_rejected", "num_pending", "num_out"):
            row[name] = sum(getattr(c, name) for c in run.counts(run.label(stage)))
    write_whole(path, (canonical_json(facts) + "\n").encode())
