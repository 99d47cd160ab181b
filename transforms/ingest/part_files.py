"""Writes and reads part files. A task hands part files to the tasks of the next stage, partitioned
by the hash of a key.

A task writes one Arrow file per kind of row, with one record batch per partition. A task of the
next stage reads its own batch of each file. Texts are therefore joined through files, and only task
numbers go through Beam's shuffle. A test that sent 20 links per article through GroupByKey took 448
MB for 100,000 articles. Every task opens every file. The files are therefore in Arrow's format and
not in Parquet, because an Arrow footer describes a batch in 24 bytes. A file appears whole or not
at all.
"""

import hashlib
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from questloom.files.buckets import THREADS
from questloom.files.locations import Location, is_remote, listed, open_binary, whole_file

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("order", pa.string()),
        ("record", pa.large_binary()),
        ("extra", pa.large_binary()),
    ]
)
Row = tuple
"""One row: (key, order, record, extra). `key` and `order` are strings, `record` and `extra` are
bytes; `extra` may be left out."""
SORTED = [("key", "ascending"), ("order", "ascending")]
RUN_BYTES = 64 << 10
RUN_ROWS = 1024
SPARE_FILES = 512
AHEAD = 4
"""Maximum number of batches that one round of a merge reads from a run (a sorted file). One entity
may have millions of rows in one run."""
REMOTE_BLOCK = 1 << 18
"""Number of bytes that one request reads from a file in a bucket. One request is enough for the
footer and some batches of the file."""
_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")


def hash64(text: str) -> int:
    """A hash that is the same in every process. The chance that any two of 17 million titles have
    the same hash is 1 in 100,000."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def partition_of(text: str, num_partitions: int) -> int:
    """The number of the partition to which a key belongs."""
    return hash64(text) % num_partitions


class PartWriter:
    """Collects the rows of one task. Writes the rows when the `with` block ends without an error.

    Args:
        folder: the folder of all parts.
        task: the task's name, which is part of the file names.
        num_partitions: number of partitions of the job.
        most_bytes: after this number of bytes of rows, the writer writes a file. With 0, the writer
            writes one file at the end. One file is better, since every task of the next stage opens
            every file. A repeated task writes the same files.
    """

    def __init__(
        self, folder: Location, task: str, num_partitions: int, most_bytes: int = 0
    ) -> None:
        self._folder, self._task, self._num = folder, task, num_partitions
        self._most = most_bytes
        self._rows: dict[str, list[list[Row]]] = {}
        self._bytes, self._written = 0, 0

    def add(self, kind: str, row: Row) -> None:
        """Adds a row. The row's key decides its partition."""
        if kind not in self._rows:
            self._rows[kind] = [[] for _ in range(self._num)]
        self._rows[kind][partition_of(row[0], self._num)].append(row)
        self._bytes += sum(map(len, row))
        if self._most and self._bytes >= self._most:
            self._write(f"{self._task}-{self._written:04d}")
            self._rows, self._bytes, self._written = {}, 0, self._written + 1

    def close(self) -> None:
        """Writes the remaining rows."""
        self._write(self._task)

    def _write(self, name: str) -> None:
        for kind, partitions in self._rows.items():
            with (
                whole_file(self._folder / kind / f"{name}.arrow") as path,
                pa.OSFile(str(path), "wb") as sink,
                pa.ipc.new_file(sink, SCHEMA, options=_OPTIONS) as writer,
            ):
                for number, rows in enumerate(partitions):
                    writer.write_batch(_batch(rows))
                    partitions[number] = []


def _batch(rows: list[Row]) -> pa.RecordBatch:
    columns = [[row[i] if i < len(row) else None for row in rows] for i in range(len(SCHEMA))]
    return pa.RecordBatch.from_arrays(
        [pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def read_parts(folder: Location, kind: str, partition: int | None = None) -> pa.Table:
    """The rows of all tasks for one partition (or for all partitions), sorted by (key, order)."""

    def read(path: Location) -> list[pa.RecordBatch]:
        with _arrow_file(path) as file, pa.ipc.open_file(file) as reader:
            numbers = range(reader.num_record_batches) if partition is None else [partition]
            return [reader.get_batch(n) for n in numbers]

    paths = listed(folder / kind, "*.arrow")
    if is_remote(folder):
        # Two small requests per file, which wait for the network and not for this machine.
        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(read, paths))
    else:
        found = list(map(read, paths))
    return pa.Table.from_batches([batch for batches in found for batch in batches], SCHEMA).sort_by(
        SORTED
    )


def _arrow_file(path: Location) -> Any:
    return (
        pa.PythonFile(open_binary(path, REMOTE_BLOCK), mode="r")
        if is_remote(path)
        else pa.OSFile(str(path))
    )


def groups(table: pa.Table) -> Iterator[tuple[str, list[tuple[str, bytes, bytes | None]]]]:
    """Gives (key, [(order, record, extra), …]) for each key of a table that is sorted by key. Reads
    a few rows at a time."""
    key: str | None = None
    found: list = []
    for batch in table.to_batches(max_chunksize=256):
        for row_key, *row in zip(*(c.to_pylist() for c in batch.columns), strict=True):
            if row_key != key:
                if key is not None:
                    yield key, found
                key, found = row_key, []
            found.append(tuple(row))
    if key is not None:
        yield key, found


def write_runs(folder: Location, task: str, rows: dict[str, list[Row]]) -> None:
    """Writes a task's rows for the store's tables in small batches. The rows of each table are
    sorted by (key, order)."""
    for table, found in rows.items():
        found.sort(key=lambda row: row[:2])
        size = sum(len(cell) for row in found for cell in row[2:]) // max(1, len(found)) + 1
        step = max(1, min(RUN_ROWS, RUN_BYTES // size))
        with (
            whole_file(folder / table / f"{task}.arrow") as path,
            pa.OSFile(str(path), "wb") as sink,
            pa.ipc.new_file(sink, SCHEMA, options=_OPTIONS) as writer,
        ):
            for start in range(0, len(found), step):
                writer.write_batch(_batch(found[start : start + step]))


def merge_runs(folder: Location, table: str) -> Iterator[pa.Table]:
    """Merges all runs (sorted files) of a table into one stream, sorted by (key, order). Memory
    holds at most `AHEAD` + 1 batches of each run."""
    paths = listed(folder / table, "*.arrow")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if len(paths) + SPARE_FILES > soft:
        resource.setrlimit(
            resource.RLIMIT_NOFILE,
            (min(hard, len(paths) + SPARE_FILES) if hard > 0 else len(paths) + SPARE_FILES, hard),
        )
    readers = [pa.ipc.open_file(_arrow_file(path)) for path in paths]
    places = [0] * len(readers)
    last: list[tuple[str, str] | None] = [("", "")] * len(readers)
    pool = SCHEMA.empty_table()
    while open_ends := sorted(end for end in last if end is not None):
        # One round reads half of the runs. A round up to the nearest end would give only some rows
        # of one run for a pass over all rows in memory: 500 rows per second at 847 runs.
        bound, tables = open_ends[len(open_ends) // 2], [pool]
        for i, reader in enumerate(readers):
            for _ in range(AHEAD):  # until all rows of this run up to the bound are there
                if (end := last[i]) is None or end > bound:
                    break
                if places[i] == reader.num_record_batches:
                    last[i] = None
                    break
                batch = reader.get_batch(places[i])
                places[i] += 1
                last[i] = (batch.column(0)[-1].as_py(), batch.column(1)[-1].as_py())
                tables.append(pa.Table.from_batches([batch]))
        pool = pa.concat_tables(tables)
        bound = min(
            [bound, *(end for end in last if end is not None)]
        )  # some runs may have more rows below the bound
        before = pc.or_(
            pc.less(pool["key"], bound[0]),
            pc.and_(pc.equal(pool["key"], bound[0]), pc.less_equal(pool["order"], bound[1])),
        )
        # Filters copy. A slice would keep the whole pool alive until the caller has written the
        # slice: 1.2 GB at 84 runs.
        yield pool.filter(before).sort_by(SORTED)
        pool = pool.filter(pc.invert(before))
    yield pool.sort_by(SORTED)
