"""Writes rows to a data set's files. When a file becomes large, the writer starts the next one. The
file names contain a digest of the data set.

```
data/rl/train-00000-of-00002-0f343b0931126a20.parquet     split, number of the file, number of files, digest of the data set
```

`datasets` caches rows under three things: the folder's name, the configuration, and the patterns in
the card. The cache ignores the place and the content of the files. Without the digest in the
patterns, `datasets` could load the cached rows of another data set.

Files that a trainer opens by path also have the digest in their names. For a file that is opened by
path, `datasets` compares only the path and the time. A copied file may have the same path and time
as an older one.
"""

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features

from questloom.files.data_folders import content_digest

FILE_BYTES = 300_000_000
"""The size in bytes at which a file is full and the next one starts."""
ROWS_PER_GROUP, GROUP_BYTES = 100, 20_000_000
"""How many rows, and how many bytes, a row group may have. Readers and writers hold a whole row
group in memory. Rows that contain pictures are large."""
_NUMBERED = re.compile(r"\w+-\d{5}")


class RowWriter:
    """Writes rows to numbered Parquet files. The metadata give the type of each column, so
    `datasets` returns pictures instead of bytes.

    The Parquet files do not compress pictures again, since picture files are compressed already.
    Without a second compression, a hub can detect equal pictures.
    """

    def __init__(self, prefix: Path, features: Features, file_bytes: float = math.inf) -> None:
        self.prefix, self.schema, self.file_bytes = prefix, features.arrow_schema, file_bytes
        self._file: pa.NativeFile | None = None
        self._num_files = self._num_bytes = 0
        self._rows: list[dict[str, Any]] = []

    def write(self, row: dict[str, Any]) -> None:
        """Adds a row."""
        self._rows.append(row)
        self._num_bytes += _num_bytes(row)
        if len(self._rows) == ROWS_PER_GROUP or self._num_bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        if self._file is None:
            self._file = pa.OSFile(str(_numbered(self.prefix, self._num_files, "parquet")), "wb")
            columns = _leaf_columns(self.schema)
            self._writer = pq.ParquetWriter(
                self._file,
                self.schema,
                use_dictionary=[c for c in columns if not c.endswith(".bytes")],
                compression={c: "NONE" if c.endswith(".bytes") else "ZSTD" for c in columns},
            )
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self.schema))
        self._rows, self._num_bytes = [], 0
        if self._file.tell() >= self.file_bytes:
            self._end_file()

    def _end_file(self) -> None:
        if self._file is not None:
            self._writer.close()
            self._file.close()
            self._file = None
            self._num_files += 1

    def close(self) -> None:
        """Closes the last file."""
        self._flush()
        self._end_file()


class LineWriter:
    """Writes rows to numbered files of JSON lines."""

    def __init__(self, prefix: Path, file_bytes: float = math.inf) -> None:
        self.prefix, self.file_bytes = prefix, file_bytes
        self._lines: IO[bytes] | None = None
        self._num_files = 0

    def write(self, row: dict[str, Any]) -> None:
        """Adds a row."""
        if self._lines is None:
            self._lines = _numbered(self.prefix, self._num_files, "jsonl").open("wb")
        self._lines.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
        if self._lines.tell() >= self.file_bytes:
            self.close()

    def close(self) -> None:
        """Closes the current file."""
        if self._lines is not None:
            self._lines.close()
            self._lines = None
            self._num_files += 1


class DataFiles:
    """The files of a data set that are open for writing. A file is created when its first row is
    added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._writers: dict[str, RowWriter | LineWriter] = {}

    def put(self, name: str, features: Features | None, row: dict[str, Any]) -> None:
        """Adds a row to the files whose path begins with this name ("data/rl/train"). If no
        features (column types) are given, the row becomes a line of JSON."""
        if name not in self._writers:
            at = self.folder / name
            self._writers[name] = (
                RowWriter(at, features, FILE_BYTES)
                if features is not None
                else LineWriter(at, FILE_BYTES)
            )
        self._writers[name].write(row)

    def close(self) -> None:
        """Closes all open files."""
        for writer in self._writers.values():
            writer.close()


def name_files(folder: Path) -> None:
    """Renames all numbered files of a data set. Each new name contains the number of files and the
    digest of the data set."""
    digest = content_digest(folder)
    numbered = [path for path in folder.rglob("*") if _NUMBERED.fullmatch(path.stem)]
    num_files = Counter(path.parent / _split(path) for path in numbered)
    for path in numbered:
        path.rename(
            path.with_name(
                f"{path.stem}-of-{num_files[path.parent / _split(path)]:05d}-{digest}{path.suffix}"
            )
        )


def patterns(folder: Path) -> dict[str, str]:
    """For each split, the pattern of its file names, which the card lists:
    "train-*-0f343b0931126a20.parquet"."""
    files = sorted(folder.glob("*.parquet"))
    return {
        _split(path): f"{_split(path)}-*-{path.stem.rpartition('-')[2]}.parquet" for path in files
    }


def _split(path: Path) -> str:
    return path.name.partition("-")[0]


def _numbered(prefix: Path, number: int, suffix: str) -> Path:
    prefix.parent.mkdir(parents=True, exist_ok=True)
    return prefix.with_name(f"{prefix.name}-{number:05d}.{suffix}")


def _num_bytes(value: Any) -> int:
    """The number of bytes of the texts and pictures in a row."""
    if isinstance(value, dict):
        return sum(map(_num_bytes, value.values()))
    if isinstance(value, list):
        return sum(map(_num_bytes, value))
    return len(value) if isinstance(value, bytes | str) else 0


def _leaf_columns(schema: pa.Schema) -> list[str]:
    """The full names of a schema's innermost columns in Parquet ("images.list.element.bytes")."""
    sink = pa.BufferOutputStream()
    pq.ParquetWriter(sink, schema).close()
    leaves = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    return [leaves.column(i).path for i in range(len(leaves))]
