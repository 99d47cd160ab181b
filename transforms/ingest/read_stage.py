"""Stage `read`: reads one byte range of a dump, or some pictures, into part files for later stages."""

from collections.abc import Iterator

import numpy as np

from questloom.files.locations import whole_file
from questloom.knowledge.readers.wikidata_json import WIKI as WIKIDATA
from questloom.knowledge.store.codec import pack, pack_many
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
from questloom.transforms.ingest.ingest_job import Job, Outcome
from questloom.transforms.ingest.pages import link_array, revision_order
from questloom.transforms.ingest.part_files import PartWriter, Row
from questloom.transforms.ingest.picture_stages import depicted
from questloom.transforms.ingest.sources import Read, read

NO_DATA = b""
ROWS_BYTES = 32 << 20
"""Number of bytes of a data set after which the rows in memory are written. A file of JSON lines is
always one task, even if it is large."""


def parts_of(item: Read, wiki: str) -> Iterator[tuple[str, Row]]:
    """Gives (kind, row) for every row that later stages need from one item.

    Args:
        item: any item that a reader gives, except rejections.
        wiki: the wiki whose sitelinks join items and pages.
    """
    match item:
        case Article():
            order = revision_order(item.revision, item.page_id, item.timestamp)
            yield "article", (item.title, order, pack(item))
            yield "page", (item.title, order, item.item.encode())
        case Redirect() if item.wiki == WIKIDATA:
            yield "merged", (item.title, item.target, NO_DATA)
        case Redirect():
            order = f"{revision_order(item.revision, 0, item.timestamp)} {item.target}"
            yield "redirect", (item.title, order, item.target.encode())
        case PropertyInfo():
            yield "property", (item.id, "", pack(item))
        case (Entity() as entity, tuple() as claims):
            yield from _item_parts(entity, claims, wiki)
        case (str() as entity_id, Popularity() as stated):
            yield "popularity", (entity_id, "", pack(stated))
        case (ImageAsset() as image, data):
            yield "picture", (image.file, image.id, pack(image))
            yield "file", (image.id, image.file, NO_DATA, data)
            for entity_id in depicted(image):
                yield "depicts", (entity_id, image.file, image.file.encode())


def _item_parts(entity: Entity, claims: tuple[Claim, ...], wiki: str) -> Iterator[tuple[str, Row]]:
    yield "item", (entity.id, revision_order(entity.revision, 0), pack(entity), pack_many(claims))
    if title := entity.sitelinks.get(wiki):
        yield "sitelink", (title, entity.id, entity.id.encode(), " ".join(entity.classes).encode())
    for claim in claims:
        if claim.property == "P279" and claim.best and claim.value.kind == "entity":
            yield "superclass", (entity.id, claim.value.entity, NO_DATA)


def run(job: Job, task: int) -> Outcome:
    """Reads the source of one task."""
    outcome, links = Outcome(), []
    most = ROWS_BYTES if job.tasks[task].kind in ("article_rows", "entity_rows") else 0
    writer = PartWriter(job.folder("parts"), f"read-{task:06d}", job.num_partitions, most)
    for item in read(job.tasks[task], job.options):
        if isinstance(item, Rejection):
            outcome.reject(item)
            continue
        outcome.keep()
        for kind, row in parts_of(item, job.wiki):
            writer.add(kind, row)
        if isinstance(item, Article) and item.links:
            links.append(
                link_array(item.title, item.revision, (link.target for link in item.links))
            )
    writer.close()
    if links:
        with (
            whole_file(job.folder("parts") / "links" / f"{task:06d}.npy") as path,
            open(path, "wb") as file,
        ):
            np.save(file, np.concatenate(links))
    return outcome
