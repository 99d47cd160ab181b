"""Stage `tables`: merges the runs (sorted files) of all partitions into the store's sorted tables,
and computes the digests of the tables."""

from collections.abc import Iterable

import pyarrow as pa

from questloom.knowledge.store.layout import SCHEMAS
from questloom.knowledge.store.profiles import Counts
from questloom.knowledge.store.writer import index_passages, write_table
from questloom.transforms.ingest.index_stage import page_table
from questloom.transforms.ingest.ingest_job import Job, Outcome
from questloom.transforms.ingest.part_files import merge_runs, read_parts
from questloom.transforms.ingest.profile_counts import count_distinct, profiles_table

TABLES = tuple(name for name in SCHEMAS if name != "profiles")
"""The tasks of the stage: one per table. The task `values` also writes the table `profiles`,
because it reads all values in order."""


def run(job: Job, task: int) -> Outcome:
    """Writes one table. The facts of the outcome hold the number of rows and the digest of the
    table."""
    name, outcome = TABLES[task], Outcome()
    counts = Counts()
    match name:
        case "titles":
            rows: Iterable[pa.Table] = [page_table(job.folder("index")).titles()]
        case "properties":
            rows = [
                _first_of_key(read_parts(job.folder("parts"), "property")).select(["key", "record"])
            ]
        case "values":
            rows = (
                t.select(["key", "record"])
                for t in count_distinct(merge_runs(job.folder("runs"), name), counts)
            )
        case _:
            extra = SCHEMAS[name].names[2:]
            rows = (
                t.select(["key", "record", *(["extra"] if extra else [])]).rename_columns(
                    SCHEMAS[name].names
                )
                for t in merge_runs(job.folder("runs"), name)
            )
    outcome.facts[name] = write_table(job.store, name, rows)
    if name == "values":
        outcome.facts["profiles"] = write_table(
            job.store, "profiles", [profiles_table(job.folder("profiles"), counts)]
        )
    elif name == "passages":
        index_passages(job.store, job.language)
    return outcome


def _first_of_key(rows: pa.Table) -> pa.Table:
    """Keeps one row of each key. If several dumps define a property, their rows differ only in
    age."""
    keys, seen, keep = rows.column("key").to_pylist(), set(), []
    for number, key in enumerate(keys):
        if key not in seen:
            keep.append(number)
        seen.add(key)
    return rows.take(pa.array(keep, pa.int64()))
