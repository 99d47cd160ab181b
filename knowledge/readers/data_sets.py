"""Streams the rows of a data set in Parquet or JSON lines with the library `datasets`. The data set
is local or on the Hugging Face Hub. No file is downloaded or held in memory as a whole.

```
rows.parquet   rows.jsonl.gz   FOLDER   hf://datasets/ORG/NAME[@REVISION]/FOLDER
```

If a folder has Parquet files, all Parquet files are read. If a folder has no Parquet files, all its
files of JSON lines are read. One range is a row group of a Parquet file, or a whole file of JSON
lines.
"""

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex

HUB = "hf://datasets/"
PARQUET = (".parquet",)
LINES = tuple(f"{name}{packed}" for name in (".jsonl", ".ndjson") for packed in ("", ".gz", ".bz2"))
BATCH_ROWS = 128
"""Number of Parquet rows that are decoded at once."""
LINES_CHARS = 1 << 20
"""Number of characters of JSON lines that are read at once."""
SAMPLED = 100
"""Number of rows of JSON lines in which a required field is searched. JSON lines leave out empty
fields, so a field counts as missing only if none of the searched rows has it."""

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class RowRange:
    """One of the equal parts into which a data set is split."""

    path: str
    columns: tuple[str, ...]
    part: int
    parts: int


def is_data_set(path: str) -> bool:
    """Whether a path names a data set: an address on the Hugging Face Hub, a file with a known
    suffix, or a local folder."""
    return path.startswith(HUB) or path.endswith((*PARQUET, *LINES)) or Path(path).is_dir()


def files_of(path: str) -> list[tuple[str, int, str]]:
    """The data files as sorted tuples (address, bytes, version).

    Raises:
        InputError: there are no data files, or the Hugging Face Hub cannot be reached.
    """
    import fsspec

    system, place = fsspec.core.url_to_fs(path)
    try:
        found = system.find(place, detail=True)
    except (
        Exception
    ) as error:  # the Hub's client raises its own errors, those of httpx and those of the system
        raise _unreadable(path, error) from error
    if not found:
        raise InputError(path, "there is no such file", "Look at the path.")
    for endings in (PARQUET, LINES):
        names = sorted(name for name in found if name.endswith(endings))
        if names:
            return [
                (system.unstrip_protocol(n), int(found[n]["size"] or 0), _version(found[n]))
                for n in names
            ]
    raise InputError(
        path,
        "holds no Parquet file and no file of JSON lines",
        f"Name a file that ends in {', '.join((*PARQUET, *LINES))}, a folder of such files, or {HUB}ORG/NAME/FOLDER.",
    )


def _version(info: Row) -> str:
    return str(info.get("blob_id") or info.get("mtime") or "")


def state_of(path: str) -> tuple[int, str]:
    """Returns (total number of bytes, a text that identifies the state of the files). The text that
    identifies the files changes if one of them is rewritten."""
    files = files_of(path)
    return sum(size for _, size, _ in files), sha256_hex(repr(files))


def plan_rows(path: str, columns: Iterable[str], most: int = 1 << 12) -> list[RowRange]:
    """Splits a data set into ranges.

    Args:
        path: a file, a folder, or an address on the Hugging Face Hub.
        columns: fields that the rows must have.
        most: maximum number of ranges that are returned.

    Raises:
        InputError: the data set cannot be read, is empty, or lacks a field.
    """
    wanted, files = tuple(columns), [name for name, _, _ in files_of(path)]
    try:
        rows = _open(path, files, None)
        seen = rows.column_names if files[0].endswith(PARQUET) else None
        first = list(islice(_decoded(path, rows), 1 if seen else SAMPLED))
    except InputError:
        raise
    except Exception as error:  # errors of pyarrow, the Hub and the system
        raise _unreadable(path, error) from error
    if not first:
        raise InputError(path, "holds no row", "Give a data set with rows.")
    names = seen or list(dict.fromkeys(name for _, row in first for name in row))
    for name in wanted:
        if name not in names:
            raise missing(path, name, names)
    parts = min(rows.num_shards, max(1, most))
    return [RowRange(path=path, columns=wanted, part=part, parts=parts) for part in range(parts)]


def read_rows(part: RowRange) -> Iterator[tuple[str, Row]]:
    """Yields (place, row) for each row of a range, in order.

    Raises: InputError: a line is not a JSON object, or a file cannot be read; the message names the place.
    """
    files = [name for name, _, _ in files_of(part.path)]
    try:
        rows = _open(part.path, files, list(part.columns)).shard(
            num_shards=part.parts, index=part.part
        )
        yield from _decoded(f"{part.path}, part {part.part + 1} of {part.parts}", rows)
    except InputError:
        raise
    except Exception as error:
        raise _unreadable(part.path, error) from error


def _open(path: str, files: list[str], columns: list[str] | None) -> Any:
    """Opens the rows of a data set as a stream of `datasets`."""
    import datasets  # slow to import, so only when a data set is read

    if files[0].endswith(PARQUET):
        found = datasets.load_dataset(
            "parquet",
            data_files=files,
            split="train",
            streaming=True,
            columns=columns,
            batch_size=BATCH_ROWS,
        )
        return found.reshard()
    return datasets.load_dataset(
        "text", data_files=files, split="train", streaming=True, chunksize=LINES_CHARS
    )


def _decoded(where: str, rows: Any) -> Iterator[tuple[str, Row]]:
    """Yields (number, row); a line of text is parsed into its JSON object."""
    lines = rows.column_names in (None, ["text"])
    for number, row in enumerate(rows, 1):
        place = f"{where}, row {number:,}"
        if not lines:
            yield place, row
            continue
        if not row["text"].strip():
            continue
        try:
            found = orjson.loads(row["text"])
        except orjson.JSONDecodeError as error:
            raise InputError(
                place, f"is no JSON ({error})", "Download the file again, or correct the line."
            ) from error
        if not isinstance(found, dict):
            raise InputError(place, "is no JSON object", "Write one object a line.")
        yield place, found


def decoded_field(where: str, name: str, value: Any) -> Any:
    """The value of a nested field of a row. In Parquet files of the Hugging Face Hub, nested fields
    are JSON text, which is parsed here.

    Raises: InputError: the nested field is not JSON.
    """
    if not isinstance(value, str | bytes):
        return value
    try:
        return orjson.loads(value) if value else None
    except orjson.JSONDecodeError as error:
        raise InputError(
            where, f"has no JSON in the field {name} ({error})", "Correct the field."
        ) from error


def missing(where: str, name: str, names: Iterable[str]) -> InputError:
    """Makes the error for a missing field; the message suggests the most similar field."""
    has = [str(n) for n in names]
    near = difflib.get_close_matches(re.sub(r".*\.", "", name), has, n=1, cutoff=0.75)
    meant = f" ({near[0]!r} may be meant)" if near else ""
    return InputError(
        where,
        f"has no field {name!r}{meant}; it has {', '.join(has[:20]) or 'none'}",
        "Rename the field, or give a data set in the schema that knowledge/readers/README.md names.",
    )


def _unreadable(path: str, error: Exception) -> InputError:
    told = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    return InputError(
        path,
        f"cannot be read as a data set ({told})",
        "Look at the path, the network and HF_TOKEN, or give a local copy.",
    )
