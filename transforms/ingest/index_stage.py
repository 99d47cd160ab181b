"""Stage `index`: builds the page table, the class tree and the list of merged ids. The stage is a
single task, since a title may redirect to any other title."""

from functools import lru_cache

import orjson

from questloom.files.locations import Location
from questloom.files.parquet import write_whole
from questloom.records.identity import record_id
from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json
from questloom.transforms.ingest.classes import ClassTree, write_class_edges
from questloom.transforms.ingest.ingest_job import Job, Outcome
from questloom.transforms.ingest.pages import NOWHERE, REDIRECT, Merged, PageTable, build_pages
from questloom.transforms.ingest.part_files import read_parts

STAGE = "index"


def run(job: Job, task: int) -> Outcome:
    """Builds the page table, the class tree and the merged ids. The task's items are the redirects;
    a redirect to no page is rejected."""
    parts, folder = job.folder("parts"), job.folder("index")
    folder.mkdir(parents=True, exist_ok=True)
    into = {old: new for old, new in _pairs(parts, "merged") if old != new}
    write_whole(folder / "merged.json", orjson.dumps(into, option=orjson.OPT_SORT_KEYS))
    write_class_edges(folder / "classes.arrow", _pairs(parts, "superclass"))
    build_pages(parts, folder, job.wiki, ClassTree(folder / "classes.arrow"), Merged(into))
    pages, outcome, last = PageTable(folder), Outcome(), ""
    redirects = read_parts(parts, "redirect")
    for title, record in zip(
        redirects.column("key").to_pylist(), redirects.column("record").to_pylist(), strict=True
    ):
        target = record.decode()
        row = pages.row(title)
        if pages.state[row] != REDIRECT or title == last:
            outcome.reject(
                _reject(job, title, target, Reason.DUPLICATE_RECORD, "the title has another page")
            )
        elif pages.target[row] == NOWHERE:
            outcome.reject(
                _reject(
                    job,
                    title,
                    target,
                    Reason.REDIRECT,
                    "it leads to no article or item that was read",
                )
            )
        else:
            outcome.keep()
        last = title
    return outcome


def _pairs(parts: Location, kind: str) -> list[tuple[str, str]]:
    """The pairs (key, order) of all rows of a kind, sorted."""
    table = read_parts(parts, kind)
    return list(
        zip(table.column("key").to_pylist(), table.column("order").to_pylist(), strict=True)
    )


def _reject(job: Job, title: str, target: str, reason: Reason, why: str) -> Rejection:
    return Rejection(
        item_id=record_id("Redirect", job.wiki, title, target),
        seed_id="",
        stage=STAGE,
        reason=reason.value,
        evidence=Json({"target": target, "why": why}),
        title=title,
    )


@lru_cache(1)
def page_table(folder: Location) -> PageTable:
    """The page table, opened once per process."""
    return PageTable(folder)


@lru_cache(1)
def class_tree(folder: Location) -> ClassTree:
    """The class tree, opened once per process."""
    return ClassTree(folder / "classes.arrow")


@lru_cache(1)
def merged_ids(folder: Location) -> Merged:
    """The merged ids, read once per process."""
    return Merged(orjson.loads((folder / "merged.json").read_bytes()))
