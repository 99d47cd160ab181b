"""Which CLIP similarity counts as "shows it": a threshold, and how well a checkpoint separates at all.

0.28 is published for OpenAI's ViT-B/32 (OpenSearch-VL, section 3). Similarities of other checkpoints live on
other scales, so each carries a `calibration.json`: the threshold is a percentile of its similarity over random
(picture, description) pairs, and the AUC tells how often a matched pair scores above a random one.
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
"""For pictures whose own statements say what they show: similarity then has only to not contradict them. A description truly fits many
random pictures ("a lighthouse by the sea"). So a high percentile would refuse right pictures that are like others."""


@dataclass(frozen=True)
class Calibration:
    """What was measured for one checkpoint.

    `auc` and `num_pairs` are 0 for a published threshold, where nothing was measured here.
    """

    model: str
    threshold: float
    auc: float = 0.0
    num_pairs: int = 0
    percentile: float = PERCENTILE
    stated_threshold: float | None = None
    """For pictures that are stated to show the thing; None for the same one."""

    def needed(self, stated: bool) -> float:
        """The least similarity of a picture that shows what is described."""
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
        """The calibration beside a checkpoint, or None where there is none.

        Raises:
            InputError: the file is no calibration.
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
    """Threshold and AUC from matched pairs, every other combination being a random pair.

    Args:
        model: the checkpoint's name.
        pictures: float32 (n, d), unit rows.
        texts: float32 (n, d); row i describes picture i.
        descriptions: the n texts; equal ones are not each other's random pairs.
        percentile: of the random similarities, above which a picture counts as showing the description.
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
