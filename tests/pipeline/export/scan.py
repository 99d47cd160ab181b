"""Looks through every byte of a folder: file names, raw bytes, and what Parquet files hold once they are decompressed."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from questloom.models.picture_file import PictureError, decode
from questloom.records.identity import sha256_hex


def tree(folder: Path) -> dict[str, str]:
    """Digest of every file by its name in the folder."""
    return {
        str(p.relative_to(folder)): sha256_hex(p.read_bytes())
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def texts_and_bytes(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """(file, content) of everything: names, bytes, schemas, and every value of every table."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        yield path, str(path.relative_to(folder)).encode()
        yield path, path.read_bytes()
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            yield path, repr(table.schema.metadata).encode()
            for value in _leaves(table.to_pylist()):
                yield path, value if isinstance(value, bytes) else str(value).encode()


def found(folder: Path, needles: list[bytes]) -> list[tuple[str, bytes]]:
    """(file, needle) wherever a needle is found."""
    return [
        (str(path.relative_to(folder)), needle[:60])
        for path, data in texts_and_bytes(folder)
        for needle in needles
        if needle in data
    ]


def shows(folder: Path, picture: bytes) -> list[str]:
    """The files that show a picture, whatever its size and encoding."""
    wanted = _small(picture)
    hits = []
    for path, data in texts_and_bytes(folder):
        if data[:2] in (b"\xff\xd8", b"\x89P", b"RI"):
            try:
                near = float(np.abs(_small(data) - wanted).mean()) < 6
            except PictureError:
                continue
            if near:
                hits.append(str(path.relative_to(folder)))
    return hits


def _small(data: bytes) -> np.ndarray:
    return np.asarray(decode(data).resize((12, 9)), np.float32)


def _leaves(value) -> Iterator:
    if isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    elif value is not None:
        yield value
