"""Reads the rows of a benchmark from a disk or from the Hub. Pictures stay undecoded.

Nothing is downloaded unless the user asks for it.
"""

import base64
import binascii
import csv
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from questloom.eval.statements import Statement
from questloom.files.data_folders import load_folder
from questloom.records.errors import InputError

MAX_PICTURE_BYTES = 200_000_000
MAX_NAME_CHARS = 255
"""The maximum number of characters in a file name. A longer text in a picture column is not a file
name but a URL, or a picture in base64.
"""
SUFFIXES = ("", ".jpg", ".jpeg", ".png", ".webp", ".JPEG", ".JPG", ".PNG")
"""File suffixes to try in turn if a row names a picture without a suffix."""


@dataclass(frozen=True)
class Rows:
    """The rows of a benchmark, and the folder of the pictures that the rows name."""

    rows: Sequence[Mapping[str, Any]]
    revision: str
    """The commit that was downloaded from the Hub, or the sha256 of the local file."""
    folder: Path
    """The folder of the pictures; no picture outside the folder is read."""

    def pictures(self, cell: Any) -> Iterator[bytes]:
        """Yields the file bytes of the pictures in a cell, in their order. An empty cell yields
        nothing.

        Raises:
            InputError: a named picture is missing, lies outside the folder of pictures, or cannot
                be read.
        """
        for one in named(cell):
            data = one.get("bytes") or one.get("path") if isinstance(one, Mapping) else one
            yield data if isinstance(data, bytes) else self._found(str(data))

    def _found(self, name: str) -> bytes:
        if name.startswith("data:") or (len(name) > MAX_NAME_CHARS and "://" not in name):
            return _base64(name)
        path = unquote(urlsplit(name).path) if "://" in name else name
        folder = self.folder.resolve()
        for place in dict.fromkeys((path.lstrip("/"), path.rpartition("/")[2])):
            for suffix in SUFFIXES:
                found = (folder / f"{place}{suffix}").resolve()
                if (
                    place
                    and found.is_relative_to(folder)
                    and found.is_file()
                    and found.stat().st_size <= MAX_PICTURE_BYTES
                ):
                    return found.read_bytes()
        raise InputError(
            f"the picture {name[:200]}",
            f"is not in {folder}",
            "Give the folder that the benchmark's pictures lie in with --pictures.",
        )


def named(cell: Any) -> list[Any]:
    """Returns the pictures in a cell. Each picture is given as bytes, as a name, or in the Hub's
    format.

    >>> named(None), named([{"bytes": b"x", "path": None}, ""]), named("a.jpg")
    ([], [{'bytes': b'x', 'path': None}], ['a.jpg'])
    """
    cells = cell if isinstance(cell, list | tuple) else [cell]
    return [
        one
        for one in cells
        if one and (not isinstance(one, Mapping) or one.get("bytes") or one.get("path"))
    ]


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(
            text.partition(",")[2] if text.startswith("data:") else text, validate=True
        )
    except (binascii.Error, ValueError) as error:
        raise InputError(
            "a picture in base64", f"cannot be read ({error})", "Fetch the benchmark again."
        ) from error


def open_local(path: Path, pictures: Path | None = None) -> Rows:
    """Opens the rows of a file (.jsonl, .json, .parquet, .tsv, .csv) or of a folder with a data
    set.

    Args:
        path: a file or folder.
        pictures: the folder of the pictures that the rows name; by default it is the folder of the
            rows.

    Raises:
        InputError: the path does not exist or cannot be read.
    """
    if not path.exists():
        raise InputError(f"--data {path}", "is not there", "Name the benchmark's file or folder.")
    if pictures is not None and not pictures.is_dir():
        raise InputError(
            f"--pictures {pictures}",
            "is no folder",
            "Name the folder that the benchmark's pictures lie in.",
        )
    try:
        rows = _read(path)
    except InputError:
        raise
    except (
        Exception
    ) as error:  # errors of json, csv, the system, and of datasets with pyarrow and pandas below it
        raise InputError(
            f"--data {path}",
            f"cannot be read ({type(error).__name__}: {error})"[:500],
            "Give a .jsonl, .json, .parquet, .tsv or .csv file, or a data set's folder.",
        ) from error
    if not len(rows):
        raise InputError(f"--data {path}", "holds no row", "Name the benchmark's file or folder.")
    return Rows(rows, _digest(path), pictures or (path if path.is_dir() else path.parent))


def open_hub(statement: Statement, pictures: Path | None = None) -> Rows:
    """Downloads a benchmark with the library `datasets`, at the stated revision.

    If no revision is stated, the newest revision is downloaded and its commit is recorded.

    Raises:
        InputError: the benchmark is not on the Hub, or the download fails.
    """
    if not statement.hub:
        raise InputError(
            f"--download, benchmark {statement.name}",
            f"does not lie on the Hub but in {statement.place}",
            f"git clone https://github.com/{statement.repository}, then give --data and --pictures.",
        )
    import datasets
    from huggingface_hub import HfApi

    try:
        revision = (
            HfApi().dataset_info(statement.hub, revision=statement.revision or None).sha or ""
        )
        files = {"data_files": statement.data_files} if statement.data_files else {}
        found = datasets.load_dataset(
            statement.hub,
            statement.config or None,
            split=statement.split,
            revision=revision,
            **files,
        )
    except (
        Exception
    ) as error:  # the library raises its own errors, the Hub's, pyarrow's and the system's alike
        raise InputError(
            statement.place,
            f"cannot be had ({type(error).__name__}: {error})"[:500],
            "Look at the network and at HF_TOKEN, or fetch it elsewhere and give it with --data.",
        ) from error
    return Rows(undecoded(found), revision, pictures or Path())


def undecoded(found: Any) -> Any:
    """A `datasets.Dataset` in which all pictures stay file bytes, even pictures inside lists."""
    import datasets

    def plain(feature: Any) -> Any:
        if isinstance(feature, datasets.Image):
            return datasets.Image(decode=False)
        if isinstance(feature, datasets.List):
            return datasets.List(plain(feature.feature), length=feature.length)
        return feature

    return found.cast(
        datasets.Features({name: plain(feature) for name, feature in found.features.items()})
    )


def _read(path: Path) -> Any:
    if path.is_dir():
        import datasets

        if (path / "state.json").is_file():
            return undecoded(datasets.load_from_disk(str(path)))
        found = load_folder(path)
        if len(found) != 1:
            raise InputError(
                f"--data {path}",
                f"holds several splits ({', '.join(found)})",
                "Name the file of the one that is meant.",
            )
        return undecoded(next(iter(found.values())))
    if path.suffix == ".parquet":
        import datasets

        return undecoded(datasets.load_dataset("parquet", data_files=str(path), split="train"))
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    if path.suffix == ".json":
        found = json.loads(text)
        return (
            found
            if isinstance(found, list)
            else next(value for value in found.values() if isinstance(value, list))
        )
    csv.field_size_limit(min(sys.maxsize, 1 << 30))  # pictures in base64 make long fields
    return list(csv.DictReader(text.splitlines(), delimiter="\t" if path.suffix == ".tsv" else ","))


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
