"""Checks that a degraded picture is recoverable: when a tool has repaired the picture, a picture
search must find its source again. The paper on OpenSearch-VL does not check whether a degraded
picture is recoverable."""

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
    """The part of `questloom.knowledge.search.PictureSearch` that this module uses."""

    def search(self, vector: np.ndarray, k: int) -> Sequence[Any]: ...


class Embedder(Protocol):
    """The part of `models.clip.Clip` that this module uses."""

    def embed_pictures(self, pictures: Sequence[bytes | Image.Image]) -> np.ndarray: ...


@dataclass(frozen=True)
class Source:
    """The source picture, which the search must find again after the repair.

    `image_ids` are the pictures that the search may find: the source and the other pictures of its
    entity. `hidden` are pictures that the search of the run never returns. The question's own
    picture is hidden if the recipe says so. `perceptual_hash` is the hash of the source. `details`
    are the details of the picture that the question asks for, such as an inscription.
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
        degraded: the degraded picture in RGB, as the policy (the model that plays) sees it.
        degradation: the degradation that was applied.
        source: the picture that the search must find.
        clip: the CLIP checkpoint that computed the vectors of the index.
        index: the index of pictures, searched by vector without approximation.
        k: number of search results that a policy looks at.
        max_distance: maximum number of bits (of 64) that may differ between the perceptual hash of
            the repaired picture and that of the source.

    Returns:
        Whether the degraded picture is recoverable, and the evidence. The source must be among the
        first `k` results of the vector search, or have nearly the perceptual hash of the repaired
        picture. The hash counts only if no tool hides the source. An inscription that the question asks for must still be legible.
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
    """Number of bits that differ between the perceptual hashes of a picture and its source; -1
    where the hash of the source is unknown."""
    if not source.perceptual_hash:
        return -1
    return (int(str(imagehash.phash(picture)), 16) ^ int(source.perceptual_hash, 16)).bit_count()
