"""Reads a folder of pictures with their metadata: `metadata.jsonl` (Commons page objects) or `metadata.csv`.

Each line of the JSON file is a page object, in the form that `commons_page` reads. The CSV has a column `file` and any
of these columns: licence, licence_url, author, attribution, credit, source_page, description, categories, depicts. In
the columns `categories` and `depicts`, "|" separates the values. A picture without a line has no metadata and therefore
no licence. A line whose picture is missing becomes a rejection.
"""

import csv
import json
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any, NamedTuple

from questloom.files.locations import Location, listed, location, open_binary, size_of
from questloom.knowledge.readers.commons_page import file_name, image_asset
from questloom.knowledge.readers.picture_check import MAX_BYTES, Refusal, inspect_picture
from questloom.knowledge.readers.rejections import reject
from questloom.records.errors import InputError
from questloom.records.knowledge import ImageAsset
from questloom.records.outcomes import Reason, Rejection

METADATA_NAMES = ("metadata.jsonl", "metadata.csv")
_CSV_FIELDS = {
    "licence": "LicenseShortName",
    "licence_url": "LicenseUrl",
    "author": "Artist",
    "attribution": "Attribution",
    "credit": "Credit",
    "description": "ImageDescription",
    "categories": "Categories",
}


class PictureFile(NamedTuple):
    """A picture of the folder with its metadata; the picture's file is not read yet. The object is
    small, so that all workers can share a list of pictures."""

    path: str
    """Path of the picture's file; "" if the metadata name a picture that is missing."""
    page: dict[str, Any]
    num_bytes: int = 0


def list_pictures(folder: str) -> list[PictureFile]:
    """The pictures of a folder, sorted by file name.

    Raises: InputError: the folder does not exist, or its metadata file cannot be read.
    """
    root = location(folder)
    if not root.is_dir():
        raise InputError(folder, "is no folder", "Give the folder that holds the pictures.")
    files = {
        file_name(p.name): p
        for p in listed(root)
        if p.is_file() and p.name not in METADATA_NAMES and not p.name.startswith(".")
    }
    pages: dict[str, dict[str, Any]] = {}
    for page in _metadata(root):
        pages.setdefault(file_name(page["title"]), page)
    return [
        PictureFile(
            str(files.get(name, "")),
            pages.get(name) or {"title": f"File:{name}"},
            size_of(files[name]) if name in files else 0,
        )
        for name in sorted({*files, *pages})
    ]


def _metadata(root: Location) -> Iterator[dict[str, Any]]:
    jsonl, table = root / METADATA_NAMES[0], root / METADATA_NAMES[1]
    fix = "Correct the line, or leave it out."
    try:
        if jsonl.exists():
            with TextIOWrapper(open_binary(jsonl), encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if not line.strip():
                        continue
                    try:
                        page = json.loads(line)
                        page["title"].partition(":")
                    except (ValueError, KeyError, TypeError, AttributeError) as error:
                        raise InputError(
                            f"{jsonl}, line {number}",
                            f"is no page object with a title ({error})",
                            fix,
                        ) from error
                    yield page
        elif table.exists():
            with TextIOWrapper(open_binary(table), encoding="utf-8-sig", newline="") as rows:
                for row in csv.DictReader(rows):
                    if not row.get("file"):
                        raise InputError(
                            str(table), "has a row without a value in the column `file`", fix
                        )
                    yield _page_of_row(row)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{jsonl if jsonl.exists() else table}, byte {error.start:,}",
            "is not UTF-8",
            "Save it as UTF-8.",
        ) from error


def _page_of_row(row: dict[str, str]) -> dict[str, Any]:
    statements = [
        {
            "mainsnak": {
                "snaktype": "value",
                "datavalue": {"type": "wikibase-entityid", "value": {"id": qid}},
            }
        }
        for qid in (row.get("depicts") or "").split("|")
        if qid
    ]
    return {
        "title": f"File:{row['file']}",
        "imageinfo": [
            {
                "descriptionurl": row.get("source_page") or "",
                "extmetadata": {
                    key: {"value": row[name]} for name, key in _CSV_FIELDS.items() if row.get(name)
                },
            }
        ],
        "mediainfo": {"statements": {"P180": statements}},
    }


def read_picture(picture: PictureFile) -> tuple[ImageAsset, bytes] | Rejection:
    """Returns the record and bytes of one picture, or the rejection of the picture."""
    name = file_name(picture.page["title"])

    def refuse(reason: Reason, evidence: str) -> Rejection:
        return reject(reason, "Picture", name, evidence=evidence, title=name)

    if not picture.path:
        return refuse(Reason.NO_PICTURE, "the metadata name it, the folder lacks it")
    try:
        with open_binary(picture.path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return refuse(Reason.PICTURE_UNREADABLE, str(error.strerror))
    facts = inspect_picture(data)
    if isinstance(facts, Refusal):
        return refuse(facts.reason, facts.evidence)
    try:
        return image_asset(picture.page, data, facts), data
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return refuse(
            Reason.PICTURE_UNREADABLE, f"its metadata have not the API's layout ({error!r})"[:200]
        )
