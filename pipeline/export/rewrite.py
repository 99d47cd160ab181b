"""Replaces a stage's Parquet file after rows have changed. The bytes are those that
`questloom.files.parquet.write_records` would write."""

import pyarrow as pa
import pyarrow.parquet as pq

from questloom.files.locations import Location, readable
from questloom.files.parquet import ROW_GROUP, read_metadata, write_whole


def rewrite(path: Location, table: pa.Table, facts: dict[str, str]) -> None:
    """Writes a stage's file anew if its rows or facts have changed."""
    schema = table.schema.with_metadata({k.encode(): v.encode() for k, v in facts.items()})
    if read_metadata(path) == facts and pq.read_table(readable(path)).equals(table):
        return
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for start in range(0, table.num_rows, ROW_GROUP):
            writer.write_table(table.slice(start, ROW_GROUP).cast(schema))
    write_whole(path, sink.getvalue().to_pybytes())
