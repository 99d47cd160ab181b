"""Removes pictures from a policy's episodes. A trajectory that shows a dropped picture becomes a
rejection `dropped_by_request`. If a question was dropped, its task is removed from the folder.

A trajectory counts as showing a picture if its own pictures include that picture, or a picture made
from it. The counts and the digests of the stages are updated. Journals of unfinished episodes are
removed, since they may contain the picture. The unfinished episodes are played again.
"""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq

from questloom.files.locations import Location, readable, remove_tree
from questloom.files.parquet import read_metadata, read_records, write_records, write_whole
from questloom.pipeline.export.attribution import Attribution
from questloom.pipeline.export.rewrite import rewrite
from questloom.records.identity import canonical_json, record_id
from questloom.records.outcomes import Reason, Rejection
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.behaviour import numbers_of
from questloom.transforms.episodes.episode_folder import KEEP, PLAY, SOLVED, TASKS, EpisodeFolder
from questloom.transforms.stages.run_folder import name_of
from questloom.transforms.stages.stage_shards import file_digest, source_digest

_KINDS = ("side", "pending", "rejected", "kept")
Blank = Callable[[pa.Table], pa.Table]


def pictures_from(out: EpisodeFolder, num_shards: int, sources: set[str]) -> set[str]:
    """The pictures in a policy's episodes that come from one of the given pictures of the store,
    changed or unchanged."""
    found: set[str] = set()
    for shard in range(num_shards):
        path = out.shard(out.label(PLAY), "kept", shard)
        for trajectory in read_records(path, Trajectory) if path.is_file() else ():
            found |= {
                image.sha256
                for image, source in zip(
                    trajectory.episode.images, trajectory.source_ids, strict=True
                )
                if source in sources
            }
    return found


def purge_episodes(
    out: EpisodeFolder, num_shards: int, *, sources: set[str], pictures: set[str], blanked: Blank
) -> None:
    """Removes pictures from a policy's folder. If a kill interrupts the call, the same call gives
    the same result.

    Args:
        out: the policy's folder. The run's own stages must be purged already.
        num_shards: the number of shards in the folder.
        sources: the ids of the store's pictures to remove.
        pictures: the hashes of these pictures in the form that the policy saw.
        blanked: a function that takes a table and returns it without any mention of the pictures'
            names.
    """
    remove_tree(out.at("journal"), ignore_errors=True)
    for shard in range(num_shards):
        _purge_shard(out, shard, sources, pictures, blanked)
    for sha256 in pictures:
        out.files.picture(sha256).unlink(missing_ok=True)
    for shard in range(num_shards):
        ledger = out.attribution(shard)
        if ledger.is_file():
            write_records(
                ledger,
                Attribution,
                [a for a in read_records(ledger, Attribution) if a.source_sha256 not in sources],
            )
    _correct_facts(out)


def _purge_shard(
    out: EpisodeFolder, shard: int, sources: set[str], pictures: set[str], blanked: Blank
) -> None:
    gone: set[str] = set()
    before: dict[str, Location] = {}
    for label in out.labels():
        stage = name_of(label)
        paths = {kind: out.shard(label, kind, shard) for kind in _KINDS}
        facts = read_metadata(paths["kept"])
        if facts is None:
            return  # the job has not reached this stage
        rows = {
            kind: pq.read_table(readable(path)) for kind, path in paths.items() if path.exists()
        }
        new: set[str] = set()
        if facts["record"] == Trajectory.__name__:
            ids, bad = _shows(rows["kept"], sources, pictures)
            new = {i for i, is_bad in zip(ids, bad, strict=True) if is_bad}
        elif facts["record"] == "Question":
            ids = [
                record_id("Question", s, index=i)
                for s, i in zip(
                    rows["kept"]["seed_id"].to_pylist(),
                    rows["kept"]["index"].to_pylist(),
                    strict=True,
                )
            ]
            gone |= {
                i
                for i, source in zip(ids, rows["kept"]["source_image_id"].to_pylist(), strict=True)
                if source in sources
            }
        else:
            ids = rows["kept"]["question_id"].to_pylist()
        seeds = dict(zip(ids, rows["kept"]["seed_id"].to_pylist(), strict=True))
        tasks = (
            dict(zip(ids, rows["kept"]["question_id"].to_pylist(), strict=True))
            if facts["record"] == Trajectory.__name__
            else {}
        )
        hidden = gone | new | {i for i, task in tasks.items() if task in gone}
        made = {
            kind: table.filter(
                pa.array(
                    [
                        i not in hidden
                        for i in (ids if kind == "kept" else table["item_id"].to_pylist())
                    ],
                    pa.bool_(),
                )
            )
            for kind, table in rows.items()
        }
        if stage == PLAY:
            # Rows of a killed attempt exist already, since their trajectories are gone from `kept`.
            rejected = made["rejected"].to_pylist() + [
                Rejection(
                    item_id=i, seed_id=seeds[i], stage=stage, reason=Reason.DROPPED_BY_REQUEST.value
                ).to_row()
                for i in new
                if tasks[i] not in gone
            ]
            rejected.sort(key=lambda row: (row["item_id"], row["reason"]))
            made["rejected"] = pa.Table.from_pylist(rejected, schema=rows["rejected"].schema)
        gone |= hidden
        made = {kind: blanked(table) for kind, table in made.items()}
        for kind, table in made.items():
            if kind != "kept":
                rewrite(paths[kind], table, read_metadata(paths[kind]) or {})
        rewrite(paths["kept"], made["kept"], _facts(stage, facts, made, before, paths["side"]))
        before[stage] = paths["kept"]


def _shows(kept: pa.Table, sources: set[str], pictures: set[str]) -> tuple[list[str], list[bool]]:
    """Yields a pair for each trajectory of a file: its id, and whether it shows a dropped
    picture."""
    ids, bad = [], []
    for row in kept.select(["episode", "source_ids", "source_image_id"]).to_pylist():
        episode = row["episode"]
        ids.append(
            record_id(
                "Episode",
                episode["task_id"],
                episode["engine"],
                episode["model"],
                index=episode["rollout"],
            )
        )
        bad.append(
            row["source_image_id"] in sources
            or bool(sources.intersection(row["source_ids"]))
            or any(image["sha256"] in pictures for image in episode["images"])
        )
    return ids, bad


def _facts(
    stage: str,
    facts: dict[str, str],
    rows: dict[str, pa.Table],
    before: dict[str, Location],
    side: Location,
) -> dict[str, str]:
    """A stage's facts for the metadata of its file, after the purge. The counts are taken from the
    stage's rows, and the digest is that of the stage's new input."""
    num_out, num_pending = (
        rows["kept"].num_rows,
        rows["pending"].num_rows if "pending" in rows else 0,
    )
    if stage == TASKS:
        num_rejected = rows["rejected"].num_rows
        return facts | {
            "num_in": str(num_out + num_rejected),
            "num_kept": str(num_out),
            "num_rejected": str(num_rejected),
            "num_out": str(num_out),
        }
    source = before[TASKS] if stage in (PLAY, SOLVED) else list(before.values())[-1]
    num_in = pq.ParquetFile(readable(source)).metadata.num_rows
    waiting = set(rows["pending"]["item_id"].to_pylist()) if num_pending else set()
    num_kept = (
        len(set(rows["kept"]["question_id"].to_pylist()) - waiting) if stage == PLAY else num_out
    )
    digest = source_digest((source, side)) if side.exists() else file_digest(source)
    return facts | {
        "source": digest,
        "num_in": str(num_in),
        "num_kept": str(num_kept),
        "num_rejected": str(num_in - num_kept - num_pending),
        "num_pending": str(num_pending),
        "num_out": str(num_out),
    }


def _correct_facts(out: EpisodeFolder) -> None:
    """Corrects the counts and statistics of `teach.json` after the purge."""
    facts = out.read_facts()
    if facts is None:
        return
    counts = {name: out.count(out.label(name)) for name in facts["stages"]}
    for stage, row in facts["stages"].items():
        row.update(
            {
                name: getattr(counts[stage], f"num_{name}")
                for name in ("in", "kept", "rejected", "pending")
            }
        )
    totals = {
        name: counts[stage].num_out
        for name, stage in (("tasks", TASKS), ("played", PLAY), ("kept", KEEP), ("solved", SOLVED))
    }
    statistics = numbers_of(out).as_json() | {
        "distance_from_reference": facts["statistics"]["distance_from_reference"]
    }
    write_whole(
        out.facts, (canonical_json({**facts, **totals, "statistics": statistics}) + "\n").encode()
    )
