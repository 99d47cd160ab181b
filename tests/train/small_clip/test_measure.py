import numpy as np

from questloom.train.small_clip.examples import Examples
from questloom.train.small_clip.measure import measure
from questloom.transforms.pictures.describe import Looks

LOOKS = [Looks(noun="lighthouse"), Looks(noun="lighthouse"), Looks(noun="bridge")]


class Words:
    """Texts to fixed vectors; a checkpoint as far as `measure` uses one."""

    name = "words"

    def embed_texts(self, texts):
        return np.array(
            [{"a lighthouse": (1.0, 0.0, 0.0), "a bridge": (0.0, 0.0, 1.0)}[t] for t in texts],
            np.float32,
        )


def examples(*entity: int) -> Examples:
    return Examples(
        np.zeros((len(entity), 1, 1, 3), np.uint8), np.array(entity), LOOKS, [b""] * len(entity)
    )


def test_a_picture_of_any_entity_that_looks_so_counts_as_found_by_words_and_only_the_entitys_own_views_by_view():
    pictures = np.array([[0.9, 0.1, 0], [0.9, 0.12, 0], [0.9, -0.4, 0], [0, 0.1, 0.9]], np.float32)
    found = measure(Words(), pictures, examples(0, 0, 1, 2))
    assert (found.words_at_1, found.view_at_1, found.calibration.auc) == (1.0, 1.0, 1.0)
    assert (found.num_pictures, found.num_entities) == (4, 3)
    swapped = measure(Words(), pictures, examples(0, 1, 0, 2))
    assert (swapped.words_at_1, swapped.view_at_1, swapped.view_at_5) == (1.0, 0.5, 1.0)
    worse = measure(Words(), pictures, examples(2, 2, 2, 0))
    assert worse.words_at_1 == 0.0
    assert worse.calibration.auc == 0.0
