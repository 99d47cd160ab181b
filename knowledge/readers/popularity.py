"""Reads popularity files, which state how well known items are. A popularity file has one item per
line; tabs separate the columns, and the first line names the columns.

```
id      sitelinks       page_views      sources
Q23     272     350336  name of the counter
```

The column `sitelinks` counts the wikis with a page about the item; `page_views` counts views of
these pages. An empty cell means that the number is unknown, 0 means none. A file needs at least one
of the columns `sitelinks` and `page_views`. The column `sources` is a note for people and is not
read.
"""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from questloom.files.locations import open_binary
from questloom.knowledge.readers.byte_ranges import open_dump
from questloom.records.errors import InputError
from questloom.records.knowledge import Popularity

FIGURES = ("sitelinks", "page_views")
COLUMNS = ("id", *FIGURES, "sources")
ROWS = 200_000
"""Number of rows of a popularity file that one task reads."""
FIX = "Correct the file, or leave --popularity out."
_ID, _COUNT = re.compile(r"Q[1-9]\d{0,17}\Z", re.A), re.compile(r"\d{1,15}\Z", re.A)


@dataclass(frozen=True, kw_only=True)
class PopularityRange:
    """A range of rows in a popularity file."""

    path: str
    columns: tuple[str, ...]
    start: int
    """The byte of the file at which the first row of the range begins."""
    line: int
    """The number of the range's first row in the file, counted from 1."""
    rows: int


def plan_popularity(path: str) -> list[PopularityRange]:
    """Checks every line of a file and splits it into ranges.

    Raises:
        InputError: the file cannot be read, a column is missing or unknown, a line is malformed, or an item has two
            lines.
    """
    with open_dump(path) as file:
        head = file.readline()
        columns = _columns(path, head)
        found: list[PopularityRange] = []
        ids, at, line = array("q"), len(head), 1
        for raw in file:
            line += 1
            if (line - 2) % ROWS == 0:
                found.append(
                    PopularityRange(path=path, columns=columns, start=at, line=line, rows=0)
                )
            ids.append(int(_row(path, line, raw, columns)[0][1:]))
            at += len(raw)
    if not ids:
        raise InputError(path, "has no line under the names of its columns", FIX)
    numbers, counts = np.unique(np.frombuffer(ids, np.int64), return_counts=True)
    if (counts > 1).any():
        raise InputError(path, f"has more than one line of Q{numbers[counts > 1][0]}", FIX)
    ends = [r.line for r in found[1:]] + [line + 1]
    return [
        PopularityRange(path=path, columns=columns, start=r.start, line=r.line, rows=end - r.line)
        for r, end in zip(found, ends, strict=True)
    ]


def read_popularity(part: PopularityRange) -> Iterator[tuple[str, Popularity]]:
    """Reads the items of a range with their popularity.

    Raises:
        InputError: a line is malformed.
    """
    with open_binary(part.path) as file:
        file.seek(part.start)
        for number, raw in enumerate(islice(file, part.rows), part.line):
            yield _row(part.path, number, raw, part.columns)


def _columns(path: str, head: bytes) -> tuple[str, ...]:
    names = tuple(_cells(path, 1, head.removeprefix(b"\xef\xbb\xbf")))
    unknown = [name for name in names if name not in COLUMNS]
    if (
        "id" not in names
        or unknown
        or len(set(names)) < len(names)
        or not set(names) & set(FIGURES)
    ):
        told = f"names the columns {', '.join(map(repr, names))}"[:300]
        raise InputError(
            f"{path}, line 1",
            told,
            f"Name id, and sitelinks or page_views or both, with a tab between them; known are {', '.join(COLUMNS)}.",
        )
    return names


def _row(path: str, line: int, raw: bytes, columns: tuple[str, ...]) -> tuple[str, Popularity]:
    where, cells = f"{path}, line {line:,}", _cells(path, line, raw)
    if len(cells) != len(columns):
        raise InputError(
            where, f"has {len(cells)} columns, and the first line names {len(columns)}", FIX
        )
    row = dict(zip(columns, cells, strict=True))
    if not _ID.match(row["id"]):
        raise InputError(where, f"has no item's id in the column id ({row['id'][:40]!r})", FIX)
    for name in FIGURES:
        if row.get(name) and not _COUNT.match(row[name]):
            raise InputError(where, f"has no count in the column {name} ({row[name][:40]!r})", FIX)
    return row["id"], Popularity(**{name: int(row[name]) for name in FIGURES if row.get(name)})


def _cells(path: str, line: int, raw: bytes) -> list[str]:
    try:
        return raw.decode("utf-8").rstrip("\r\n").split("\t")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}, line {line:,}",
            "is no text in UTF-8",
            "Give a plain file, unpacked, with tabs between its columns.",
        ) from error
