"""Turns a file's page object from the Commons API (`imageinfo` with `extmetadata`, structured data) into an
`ImageAsset`.

Source of the format: https://www.mediawiki.org/wiki/API:Imageinfo and https://commons.wikimedia.org/wiki/Commons:Structured_data
"""

import re
import urllib.parse
from typing import Any

from questloom.knowledge.readers.html_text import visible_text
from questloom.knowledge.readers.picture_check import PictureFacts
from questloom.knowledge.readers.wikidata_json import read_value
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import Detail, ImageAsset

MAX_TEXT_CHARS = 4000
DEPICTS, INSCRIPTION, QUANTITY, COLOUR, POSITION = "P180", "P1684", "P1114", "P462", "P2677"
_DETAIL_QUALIFIERS = (INSCRIPTION, QUANTITY, COLOUR)
_BOX = re.compile(r"pct:([\d.]+),([\d.]+),([\d.]+),([\d.]+)")


def file_name(title: str) -> str:
    """The normal form of a Commons file name: no namespace, spaces instead of underscores, a capital first letter."""
    name = " ".join((title.partition(":")[2] if ":" in title else title).replace("_", " ").split())
    return name[:1].upper() + name[1:]


def plain_text(said: Any) -> str:
    """Returns the visible text of an `extmetadata` value, on one line and cut to MAX_TEXT_CHARS
    characters.

    Args:
        said: HTML, or a dict of HTML by language; English is preferred to other languages.
    """
    if isinstance(said, dict):
        by_language = {language: text for language, text in said.items() if language != "_type"}
        said = by_language.get("en") or next(iter(by_language.values()), "")
    return visible_text(str(said))[:MAX_TEXT_CHARS]


def image_asset(page: dict[str, Any], data: bytes, facts: PictureFacts) -> ImageAsset:
    """Makes the `ImageAsset` record of a picture. The page gives the description; the file's bytes
    give kind, size and hash.

    A field stays "" if the page lacks it. If the page states no licence, the record has no licence.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: the page does not have the API's layout.
    """
    info = (page.get("imageinfo") or [{}])[0]
    meta = {
        key: plain_text(entry.get("value", ""))
        for key, entry in (info.get("extmetadata") or {}).items()
    }
    depicts, details = structured_data(page.get("mediainfo") or {})
    return ImageAsset(
        id=sha256_hex(data),
        file=file_name(page["title"]),
        mime=facts.mime,
        width=facts.width,
        height=facts.height,
        num_bytes=len(data),
        licence=meta.get("LicenseShortName", ""),
        licence_url=meta.get("LicenseUrl", ""),
        author=meta.get("Attribution") or meta.get("Artist", ""),
        credit=meta.get("Credit", ""),
        source_page=str(info.get("descriptionurl", "")),
        description=meta.get("ImageDescription", ""),
        categories=tuple(c for c in meta.get("Categories", "").split("|") if c),
        depicts=depicts,
        details=details,
        perceptual_hash=facts.perceptual_hash,
        repository=_repository(page, str(info.get("descriptionurl", ""))),
    )


def _repository(page: dict[str, Any], address: str) -> str:
    """The repository that holds a file: "shared" for files of Commons. Commons itself calls its own
    files "local"; for such files the result is "shared" too."""
    on_commons = urllib.parse.urlparse(address).netloc == "commons.wikimedia.org"
    return "shared" if on_commons else str(page.get("imagerepository", ""))


def structured_data(mediainfo: dict[str, Any]) -> tuple[tuple[str, ...], tuple[Detail, ...]]:
    """Reads the statements on a file's page. Returns two tuples: the depicted items (P180),
    preferred items first; and the visible details of the picture."""
    statements = mediainfo.get("statements") or {}  # the API writes [] for an empty dict
    depicts: list[tuple[bool, str]] = []
    details: list[Detail] = []
    for statement in statements.get(DEPICTS, ()):
        value, rank = read_value(statement["mainsnak"]), statement.get("rank")
        if value.kind != "entity" or rank == "deprecated":
            continue
        depicts.append((rank != "preferred", value.entity))
        details.extend(_details(statement, value.entity))
    for statement in statements.get(INSCRIPTION, ()):
        value = read_value(statement["mainsnak"])
        if value.text and statement.get("rank") != "deprecated":
            details.append(Detail(property=INSCRIPTION, value=value, box=_box(statement)))
    return tuple(dict.fromkeys(q for _, q in sorted(depicts, key=lambda d: d[0]))), tuple(details)


def _details(statement: dict[str, Any], part: str) -> list[Detail]:
    qualifiers = statement.get("qualifiers") or {}
    return [
        Detail(property=prop, value=value, part=part, box=_box(statement))
        for prop in _DETAIL_QUALIFIERS
        for value in map(read_value, qualifiers.get(prop, ()))
        if value.kind not in ("somevalue", "novalue")
    ]


def _box(statement: dict[str, Any]) -> tuple[float, ...]:
    """The box of a statement (P2677) as (left, top, width, height) in per cent; () if the box is missing, given in
    pixels, or outside the picture."""
    for snak in (statement.get("qualifiers") or {}).get(POSITION, ()):
        found = _BOX.fullmatch(read_value(snak).text)
        if found:
            left, top, width, height = (float(x) for x in found.groups())
            if left + width <= 100.001 and top + height <= 100.001 and width > 0 and height > 0:
                return left, top, width, height
    return ()
