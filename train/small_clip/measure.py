"""Measures the small CLIP on a world from which it has not learned: its AUC, and its retrieval by
words and by another view.
"""

from dataclasses import dataclass

import numpy as np

from questloom.models.calibration import Calibration, calibration_of
from questloom.models.clip import Clip
from questloom.train.small_clip.examples import Examples


@dataclass(frozen=True)
class Recall:
    """The recall when a picture is searched by words, or by another view (picture) of the same
    entity.

    `words_at_1`, `words_at_5`: how often the first 1 or 5 pictures include one that fits the
    description. `view_at_1`, `view_at_5`: how often the first 1 or 5 pictures include another view
    of the entity. The picture that serves as the query does not count as a result.
    """

    calibration: Calibration
    words_at_1: float
    words_at_5: float
    view_at_1: float
    view_at_5: float
    num_pictures: int
    num_entities: int


def measure(clip: Clip, pictures: np.ndarray, examples: Examples) -> Recall:
    """Measures a checkpoint.

    Args:
        clip: the checkpoint.
        pictures: vectors of the examples' pictures, float32 (n, d).
        examples: pictures of a world from which the model has not learned.
    """
    described = [looks.text() for looks in examples.looks]
    vectors = clip.embed_texts(described)  # (m, d)
    of_picture = [described[e] for e in examples.entity]
    calibration = calibration_of(clip.name, pictures, vectors[examples.entity], of_picture)
    texts = sorted(set(described))
    by_text = np.stack([vectors[described.index(t)] for t in texts])
    order = np.argsort(-(by_text @ pictures.T), axis=1, kind="stable")[:, :5]
    words = [[of_picture[p] == text for p in row] for text, row in zip(texts, order, strict=True)]
    similarity = pictures @ pictures.T
    np.fill_diagonal(similarity, -2)
    counts = np.bincount(examples.entity)
    nearest = np.argsort(-similarity, axis=1, kind="stable")[:, :5]
    views = [
        [examples.entity[p] == examples.entity[i] for p in row]
        for i, row in enumerate(nearest)
        if counts[examples.entity[i]] > 1
    ]
    return Recall(
        calibration,
        _at(words, 1),
        _at(words, 5),
        _at(views, 1),
        _at(views, 5),
        len(pictures),
        len(examples.looks),
    )


def _at(hits: list[list[bool]], k: int) -> float:
    return round(float(np.mean([any(row[:k]) for row in hits])), 4) if hits else 0.0
