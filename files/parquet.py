"""Reads and writes Parquet files with extra data in their metadata. A file appears as a whole or
not at all.
"""

import os
import uuid
from collections.abc import Iterable, Iterator
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from questloom.files.locations import BucketPath, Location, readable
from questloom.records.errors import InputError
from questloom.records.table import Record

R = TypeVar("R", bound=Record)
ROW_GROUP = 1024


def write_whole(path: Location, data: bytes) -> None:
    """Writes a file under a temporary name and then renames it. A reader therefore sees the whole
    file or no file. In a bucket, no rename is needed, because an object appears as a whole or not
    at all.
    """
    if isinstance(path, BucketPath):
        path.write_bytes(data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with open(part, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_records(path: Location, kind: type[R], rows: Iterable[R], **facts: str) -> int:
    """Writes records to one Parquet file and returns their number. The file appears as a whole or
    not at all.

    Args:
        path: path of the file; a missing folder is made.
        kind: type of the records; it gives the schema even if there are no rows.
        rows: records in the order in which they are written (callers sort them by id).
        facts: strings for the file's metadata, such as the digest of the inputs.
    """
    schema = kind.schema().with_metadata(
        {**(kind.schema().metadata or {}), **{k.encode(): v.encode() for k, v in facts.items()}}
    )
    sink = pa.BufferOutputStream()
    count = 0
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        batch: list[dict] = []
        for row in rows:
            batch.append(row.to_row())
            count += 1
            if len(batch) == ROW_GROUP:
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
                batch = []
        if batch:
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
    write_whole(path, sink.getvalue().to_pybytes())
    return count


def read_records(path: Location, kind: type[R]) -> Iterator[R]:
    """Yields the records of one file, one row group after the other.

    Raises: InputError: the file is missing, is not a Parquet file, or contains another type of
        record.
    """
    try:
        with pq.ParquetFile(readable(path)) as file:
            found = (file.schema_arrow.metadata or {}).get(b"record", b"").decode()
            if found and found != kind.__name__:
                raise InputError(
                    str(path),
                    f"holds {found} records, not {kind.__name__}",
                    "Point at a file of the right stage.",
                )
            for batch in file.iter_batches(ROW_GROUP):
                for row in batch.to_pylist():
                    yield kind.from_row(row)
    except (FileNotFoundError, pa.ArrowInvalid) as error:
        raise InputError(
            str(path),
            f"cannot be read as Parquet ({error})",
            "Remove the file and run the same command again.",
        ) from error


def read_metadata(path: Location) -> dict[str, str] | None:
    """Returns the metadata strings that `write_records` stored in the file. Returns None if there
    is no complete file.
    """
    try:
        metadata = pq.read_schema(readable(path)).metadata or {}
    except (FileNotFoundError, pa.ArrowInvalid):
        return None
    return {k.decode(): v.decode() for k, v in metadata.items()}
