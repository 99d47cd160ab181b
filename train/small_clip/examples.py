"""Training examples: small pictures, the entity that each picture shows, and the words that
describe the entity."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from questloom.models.picture_file import decode
from questloom.transforms.pictures.describe import Looks, looks_of
from questloom.transforms.pictures.simple import too_simple

STORED_SIDE = 128
"""How many pixels a stored picture has on each side. The model reads a smaller crop, which starts
at a random place of the picture.
"""


@dataclass(frozen=True)
class Examples:
    """The training examples: n pictures of m entities.

    `pixels` is uint8 (n, STORED_SIDE, STORED_SIDE, 3). `pixels` are pictures squashed to squares,
    as in the checkpoint's preprocessing. `entity` is int (n,): the index in `looks` of the entity
    that each picture shows. `files` has the bytes of the picture files.
    """

    pixels: np.ndarray
    entity: np.ndarray
    looks: list[Looks]
    files: list[bytes]

    def __add__(self, other: "Examples") -> "Examples":
        return Examples(
            np.concatenate([self.pixels, other.pixels]),
            np.concatenate([self.entity, other.entity + len(self.looks)]),
            self.looks + other.looks,
            self.files + other.files,
        )


def examples_of(store: Any) -> Examples:
    """All pictures of a store that show exactly one entity with a description, sorted by image id.

    Pictures of flags and maps are left out.

    Args:
        store: a `questloom.knowledge.store.Store` of a fictional world.
    """
    pixels, entity, files = [], [], []
    looks: list[Looks] = []
    index: dict[str, int] = {}
    for image in sorted(store.scan_images(), key=lambda i: i.id):
        subjects = [
            e for e in image.depicts if store.entity(e) is not None and e in image.entity_ids
        ]
        if len(subjects) != 1 or min(image.width, image.height) < STORED_SIDE:
            continue
        data = store.image_bytes(image.id)
        picture = decode(data, at_least=2 * STORED_SIDE)
        if too_simple(image, picture):
            continue
        if subjects[0] not in index:
            index[subjects[0]] = len(looks)
            looks.append(looks_of(store, subjects[0]))
        pixels.append(
            np.asarray(picture.resize((STORED_SIDE, STORED_SIDE), Image.Resampling.BILINEAR))
        )
        entity.append(index[subjects[0]])
        files.append(data)
    return Examples(np.stack(pixels), np.array(entity), looks, files)


def words_of(looks: Looks) -> frozenset[tuple[str, str]]:
    """The parts of a description, as pairs (kind, words).

    A text fits a picture if all of its parts are in the picture's description.
    """
    parts = {("noun", looks.noun)}
    for kind in ("colours", "materials", "parts", "shown"):
        parts.update((kind, words) for words in getattr(looks, kind))
    return frozenset(parts)
