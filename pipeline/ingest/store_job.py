"""The ingest job turns dumps into a store. The job can be resumed. The store is the same for any
number of workers and any order of input."""

import dataclasses
import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from questloom.files.locations import (
    BucketPath,
    Location,
    check_locations,
    is_remote,
    listed,
    location,
    remove_tree,
)
from questloom.files.parquet import read_records, write_records, write_whole
from questloom.knowledge.readers.data_sets import HUB, is_data_set, state_of
from questloom.knowledge.readers.folder import METADATA_NAMES
from questloom.knowledge.store.layout import META, REJECTED, STORE_VERSION
from questloom.knowledge.store.writer import write_meta
from questloom.pipeline.runners.progress import say
from questloom.pipeline.runners.run_log import path_error
from questloom.pipeline.runners.runner_checks import require_runner
from questloom.pipeline.runners.runner_options import LOCAL, RunnerOptions
from questloom.pipeline.runners.submit import run_pipeline
from questloom.records.errors import InputError, QuestloomError
from questloom.records.identity import canonical_json, sha256_hex
from questloom.records.outcomes import Reason, Rejection, StageCount
from questloom.transforms.ingest.ingest_graph import STAGES, Ingest, num_tasks, read_failure
from questloom.transforms.ingest.ingest_job import WORK, Job, done_path, read_done
from questloom.transforms.ingest.sources import (
    ReadOptions,
    ReadTask,
    plan_articles,
    plan_entities,
    plan_pictures,
    plan_stated,
    range_text,
    site_of,
)
from questloom.transforms.stages.run_folder import absolute

MIN_PARTITIONS = 2
MAX_ERROR_SHARE = 0.01
"""The job fails if more than this share of the items (0 to 1) ends with the reason `error`. A large
share of errors shows that the code is wrong, not the data."""
POLL_SECONDS, REMOTE_POLL_SECONDS = 0.25, 5.0
PLAN = "plan.json"
CLASS_COUNTS = "class-counts.json"
"""The name of a file beside an entity dump. The file states how many members each class has in the
whole world, by class id. The numbers come from a query service. Members of subclasses count too."""
_ERROR_NUMBER = re.compile(r"(?:\[errno |os error )(\d+)[\])]", re.I)
"""The pattern of an operating system's error number in the messages of Python, Arrow and Lance. A
pattern is needed because the runner passes on only the text of an exception."""
_DATE = re.compile(r"(20\d\d)-?([01]\d)-?([0-3]\d)")

Progress = Callable[[str, int, int], None]
"""A function that reports progress. The function gets the stage, the number of finished tasks and
the number of all tasks."""


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """The inputs of an ingest job, and the folder of its store.

    Articles, entities and images may be empty, but not all three.
    """

    store: str
    articles: tuple[str, ...] = ()
    """MediaWiki XML dumps, ZIM files and data sets of articles, all from one wiki."""
    entities: tuple[str, ...] = ()
    """Wikidata's JSON dumps, and data sets of entities."""
    images: tuple[str, ...] = ()
    """Folders of pictures with metadata. Pictures inside ZIM files need no folder here."""
    popularity: str = ""
    """A file of sitelinks and page views (`knowledge/readers/popularity.py`). The file tells how
    well known each item is, if the dumps do not say so."""
    snapshot: str = ""
    """The day on which claims must be true, as YYYY-MM-DD. The value "" takes the date from a
    dump's name."""
    languages: tuple[str, ...] = ()
    """The languages in which labels, aliases and descriptions are kept. The value () keeps all
    languages."""
    keep_partial: bool = False
    """Whether to keep the readable part of damaged dumps."""
    workers: int = 1
    """The number of processes that the local runner uses."""
    partitions: int = 0
    """The number of parts into which each join is divided. The value 0 chooses the number by the
    size of the input. The finished store is the same for any number of parts."""
    runner: RunnerOptions = LOCAL
    """Where the job runs. Store and inputs must have the same paths for every worker."""


@dataclass(frozen=True, kw_only=True)
class IngestSummary:
    """The result of an ingest job."""

    meta: dict[str, Any]
    """The content of meta.json: the number of rows and the digest of each table, the dumps, and the
    dates."""
    counts: tuple[StageCount, ...]
    """What each stage counted, summed over its tasks."""
    reasons: dict[str, int] = field(default_factory=dict)
    """The number of dropped items for each reason."""
    reused: bool = False
    """Whether a complete store existed already, so that the job had nothing to do."""


def run_ingest(
    options: IngestOptions, progress: Progress = lambda stage, done, total: None
) -> IngestSummary:
    """Ingests dumps into a store. If a kill interrupts the job, the next call continues it. If the
    folder holds a complete store of the same inputs, the call does nothing.

    Raises:
        InputError: an input is missing or damaged, the store's folder cannot be written or holds
            another store, or the disk is full.
        QuestloomError: too many items ended as errors.
    """
    if not options.runner.is_local:
        options = _absolute(options)
    store = location(options.store)
    dumps = [
        path
        for path in (*options.articles, *options.entities, *options.images, *_popularity(options))
        if not path.startswith(HUB)
    ]
    check_locations(reads=dumps, writes=[store])
    inputs = _inputs(options)
    snapshot, class_counts = _day(options.snapshot) or _snapshot_of(options), _class_counts(options)
    plan = canonical_json(
        {
            "version": STORE_VERSION,
            "inputs": inputs,
            "snapshot": snapshot,
            "languages": list(options.languages),
            "keep_partial": options.keep_partial,
            "partitions": options.partitions,
        }
    )
    fingerprint = sha256_hex(plan)
    if (whole := _whole_store(store, fingerprint)) is not None:
        return whole
    require_runner(options.runner, (str(store.parent),))
    for folder in options.images:
        if location(folder).is_dir() and not any(
            location(folder, name).exists() for name in METADATA_NAMES
        ):
            say(
                f"questloom: {folder} holds no {METADATA_NAMES[0]} (or {METADATA_NAMES[1]}): its pictures have no licence, so none of them is in a question"
            )
    try:
        job = _prepare(options, store, plan, snapshot)
        with _reporting(job, progress):
            _run_beam(job, options)
        return _finish(job, options, fingerprint, snapshot, inputs, class_counts)
    except OSError as error:
        raise path_error(error, store) from error


def _absolute(options: IngestOptions) -> IngestOptions:
    """The same options with absolute paths, because workers may have another working folder."""

    def each(paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(path if path.startswith(HUB) else absolute(path) for path in paths)

    return dataclasses.replace(
        options,
        store=absolute(options.store),
        articles=each(options.articles),
        entities=each(options.entities),
        images=each(options.images),
        popularity="".join(each(_popularity(options))),
    )


def _popularity(options: IngestOptions) -> tuple[str, ...]:
    return (options.popularity,) if options.popularity else ()


def _inputs(options: IngestOptions) -> list[dict[str, Any]]:
    """The name, size and modification time of every input. If the name, size or time of an input
    changes, an earlier plan is no longer valid."""
    found, refused = [], []
    counts = tuple(str(path) for path in _count_files(options))
    for kind, paths in (
        ("articles", options.articles),
        ("entities", options.entities),
        ("images", options.images),
        ("counts", counts),
        ("popularity", _popularity(options)),
    ):
        for path in sorted(paths):
            rows = kind in ("articles", "entities") and is_data_set(path)
            try:
                size, modified = state_of(path) if rows else _state(location(path))
            except OSError as error:
                refused.append((path, kind, error))
                continue
            name = path if path.startswith(HUB) else location(path).name
            found.append({"kind": kind, "name": name, "bytes": size, "modified": modified})
    if refused:
        paths, kinds, errors = zip(*refused, strict=True)
        raise InputError(
            ", ".join(paths),
            f"cannot be read ({'; '.join(dict.fromkeys(str(e.strerror) for e in errors))})",
            f"Correct what is given for {', '.join(dict.fromkeys(kinds))}",
        ) from errors[0]
    if not any((options.articles, options.entities, options.images)):
        raise InputError(
            "ingest",
            "no input is given",
            "Give dumps of articles or entities, or a folder of pictures",
        )
    return found


def _count_files(options: IngestOptions) -> list[Location]:
    """The files beside the entity dumps that state how many members each class has."""
    beside = {
        str(path): path
        for dump in options.entities
        if not dump.startswith(HUB)
        for path in [location(dump).parent / CLASS_COUNTS]
    }
    return [path for _, path in sorted(beside.items()) if path.exists()]


def _class_counts(options: IngestOptions) -> dict[str, int]:
    """How many members each class has in the whole world, by class id. The numbers come from the
    files beside the dumps. If two files differ, the larger number counts.

    Raises:
        InputError: a file is not a JSON object of class ids and positive numbers.
    """
    found: dict[str, int] = {}
    for path in _count_files(options):
        try:
            stated = json.loads(path.read_bytes())
        except ValueError as error:
            raise InputError(
                str(path), f"is no JSON ({error})", "Correct it, or remove it"
            ) from error
        if not isinstance(stated, dict) or not all(
            isinstance(number, int) and number > 0 for number in stated.values()
        ):
            raise InputError(
                str(path),
                "does not give numbers of members by class id",
                'Write it as {"Q39715": 1204}, or remove it',
            )
        for class_id, number in stated.items():
            found[class_id] = max(number, found.get(class_id, 0))
    return dict(sorted(found.items()))


def _state(path: Location) -> tuple[int, int | str]:
    """A pair of the file's size in bytes (0 for a folder) and a value that changes when the file is
    written again."""
    if isinstance(path, BucketPath):
        return path.size() if path.is_file() else 0, path.version()
    facts = os.stat(path)
    return facts.st_size if path.is_file() else 0, facts.st_mtime_ns


def _snapshot_of(options: IngestOptions) -> str:
    """The date in the name of an entity dump. If no entity dump has a date in its name, the date in
    the name of an article dump."""
    for path in (*sorted(options.entities), *sorted(options.articles)):
        if found := _DATE.search(path.rpartition("/")[2]):
            return "-".join(found.groups())
    if options.entities:
        raise InputError(
            options.entities[0],
            "the dump's name holds no date, and claims hold as of a date",
            "Give the snapshot's date, YYYY-MM-DD",
        )
    return ""


def _day(snapshot: str) -> str:
    try:
        if snapshot and date.fromisoformat(snapshot).isoformat() != snapshot:
            raise ValueError("it is written otherwise")
    except ValueError as error:
        raise InputError(
            f"--snapshot {snapshot}", f"is no date ({error})", "Write it as 2026-01-31"
        ) from error
    return snapshot


def _whole_store(store: Location, fingerprint: str) -> IngestSummary | None:
    """The summary of the complete store in the folder, if it was made from exactly these inputs.
    The result is None if the folder has no complete store.

    Raises:
        InputError: the folder holds a store made from other inputs, or something else.
    """
    if (store / META).exists():
        meta = json.loads((store / META).read_bytes())
        if meta.get("plan") != fingerprint:
            raise InputError(
                str(store),
                "holds a store of other inputs or options",
                "Give another folder, or remove this one",
            )
        remove_tree(
            store / WORK, ignore_errors=True
        )  # a kill may have come between meta.json and the end
        counts = tuple(read_records(store / REJECTED / "stages.parquet", StageCount))
        return IngestSummary(meta=meta, counts=counts, reasons=meta["reasons"], reused=True)
    if store.exists() and (
        not store.is_dir() or (not (store / WORK).exists() and any(store.iterdir()))
    ):
        raise InputError(str(store), "exists and is no store", "Give a new or empty folder")
    return None


def _prepare(options: IngestOptions, store: Location, plan: str, snapshot: str) -> Job:
    """Decides which worker reads which part of the inputs, and creates the work folder. If an
    earlier run had another plan, its work is removed."""
    work = store / WORK
    if work.exists() and (
        not (work / PLAN).exists() or (work / PLAN).read_bytes() != plan.encode()
    ):
        (work / PLAN).unlink(
            missing_ok=True
        )  # first, since a kill in between must not leave half of the old plan's work
        remove_tree(store / "tables", ignore_errors=True)
        remove_tree(work)
    site = site_of(tuple(sorted(options.articles)))
    text = range_text(
        {**dict.fromkeys(options.articles, "pages"), **dict.fromkeys(options.entities, "entities")}
    )
    tasks: list[ReadTask] = [
        task for path in sorted(options.articles) for task in plan_articles(path, text)
    ]
    tasks += [task for path in sorted(options.entities) for task in plan_entities(path, text)]
    remove_tree(work / "plan", ignore_errors=True)
    tasks += [
        task for path in sorted(options.images) for task in plan_pictures(path, work / "plan")
    ]
    tasks += [task for path in _popularity(options) for task in plan_stated(path)]
    num_bytes = sum(task.num_bytes for task in tasks)
    partitions = options.partitions or max(MIN_PARTITIONS, -(-num_bytes // text))
    write_whole(work / PLAN, plan.encode())
    return Job(
        store=str(store),
        num_partitions=partitions,
        tasks=tuple(tasks),
        options=ReadOptions(
            site=site,
            snapshot=snapshot,
            languages=options.languages,
            keep_partial=options.keep_partial,
        ),
    )


def _run_beam(job: Job, options: IngestOptions) -> None:
    """Runs the job as a Beam pipeline.

    Raises:
        InputError: a task found damaged input.
        OSError: the disk is full, or cannot be written.
    """
    read_failure(job)
    try:
        run_pipeline(
            lambda pipeline: pipeline | "ingest" >> Ingest(job),
            options.runner,
            workers=options.workers,
            title="ingest",
            moved=lambda: sum(_num_done(job, stage) for stage in STAGES),
        )
    except Exception as error:
        if (failure := read_failure(job)) is not None:
            raise failure from error
        if number := _ERROR_NUMBER.search(str(error)):
            raise OSError(int(number[1]), os.strerror(int(number[1]))) from error
        raise


def _num_done(job: Job, stage: str) -> int:
    """The number of finished tasks of a stage. Each finished task writes a small file as its
    mark."""
    return len(list(done_path(job, stage, 0).parent.glob("*.json")))


@contextmanager
def _reporting(job: Job, progress: Progress) -> Iterator[None]:
    """Reports the progress of the job while the code in the block runs. The progress is counted
    from the files that tasks leave behind, so every runner can be used."""
    ended = threading.Event()

    def watch() -> None:
        told: dict[str, int] = {}
        while True:
            last = ended.wait(REMOTE_POLL_SECONDS if is_remote(job.store) else POLL_SECONDS)
            for stage in STAGES:
                done = _num_done(job, stage)
                if done != told.get(stage, 0):
                    told[stage] = done
                    progress(stage, done, num_tasks(job, stage))
            if last:
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _finish(
    job: Job,
    options: IngestOptions,
    fingerprint: str,
    snapshot: str,
    inputs: list[dict[str, Any]],
    class_counts: dict[str, int],
) -> IngestSummary:
    """Ends the job: collects the rejections, writes meta.json, and removes the work folder."""
    store = location(job.store)
    counts, tables, num_stated = [], {}, 0
    for stage in STAGES:
        done = read_done(job, stage)
        assert len(done) == num_tasks(job, stage), (
            f"{stage}: {len(done)} of {num_tasks(job, stage)} tasks are finished"
        )
        totals = {
            name: sum(getattr(c, name) for c, _ in done)
            for name in ("num_in", "num_kept", "num_rejected", "num_out")
        }
        counts.append(StageCount(stage=stage, shard=0, **totals))
        for _, facts in done:
            num_stated += facts.pop("num_stated", 0)
            tables.update(facts)
    reasons: dict[str, int] = {}
    for path in listed(job.folder("rejected"), "*.parquet"):
        for rejection in read_records(path, Rejection):
            reasons[rejection.reason] = reasons.get(rejection.reason, 0) + 1
    errors, items = reasons.get(Reason.ERROR.value, 0), sum(c.num_in for c in counts)
    if errors > MAX_ERROR_SHARE * items:
        raise QuestloomError(
            f"{errors:,} of {items:,} items ended as errors; their tracebacks stand in {job.folder('rejected')}"
        )
    remove_tree(store / REJECTED, ignore_errors=True)
    (store / REJECTED).mkdir()
    for stage in STAGES:
        _collect(job, stage, store / REJECTED / f"{stage}.parquet")
    write_records(store / REJECTED / "stages.parquet", StageCount, counts)
    languages = list(dict.fromkeys((job.language, *options.languages)))
    meta = write_meta(
        job.store,
        {
            "wiki": job.wiki,
            "base": job.options.site.base,
            "languages": languages,
            "snapshot": snapshot,
            "plan": fingerprint,
            "reasons": dict(sorted(reasons.items())),
            "class_counts": class_counts,
            **(
                {
                    "popularity": {
                        "rows": sum(t.source["rows"] for t in job.tasks if t.kind == "popularity"),
                        "met": num_stated,
                    }
                }
                if options.popularity
                else {}
            ),
            "dumps": [{k: entry[k] for k in ("kind", "name", "bytes")} for entry in inputs],
        },
        tables,
    )
    remove_tree(store / WORK)
    return IngestSummary(meta=meta, counts=tuple(counts), reasons=reasons)


def _collect(job: Job, stage: str, path: Location) -> None:
    """Collects the rejections of a stage's tasks in one file, in the order of the tasks. If there
    are no rejections, the function writes no file."""
    parts = listed(job.folder("rejected"), f"{stage}-*.parquet")
    if parts:
        write_records(
            path,
            Rejection,
            (rejection for part in parts for rejection in read_records(part, Rejection)),
        )


__all__ = ["IngestOptions", "IngestSummary", "run_ingest"]
