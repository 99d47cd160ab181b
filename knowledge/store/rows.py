"""Makes the rows of the store's tables from records. The ingest job and `build_store` both make
their rows with this module.

A row is (key, order, record, …). The tables are sorted by (key, order); the store does not keep
`order`.
"""

from collections.abc import Iterator

from questloom.knowledge.dates import index_keys
from questloom.knowledge.store.codec import pack
from questloom.knowledge.store.layout import value_row_key
from questloom.records.knowledge import Article, Claim, Entity, ImageAsset, Passage

Row = tuple
"""A row for a table: a tuple (key, order, record). Rows of `images` and `passages` have a further
column at the end."""


def sorted_claims(claims: list[Claim]) -> list[Claim]:
    """The claims of a subject in the store's order (property, value key, id), without duplicates."""
    same: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        same.setdefault((claim.property, claim.value.key()), []).append(claim)
    out: list[Claim] = []
    for _, found in sorted(same.items()):
        if len(found) > 1:  # an id costs a hash, and few claims need one here
            by_id = {c.id: c for c in sorted(found, key=lambda c: c.statement, reverse=True)}
            found = [by_id[claim_id] for claim_id in sorted(by_id)]
        out += found
    return out


def claim_rows(claims: list[Claim]) -> Iterator[tuple[str, Row]]:
    """Yields (table, row) for the claims of one subject; the claims come from `sorted_claims`."""
    pairs: set[tuple[str, str]] = set()
    for number, claim in enumerate(claims):
        data = pack(claim)
        yield "claims", (claim.subject, f"{number:06d}", data)
        if claim.best:
            pairs.update((claim.property, key) for key in index_keys(claim.value))
            if claim.value.kind == "entity":
                yield (
                    "inbound",
                    (claim.value.entity, f"{claim.subject} {claim.property} {number:06d}", data),
                )
    for property_id, key in sorted(pairs):
        yield (
            "values",
            (value_row_key(property_id, key), claims[0].subject, claims[0].subject.encode()),
        )


def entity_rows(entity: Entity) -> Iterator[tuple[str, Row]]:
    """Yields (table, row) for everything that an entity adds to the store."""
    yield "entities", (entity.id, "", pack(entity))
    for class_id in entity.class_closure:
        yield "members", (class_id, entity.id, entity.id.encode())
    for merged in entity.merged_ids:
        yield "merged", (merged, entity.id, entity.id.encode())


def article_rows(article: Article, passages: Iterator[Passage]) -> Iterator[tuple[str, Row]]:
    """Yields (table, row) for an article and its passages. Each passage's title and text have a
    column of their own, for text search."""
    yield "articles", (article.entity_id, article.id, pack(article))
    for passage in passages:
        yield (
            "passages",
            (passage.id, "", pack(passage.replace(text="")), f"{passage.title}\n{passage.text}"),
        )


def image_rows(image: ImageAsset, data: bytes) -> Iterator[tuple[str, Row]]:
    """Yields (table, row) for a picture and its file."""
    yield "images", (image.id, "", pack(image), data)
    for entity_id in image.entity_ids:
        yield "pictured", (entity_id, image.id, image.id.encode())
