"""Measures, before a run costs anything, how well a CLIP checkpoint distinguishes the pictures of a store."""

import numpy as np

from questloom.knowledge.store.lance_files import reading
from questloom.knowledge.store.store import Store
from questloom.knowledge.store.vectors import vectors_of
from questloom.models.calibration import Calibration, calibration_of
from questloom.models.clip import Clip
from questloom.models.picture_file import decode
from questloom.records.errors import InputError
from questloom.records.identity import priority
from questloom.transforms.pictures.describe import looks_of
from questloom.transforms.pictures.ground import usable
from questloom.transforms.pictures.picture_rules import GroundingRules
from questloom.transforms.pictures.simple import too_simple

NUM_PAIRS = 200
MIN_PAIRS = 20


def store_pairs(store: Store, count: int = NUM_PAIRS) -> dict[str, str]:
    """Draws pictures that show one entity, and maps each picture id to a description of the entity.
    The draw depends only on picture ids, so every process gets the same pairs."""
    able = (i.id for i in store.scan_images() if len(i.entity_ids) == 1)
    pairs: dict[str, str] = {}
    for image_id in sorted(able, key=lambda image_id: priority(0, image_id, "calibration")):
        image = store.image(image_id)
        if len(pairs) == count:
            break
        if image is not None and not too_simple(
            image, decode(store.image_bytes(image_id), at_least=256)
        ):
            pairs[image_id] = looks_of(store, image.entity_ids[0], without_picture=image_id).text()
    return pairs


def check_grounding(store: Store, clip: Clip, rules: GroundingRules) -> Calibration | None:
    """The calibration for grounding (the check that a picture shows its entity); None where
    grounding does not run. Call this function before a run starts.

    If the checkpoint has a threshold of its own, that threshold is used. Otherwise the threshold is
    a percentile of the similarities of this store's pairs.

    Raises:
        InputError: grounding is required but not possible. Possible causes are a low AUC of the
            checkpoint on the store's pairs, too few pairs, or vectors that are missing or come from
            another checkpoint.
    """
    if rules.mode == "none":
        return None
    try:
        measured = _measured(store, clip)
    except InputError as error:
        if (
            rules.mode == "required" or error.where == store.path
        ):  # a damaged store is no fault of the checkpoint
            raise
        return None
    return (clip.calibration or measured) if usable(measured, rules) else None


def _measured(store: Store, clip: Clip) -> Calibration:
    table = vectors_of(store.path)
    model = table.schema.metadata[b"model"].decode() if table else "no checkpoint"
    if table is None or model != clip.name:
        raise InputError(
            "grounding",
            f"the store's pictures are embedded by {model}, the recipe names {clip.name}",
            f"Embed them with {clip.name}, or name the same checkpoint.",
        )
    pairs = store_pairs(store)
    if len(pairs) < MIN_PAIRS or len(set(pairs.values())) < 2:
        raise InputError(
            "grounding",
            f"the store has {len(pairs)} pictures that show one described entity, and {MIN_PAIRS} are needed to "
            "measure a checkpoint",
            "Ingest more pictures, or set grounding.mode to optional.",
        )
    with reading(store.path):
        rows = table.to_table(
            filter="key IN (" + ",".join(f"'{image_id}'" for image_id in pairs) + ")"
        ).to_pylist()
    vectors = {row["key"]: row["vector"] for row in rows}
    texts = list(pairs.values())
    return calibration_of(
        clip.name,
        np.array([vectors[image_id] for image_id in pairs], np.float32),
        clip.embed_texts(texts),
        texts,
    )
