"""Stage `entities`: joins each item with its page, replaces merged ids, adds all superclasses, and
finds domain and topic."""

from collections.abc import Iterable

from questloom.knowledge.readers.commons_page import file_name
from questloom.knowledge.store.codec import unpack, unpack_many
from questloom.knowledge.store.profiles import Counts, count_subject
from questloom.knowledge.store.rows import claim_rows, entity_rows, sorted_claims
from questloom.records.knowledge import Claim, Entity, Popularity
from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json
from questloom.transforms.facts.signs import SIGNS
from questloom.transforms.ingest.classes import ClassTree, domain_of, topic_of
from questloom.transforms.ingest.faults import fault
from questloom.transforms.ingest.index_stage import class_tree, merged_ids
from questloom.transforms.ingest.ingest_job import Job, Outcome
from questloom.transforms.ingest.pages import Merged
from questloom.transforms.ingest.part_files import PartWriter, Row, groups, read_parts, write_runs
from questloom.transforms.ingest.profile_counts import write_counts

STAGE = "entities"


def finish_entity(
    item: Entity | None,
    subject: Entity | None,
    claims: Iterable[Claim],
    infobox: Iterable[Claim],
    tree: ClassTree,
    merged: Merged,
) -> tuple[Entity, list[Claim]] | Rejection:
    """The entity and its claims as the store holds them, or the reason why the entity is dropped.

    Infobox claims count as best values only where no dump has the item. Where an item has its own
    statements, infobox claims are only evidence: a scraped value must not make a statement
    ambiguous.

    Args:
        item: the item from an entity dump, if any.
        subject: the facts from the entity's article, if the entity has an article. Item and subject
            are never both None.
        claims: the item's statements.
        infobox: the article's infobox claims.
        tree: the superclasses of all classes.
        merged: ids that were merged into other ids.
    """
    entity = item or subject
    assert entity is not None
    found = [_canonical(c, entity.id, merged) for c in claims]
    found += [c.replace(best=item is None) for c in infobox]
    classes = _values(found, "P31")
    reason = tree.reason(classes)
    if reason and subject is None:
        return Rejection(
            item_id=entity.id,
            seed_id="",
            stage=STAGE,
            reason=reason.value,
            evidence=Json(list(classes)),
            title=entity.label(),
        )
    return entity.replace(
        classes=classes,
        class_closure=tree.closure(classes),
        domain=domain_of(tree, classes),
        topic=topic_of(tree, classes, _values(found, "P106")),
        in_degree=subject.in_degree if subject else 0,
        sitelinks={**entity.sitelinks, **(subject.sitelinks if subject else {})},
        merged_ids=merged.names(entity.id),
    ), sorted_claims(found)


def reject_duplicate(entity: Entity, kept: Entity) -> Rejection:
    """Rejects a second record of an entity. The newer revision of the entity is kept."""
    return Rejection(
        item_id=entity.id,
        seed_id="",
        stage=STAGE,
        reason=Reason.DUPLICATE_RECORD.value,
        evidence=Json({"revision": entity.revision, "kept": kept.revision}),
        title=entity.label(),
    )


def may_be_depicted(entity: Entity, claims: list[Claim]) -> bool:
    """Whether the item itself is seen in a picture that "depicts" the item. An item that is a class
    (dog, red) is never shown itself: the picture shows some instance of the class."""
    return bool(entity.classes) and not any(c.property == "P279" for c in claims)


def _canonical(claim: Claim, subject: str, merged: Merged) -> Claim:
    """The claim with the new ids in place of ids that were merged."""
    value = claim.value
    if value.kind == "entity" and value.entity in merged.into:
        value = value.replace(entity=merged(value.entity))
    if value is claim.value and claim.subject == subject:
        return claim
    return claim.replace(subject=subject, value=value)


def _values(claims: list[Claim], prop: str) -> tuple[str, ...]:
    """The entities that are best values of a property, in order, without duplicates."""
    return tuple(
        dict.fromkeys(
            c.value.entity
            for c in claims
            if c.best and c.property == prop and c.value.kind == "entity"
        )
    )


def run(job: Job, partition: int) -> Outcome:
    """Finishes the entities of one partition of ids."""
    parts, folder = job.folder("parts"), job.folder("index")
    tree, merged = class_tree(folder), merged_ids(folder)
    items, subjects, infobox, depicts, stated = (
        dict(groups(read_parts(parts, kind, partition)))
        for kind in ("item", "subject", "infobox", "depicts", "popularity")
    )
    outcome, counts, num_stated = Outcome(), Counts(), 0
    rows: dict[str, list[Row]] = {
        name: [] for name in ("entities", "claims", "values", "inbound", "members", "merged")
    }
    writer = PartWriter(parts, f"entities-{partition:06d}", job.num_partitions)
    for entity_id in sorted(items.keys() | subjects.keys()):
        versions = [unpack(Entity, data) for _, data, _ in items.get(entity_id, ())]
        item = versions[0] if versions else None
        for other in versions[1:]:
            outcome.reject(reject_duplicate(other, versions[0]))
        try:
            finished = finish_entity(
                item,
                unpack(Entity, subjects[entity_id][0][1]) if entity_id in subjects else None,
                unpack_many(Claim, items[entity_id][0][2] or b"[]") if item else (),
                [unpack(Claim, data) for _, data, _ in infobox.get(entity_id, ())],
                tree,
                merged,
            )
            if isinstance(finished, Rejection):
                outcome.reject(finished)
                continue
            entity, claims = finished
            if entity_id in stated:
                entity, num_stated = (
                    entity.replace(popularity=unpack(Popularity, stated[entity_id][0][1])),
                    num_stated + 1,
                )
            made = [*entity_rows(entity), *claim_rows(claims)]
            files = _files(
                entity, claims, [data.decode() for _, data, _ in depicts.get(entity_id, ())]
            )
        except Exception as error:
            outcome.reject(fault(entity_id, STAGE, item.label() if item else entity_id, error))
            continue
        outcome.keep()
        count_subject(counts, entity.classes, claims)
        for table, row in made:
            # Profiles count values by the classes of their subjects, when the values pass in order.
            rows[table].append(
                (*row, " ".join(entity.classes).encode()) if table == "values" else row
            )
        for file in files:
            writer.add("use", (file, entity.id, entity.id.encode()))
    writer.close()
    write_runs(job.folder("runs"), f"{partition:06d}", rows)
    write_counts(job.folder("profiles") / f"{partition:06d}.json", counts)
    outcome.facts["num_stated"] = num_stated
    return outcome


def _files(entity: Entity, claims: list[Claim], depicting: list[str]) -> list[str]:
    """The picture files that show the entity, as the statements of the entity or of the files
    say."""
    return sorted(
        {
            *map(file_name, entity.picture_files),
            *(
                file_name(c.value.text)
                for c in claims
                if c.best and c.property in SIGNS and c.value.text
            ),
            *(depicting if may_be_depicted(entity, claims) else ()),
        }
    )
