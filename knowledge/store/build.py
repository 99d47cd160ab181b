"""Builds a store from records in memory, for small hand-made worlds. A dump is stored by
`questloom.pipeline.ingest.store_job` instead."""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import pyarrow as pa

from questloom.knowledge.store.codec import pack
from questloom.knowledge.store.layout import SCHEMAS
from questloom.knowledge.store.passages import passages_of
from questloom.knowledge.store.profiles import (
    Counts,
    answer_key,
    count_commonest,
    count_subject,
    count_values,
    profile_rows,
)
from questloom.knowledge.store.rows import (
    Row,
    article_rows,
    claim_rows,
    entity_rows,
    image_rows,
    sorted_claims,
)
from questloom.knowledge.store.writer import index_passages, write_meta, write_table
from questloom.records.knowledge import Article, Claim, Entity, ImageAsset, PropertyInfo

NO_COUNTS: Mapping[str, int] = MappingProxyType({})


def build_store(
    path: str,
    *,
    entities: Iterable[Entity] = (),
    claims: Iterable[Claim] = (),
    articles: Iterable[Article] = (),
    images: Iterable[tuple[ImageAsset, bytes]] = (),
    properties: Iterable[PropertyInfo] = (),
    titles: Iterable[tuple[str, str]] = (),
    language: str = "en",
    snapshot: str = "",
    class_counts: Mapping[str, int] = NO_COUNTS,
) -> None:
    """Writes a store from finished records, equal to the store that ingest would write.

    Args:
        path: folder of the store.
        entities: records of entities with filled fields `class_closure`, `domain` and `in_degree`.
        claims: claims, of any subjects and in any order.
        articles: records of articles with a filled field `entity_id`. Articles can be looked up by
            their titles and redirects.
        images: records of pictures with a filled field `entity_ids`, each with the bytes of its
            file.
        properties: definitions of properties.
        titles: further titles for look-ups, as pairs (title, entity id).
        language: language code of the wiki.
        snapshot: date of the dumps, YYYY-MM-DD.
        class_counts: number of members of each class according to the whole Wikidata, if known.
    """
    rows: dict[str, list[Row]] = {name: [] for name in SCHEMAS}
    counts: Counts = Counter()
    by_subject: dict[str, list[Claim]] = {}
    for claim in claims:
        by_subject.setdefault(claim.subject, []).append(claim)
    by_value: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    classes: dict[str, tuple[str, ...]] = {}
    for entity in entities:
        classes[entity.id] = entity.classes
        by_subject.setdefault(entity.id, [])
        for table, row in entity_rows(entity):
            rows[table].append(row)
    for subject, own_claims in by_subject.items():
        own_claims = sorted_claims(own_claims)
        for property_id, keys in count_subject(
            counts, classes.get(subject, ()), own_claims
        ).items():
            for key in keys:
                by_value.setdefault((property_id, key), []).append(classes.get(subject, ()))
        for table, row in claim_rows(own_claims):
            rows[table].append(row)
    _count_answers(counts, by_value)
    rows["profiles"] = list(profile_rows(counts))
    for article in articles:
        for title in (article.title, *article.redirects):
            rows["titles"].append((title, "", article.entity_id.encode()))
        for table, row in article_rows(article, passages_of(article)):
            rows[table].append(row)
    rows["titles"] += [(title, "", entity_id.encode()) for title, entity_id in titles]
    rows["properties"] = [(p.id, "", pack(p)) for p in properties]
    for image, data in images:
        for table, row in image_rows(image, data):
            rows[table].append(row)
    facts = {}
    for name, schema in SCHEMAS.items():
        columns = list(zip(*((r[0], *r[2:]) for r in sorted(rows[name])), strict=True)) or [
            ()
        ] * len(schema)
        arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
        facts[name] = write_table(path, name, [pa.Table.from_arrays(arrays, schema=schema)])
    index_passages(path, language)
    write_meta(
        path,
        {
            "wiki": f"{language}wiki",
            "languages": [language],
            "snapshot": snapshot,
            "dumps": [],
            "class_counts": dict(class_counts),
        },
        facts,
    )


def _count_answers(
    counts: Counts, by_value: Mapping[tuple[str, str], list[tuple[str, ...]]]
) -> None:
    """Counts, for each property, the distinct values and the subjects that have the commonest
    answer.

    Args:
        by_value: for each pair (property, value key), a list with the direct classes of each
            subject.
    """
    answering: dict[tuple[str, str], Counter[str]] = {}
    for (property_id, key), class_sets in by_value.items():
        count_values(counts, property_id, class_sets)
        if key != "somevalue":
            of_answer = answering.setdefault((property_id, answer_key(key)), Counter())
            for own in class_sets:
                of_answer.update({"", *own})
    for (property_id, _), found in answering.items():
        count_commonest(counts, property_id, found)
