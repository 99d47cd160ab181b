"""Recoverability, a check that OpenSearch-VL does not describe: after the paired tool, the picture leads to its source again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import imagehash
import numpy as np
from PIL import Image

from questloom.models.ocr import reads_detail
from questloom.records.knowledge import Detail
from questloom.transforms.enhancement.degrade import Degradation
from questloom.transforms.enhancement.repair import repair

INSCRIPTION = "P1684"


class PictureIndex(Protocol):
    """`questloom.knowledge.search.PictureSearch`, as far as it is used here."""

    def search(self, vector: np.ndarray, k: int) -> Sequence[Any]: ...


class Embedder(Protocol):
    """`models.clip.Clip`, as far as it is used here."""

    def embed_pictures(self, pictures: Sequence[bytes | Image.Image]) -> np.ndarray: ...


@dataclass(frozen=True)
class Source:
    """What must be found again.

    `image_ids` are the pictures that count as found: the source itself and the other views of the anchor. `hidden` are
    those that the run's search index does not return (the question's own picture, where the recipe hides it).
    `perceptual_hash` is the source's; `details` are those that the question asks to be read.
    """

    image_ids: Collection[str]
    hidden: Collection[str] = ()
    perceptual_hash: str = ""
    details: Sequence[Detail] = ()


def find_again(
    degraded: Image.Image,
    degradation: Degradation,
    source: Source,
    clip: Embedder,
    index: PictureIndex,
    *,
    k: int = 5,
    max_distance: int = 10,
) -> tuple[bool, dict[str, Any]]:
    """Repairs a degraded picture and searches with it.

    Args:
        degraded: RGB, as the policy is shown it.
        degradation: what was done to it.
        source: what must be found.
        clip: the checkpoint that the index was built with.
        index: exact picture search.
        k: how many results a policy looks at.
        max_distance: bits by which the perceptual hash of the repaired picture may differ from the source's, of 64.

    Returns:
        Whether the source is found, by vector among the first `k` or (where it is not hidden) by perceptual hash, and
        whether an inscription that the question asks for can still be read; and what shows it.
    """
    repaired = repair(degraded, degradation)
    evidence: dict[str, Any] = {"degradation": degradation.kind, "severity": degradation.severity}
    if repaired is None:
        return False, {**evidence, "cause": "the tool had no effect"}
    hits = index.search(clip.embed_pictures([repaired])[0], k + len(source.hidden))
    shown = [hit for hit in hits if hit.image_id not in source.hidden][:k]
    rank = next(
        (place for place, hit in enumerate(shown, 1) if hit.image_id in source.image_ids), 0
    )
    evidence |= {"rank": rank, "distance": _distance(repaired, source)}
    by_hash = not source.hidden and 0 <= evidence["distance"] <= max_distance
    if not rank and not by_hash:
        return False, {
            **evidence,
            "cause": "the source is not found",
            "first": shown[0].image_id if shown else "",
        }
    for detail in source.details:
        if detail.property == INSCRIPTION and not reads_detail(
            repaired, detail.value.text, detail.box
        ):
            return False, {**evidence, "cause": "the inscription cannot be read"}
    return True, evidence


def _distance(picture: Image.Image, source: Source) -> int:
    """Bits between the perceptual hashes; -1 where the source's is unknown."""
    if not source.perceptual_hash:
        return -1
    return (int(str(imagehash.phash(picture)), 16) ^ int(source.perceptual_hash, 16)).bit_count()
