"""Thresholds for CLIP similarity, and a measure of how well a checkpoint tells right pictures from wrong ones.

Similarities of different checkpoints lie on different scales. The published threshold 0.28 holds
only for OpenAI's ViT-B/32 (OpenSearch-VL, section 3). Because the scales differ, each checkpoint
folder has its own `calibration.json`. The threshold is a percentile of the similarity between
random pictures and descriptions. The AUC is the probability that a matched pair scores above a
random pair.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from questloom.records.errors import InputError
from questloom.records.identity import rounded

FILE_NAME = "calibration.json"
PERCENTILE = 95.0
STATED_PERCENTILE = 85.0
"""The percentile that gives the threshold for pictures whose own metadata states what they show.

If a picture's metadata already states what the picture shows, a lower similarity is enough. A
description like "a lighthouse by the sea" truly fits many random pictures, so a high percentile
would refuse right pictures.
"""


@dataclass(frozen=True)
class Calibration:
    """The measured threshold and AUC of one CLIP checkpoint.

    A published threshold was not measured here, so its `auc` and `num_pairs` are 0.
    """

    model: str
    threshold: float
    auc: float = 0.0
    num_pairs: int = 0
    percentile: float = PERCENTILE
    stated_threshold: float | None = None
    """The threshold for pictures whose metadata states what they show; None means that `threshold`
    is used."""

    def needed(self, stated: bool) -> float:
        """The lowest similarity at which a picture is accepted as showing its description."""
        return (
            self.stated_threshold
            if stated and self.stated_threshold is not None
            else self.threshold
        )

    def write(self, folder: Path) -> None:
        """Writes `calibration.json` into a checkpoint's folder."""
        (folder / FILE_NAME).write_text(json.dumps(asdict(self), indent=2, sort_keys=True) + "\n")

    @staticmethod
    def read(folder: Path) -> "Calibration | None":
        """Reads the calibration in a checkpoint's folder; None if the folder has no such file.

        Raises: InputError: the file is not a calibration.
        """
        path = folder / FILE_NAME
        if not path.exists():
            return None
        try:
            return Calibration(**json.loads(path.read_text()))
        except (ValueError, TypeError) as error:
            raise InputError(
                str(path),
                f"is no calibration ({error})",
                "Write it again: `questloom.models.calibration.calibration_of` makes one.",
            ) from error


PUBLISHED = {"ViT-B-32/openai": Calibration(model="ViT-B-32/openai", threshold=0.28)}
"""Thresholds that a paper gives for a public checkpoint."""


def calibration_of(
    model: str,
    pictures: np.ndarray,
    texts: np.ndarray,
    descriptions: list[str],
    *,
    percentile: float = PERCENTILE,
) -> Calibration:
    """Computes threshold and AUC from matched pairs of picture and text; all other combinations are random pairs.

    Args:
        model: name of the checkpoint.
        pictures: picture vectors, float32 (n, d), unit rows.
        texts: text vectors, float32 (n, d); row i describes picture i.
        descriptions: the n texts; two pictures with equal texts are not used as a random pair.
        percentile: the threshold is the value at this percentile of the similarities of random
            pairs.
    """
    assert len(pictures) == len(texts) == len(descriptions)
    similarity = pictures @ texts.T  # (n, n)
    _, group = np.unique(np.array(descriptions), return_inverse=True)
    random = np.sort(similarity[group[:, None] != group[None, :]])
    if not len(random):
        raise InputError(
            "calibration", "needs at least two different descriptions", "Give more pictures."
        )
    matched = np.diagonal(similarity)
    below = (
        np.searchsorted(random, matched, "left") + np.searchsorted(random, matched, "right")
    ) / 2
    return Calibration(
        model=model,
        threshold=rounded(np.percentile(random, percentile)),
        stated_threshold=rounded(np.percentile(random, STATED_PERCENTILE)),
        auc=rounded(below.mean() / len(random)),
        num_pairs=len(descriptions),
        percentile=percentile,
    )
