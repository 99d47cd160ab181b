"""Plans the reading of each source as tasks of limited size. The readers in `knowledge/readers`
carry out the tasks.

A task holds its rows in memory until it writes them. Tasks are therefore small: about 16 MB of text
or 32 MB of pictures. If the sources have more than 64 GB of text, the tasks are larger (400 MB for
all of Wikidata), so that there are not too many files between the stages.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from questloom.files.locations import Location, location, size_of
from questloom.files.parquet import write_whole
from questloom.knowledge.readers.byte_ranges import ByteRange, open_dump, plan_ranges
from questloom.knowledge.readers.data_sets import RowRange, is_data_set, state_of
from questloom.knowledge.readers.entity_rows import plan_entity_rows, read_entity_rows
from questloom.knowledge.readers.folder import (
    METADATA_NAMES,
    PictureFile,
    list_pictures,
    read_picture,
)
from questloom.knowledge.readers.mediawiki_xml import read_pages, read_site
from questloom.knowledge.readers.popularity import PopularityRange, plan_popularity, read_popularity
from questloom.knowledge.readers.structured_wikipedia import (
    plan_article_rows,
    read_article_rows,
    read_row_site,
)
from questloom.knowledge.readers.titles import Site
from questloom.knowledge.readers.wikidata_json import read_entities
from questloom.knowledge.readers.wikitext import read_article
from questloom.knowledge.readers.zim import ZimRange, plan_zim, read_zim, read_zim_site
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, record_id
from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    ImageAsset,
    Popularity,
    PropertyInfo,
    Redirect,
)
from questloom.records.outcomes import Rejection
from questloom.transforms.ingest.faults import fault

RANGE_TEXT = 16 << 20
MAX_TASKS = 4096
EXPANSION = {"pages": 4, "entities": 16, "zim": 2, "article_rows": 4, "entity_rows": 8}
"""Approximate number of bytes of text per byte of a compressed dump. Without compression, English
Wikipedia grows from 20 to 95 GB, and Wikidata from 100 GB to 1.6 TB."""
ZIM_ENTRIES = 1000
PICTURE_BYTES, PICTURES = 32 << 20, 512

Read = (
    Article
    | Redirect
    | tuple[Entity, tuple[Claim, ...]]
    | PropertyInfo
    | tuple[ImageAsset, bytes]
    | tuple[str, Popularity]
    | Rejection
)


@dataclass(frozen=True, kw_only=True)
class ReadTask:
    """One task of the stage `read`.

    `kind` is pages, zim, entities, article_rows, entity_rows, pictures or popularity. `source` is a
    range of bytes of a dump as JSON, or the file with a list of pictures.
    """

    kind: str
    source: dict[str, Any]
    num_bytes: int
    """Approximate size of the text or pictures. The sum of the sizes of all tasks decides the
    number of partitions."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How the tasks read their sources."""

    site: Site
    snapshot: str
    languages: tuple[str, ...]
    keep_partial: bool


def is_zim(path: str) -> bool:
    """Whether a file is a ZIM file by its content or by its name. (If only the name fits, the ZIM
    reader reports the fault.)"""
    with open_dump(path) as file:
        return file.read(4) == b"ZIM\x04" or path.endswith(".zim")


def _rows(
    kind: str, path: str, text: int, plan: Callable[[str, int], list[RowRange]]
) -> list[ReadTask]:
    """The tasks of a data set. All tasks have about `text` bytes, if the files of the data set have
    enough parts."""
    size = EXPANSION[kind] * state_of(path)[0]
    ranges = plan(path, -(-size // text))
    return [ReadTask(kind=kind, source=asdict(r), num_bytes=size // len(ranges)) for r in ranges]


def range_text(dumps: dict[str, str]) -> int:
    """Number of bytes of text per task of the stage `read` and per partition of later stages.
    `dumps` maps paths to kinds."""
    total = sum(
        (state_of(path)[0] if is_data_set(path) else size_of(location(path))) * EXPANSION[kind]
        for path, kind in dumps.items()
    )
    return max(RANGE_TEXT, total // MAX_TASKS)


def plan_articles(path: str, text: int) -> list[ReadTask]:
    """The tasks of a ZIM, of a MediaWiki XML dump, or of a data set in the schema of structured-wikipedia.

    Args:
        path: the file. A multistream dump is cut by its index, if the index lies beside the dump.
        text: approximate bytes of text per task.
    """
    if is_data_set(path):
        return _rows("article_rows", path, text, plan_article_rows)
    if is_zim(path):
        ranges = plan_zim(path, entries_per_range=ZIM_ENTRIES)
        size = EXPANSION["zim"] * size_of(location(path)) // len(ranges)
        return [ReadTask(kind="zim", source=asdict(r), num_bytes=size) for r in ranges]
    index = path.replace(".xml", "-index.txt")
    return _plan_dump(
        "pages", path, index if index != path and location(index).exists() else "", text
    )


def plan_entities(path: str, text: int) -> list[ReadTask]:
    """The tasks of a Wikidata JSON dump, or of a data set of entities.

    Raises:
        InputError: the beginning of the file is not that of a Wikidata dump or a data set of
            entities.
    """
    if is_data_set(path):
        return _rows("entity_rows", path, text, plan_entity_rows)
    tasks = _plan_dump("entities", path, "", text)
    first = next(read_entities(ByteRange(**tasks[0].source), snapshot="2000-01-01"), None)
    if first is None or (isinstance(first, Rejection) and "no JSON" in str(first.evidence)):
        raise InputError(
            path,
            "is no Wikidata JSON dump",
            "Give a dump with one entity a line, as Wikidata publishes it",
        )
    return tasks


def _plan_dump(kind: str, path: str, index: str, text: int) -> list[ReadTask]:
    with open_dump(path) as file:
        expansion = EXPANSION[kind] if file.read(3) in (b"BZh", b"\x1f\x8b\x08") else 1
    ranges = plan_ranges(path, index=index, range_bytes=text // expansion)
    return [
        ReadTask(kind=kind, source=asdict(r), num_bytes=(r.end - r.start) * expansion)
        for r in ranges
    ]


def plan_stated(path: str) -> list[ReadTask]:
    """The tasks of a popularity file.

    Raises:
        InputError: the popularity file cannot be read or is malformed (see `plan_popularity`).
    """
    return [
        ReadTask(kind="popularity", source=asdict(part), num_bytes=0)
        for part in plan_popularity(path)
    ]


def plan_pictures(folder: str, plan_folder: Location) -> list[ReadTask]:
    """The tasks of a folder of pictures. Each task's list of pictures is written to a file, since
    only paths go through Beam's shuffle.

    Raises:
        InputError: the folder does not exist, its metadata cannot be read, or none of its pictures
            can be read.
    """
    pictures = list_pictures(folder)
    if all(
        isinstance(read_picture(picture), Rejection) for picture in pictures
    ):  # ends at the first picture that can be read
        raise InputError(
            folder,
            f"holds no picture that can be read, among {len(pictures)} files",
            f"Give a folder of pictures, with {METADATA_NAMES[0]}",
        )
    tasks: list[ReadTask] = []
    batch: list[PictureFile] = []
    size = 0

    def cut() -> None:
        nonlocal batch, size
        if batch:
            path = plan_folder / f"pictures-{len(list(plan_folder.glob('*.json'))):06d}.json"
            write_whole(path, canonical_json([list(p) for p in batch]).encode())
            tasks.append(ReadTask(kind="pictures", source={"list": str(path)}, num_bytes=size))
        batch, size = [], 0

    for picture in pictures:
        batch.append(picture)
        size += picture.num_bytes
        if size >= PICTURE_BYTES or len(batch) >= PICTURES:
            cut()
    cut()
    return tasks


def read(task: ReadTask, options: ReadOptions) -> Iterator[Read]:
    """Gives all items of one task's source, and a rejection for each part that is refused.

    Raises:
        InputError: the source is damaged; the error names the place.
    """
    if task.kind == "pages":
        for page in read_pages(
            ByteRange(**task.source), options.site, keep_partial=options.keep_partial
        ):
            if isinstance(page, Redirect | Rejection):
                yield page
                continue
            try:
                yield read_article(page, options.site)
            except (
                Exception
            ) as error:  # a hostile page may break the extraction; the other pages are still read
                yield fault(
                    record_id("Article", options.site.wiki, page.page_id, page.revision),
                    "read",
                    page.title,
                    error,
                )
    elif task.kind == "zim":
        yield from read_zim(ZimRange(**task.source), options.site)
    elif task.kind == "entities":
        yield from read_entities(
            ByteRange(**task.source),
            snapshot=options.snapshot,
            languages=options.languages,
            keep_partial=options.keep_partial,
        )
    elif task.kind == "article_rows":
        yield from read_article_rows(_row_range(task), options.site)
    elif task.kind == "entity_rows":
        yield from read_entity_rows(
            _row_range(task), snapshot=options.snapshot, languages=options.languages
        )
    elif task.kind == "popularity":
        yield from read_popularity(PopularityRange(**task.source))
    else:
        for picture in json.loads(location(task.source["list"]).read_bytes()):
            yield read_picture(PictureFile(*picture))


def _row_range(task: ReadTask) -> RowRange:
    return RowRange(**{**task.source, "columns": tuple(task.source["columns"])})


def site_of(paths: tuple[str, ...]) -> Site:
    """The wiki from which the dumps come.

    Raises:
        InputError: the dumps come from several wikis.
    """
    sites = {path: _site(path) for path in paths}
    wikis = sorted({site.wiki for site in sites.values()})
    if len(wikis) > 1:
        raise InputError(
            ", ".join(paths),
            f"the dumps come from several wikis ({', '.join(wikis)})",
            "Give one wiki's dumps; a store holds one",
        )
    return sites[paths[0]] if paths else Site()


def _site(path: str) -> Site:
    if is_data_set(path):
        return read_row_site(path)
    return read_zim_site(path) if is_zim(path) else read_site(path)
