"""How well a checkpoint tells a store's own pictures apart: measured before a run spends anything (design 3.6)."""
from collections.abc import Callable
from typing import Any

from models.calibration import Calibration
from models.clip import Clip
from records.errors import InputError
from records.identity import priority
from transforms.pictures.describe import looks_of
from transforms.pictures.ground import GroundingRules, usable
from transforms.pictures.simple import kind_by_name

NUM_PAIRS = 200
_MIN_PAIRS = 20


def store_pairs(store: Any, count: int = NUM_PAIRS) -> list[tuple[bytes, str]]:
    """(file, description) of pictures that show one entity, drawn by picture id: the same ones in every run and process.

    Args:
        store: a `knowledge.store.Store`.
        count: how many at most.
    """
    able = (i.id for i in store.scan_images() if len(i.entity_ids) == 1 and not kind_by_name(i))
    chosen = sorted(able, key=lambda image_id: priority(0, image_id, "calibration"))[:count]
    images = [store.image(image_id) for image_id in chosen]
    return [(store.image_bytes(i.id), looks_of(store, i.entity_ids[0], without_picture=i.id).text()) for i in images]


def check_grounding(store: Any, load: Callable[[], Clip], rules: GroundingRules) -> Calibration | None:
    """The calibration to ground with, or None where grounding is not run. To be called before a run starts.

    The threshold is the checkpoint's own where it has one, else the percentile on this store's pairs.

    Args:
        store: a `knowledge.store.Store`.
        load: gives the checkpoint; not called where grounding is off.
        rules: the recipe's.

    Raises:
        InputError: grounding is required and the checkpoint's AUC on the store's pairs is too low, or there are too few pairs.
    """
    if rules.mode == "off":
        return None
    clip, pairs = load(), store_pairs(store)
    if len(pairs) < _MIN_PAIRS or len({text for _, text in pairs}) < 2:
        if rules.mode == "required":
            raise InputError("grounding", f"the store has {len(pairs)} pictures that show one described entity, {_MIN_PAIRS} are needed to "
                             "measure a checkpoint", "Ingest more pictures, or set grounding.mode to optional.")
        return None
    measured = clip.calibrate(pairs)
    return (clip.calibration or measured) if usable(measured, rules) else None
