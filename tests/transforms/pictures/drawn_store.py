"""A small store of a drawn world: its things, claims and pictures as ingest would leave them, with vectors."""

from pathlib import Path

from questloom.knowledge.store.build import build_store
from questloom.knowledge.store.store import Store
from questloom.knowledge.store.vectors import add_vectors
from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.pictures.draw import draw
from questloom.knowledge.world.populate import make_part
from questloom.models.clip import Clip
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import Claim, Detail, Entity, ImageAsset
from questloom.transforms.pictures.choose import perceptual_hash

SEED, ARTICLES = 11, 150
MAX_THINGS = 90


def drawn_store(folder: Path, clip: Clip) -> Store:
    """Writes and opens it."""
    part = make_part(SEED, ARTICLES, 1)
    things = [t for t in part.things.values() if t.pictures][:MAX_THINGS]
    entities = [Entity(id=i, labels={"en": label}) for i, label in vocabulary.labels().items()]
    claims, images = [], []
    for thing in things:
        entities.append(
            Entity(
                id=thing.id,
                labels={"en": thing.label},
                classes=thing.classes,
                class_closure=thing.classes,
                picture_files=tuple(v.text for v in thing.values("P18")),
            )
        )
        claims += [
            Claim(
                subject=thing.id,
                property=s.property,
                value=s.value,
                rank=s.rank,
                best=s.rank != "deprecated",
            )
            for s in thing.statements
        ]
        for picture in thing.pictures:
            drawn = draw(SEED, thing, picture)
            if drawn.mime == "image/svg+xml":
                continue
            details = tuple(
                Detail(
                    property=thing.marks[i].property,
                    value=thing.marks[i].value,
                    part=thing.marks[i].part,
                    box=box,
                )
                for i, box in sorted(drawn.boxes.items())
            )
            images.append(
                (
                    ImageAsset(
                        id=sha256_hex(drawn.data),
                        file=picture.file,
                        mime=drawn.mime,
                        width=drawn.width,
                        height=drawn.height,
                        num_bytes=len(drawn.data),
                        licence=picture.licence,
                        depicts=(thing.id,),
                        entity_ids=(thing.id,),
                        details=details,
                        perceptual_hash=perceptual_hash(drawn.data),
                        repository="local" if picture.local else "shared",
                    ),
                    drawn.data,
                )
            )
    build_store(str(folder), entities=entities, claims=claims, images=images)
    add_vectors(str(folder), clip.embed_pictures, clip.name)
    return Store.open(str(folder))
