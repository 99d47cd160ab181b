import io

import numpy as np
import pytest
from PIL import Image

from questloom.knowledge.search import PictureSearch
from questloom.knowledge.store import Store
from questloom.knowledge.store.build import build_store
from questloom.knowledge.store.vectors import add_vectors, load_vectors
from questloom.records.errors import InputError


def mean_colour(files: list[bytes]) -> np.ndarray:
    """A stand-in with a vector's shape: the mean colour, as a unit vector."""
    colours = np.array(
        [np.asarray(Image.open(io.BytesIO(f)).convert("RGB"), float).mean((0, 1)) for f in files]
    )
    return (colours + 1) / np.linalg.norm(colours + 1, axis=1, keepdims=True)


def test_vectors_are_written_for_every_picture_and_found_again(tmp_path, everything):
    path = str(tmp_path)
    build_store(path, **everything)
    with pytest.raises(InputError, match="no picture vectors"):
        PictureSearch(Store.open(path))
    steps = []
    assert (
        add_vectors(
            path,
            mean_colour,
            "mean-colour",
            batch=1,
            progress=lambda done, total: steps.append((done, total)),
        )
        == 2
    )
    assert steps == [(1, 2), (2, 2)]
    search = PictureSearch(Store.open(path))
    by_file = {image.file: image.id for image, _ in everything["images"]}
    assert search.model == "mean-colour"
    assert [h.image_id for h in search.search(np.array([1.0, 0, 0]), 1)] == [by_file["Lamp 1.png"]]
    assert [h.image_id for h in search.search(np.array([0, 0, 1.0]), 5)] == [
        by_file["Town.png"],
        by_file["Lamp 1.png"],
    ]


def test_the_same_model_is_not_run_twice_and_another_replaces_it(tmp_path, everything):
    path = str(tmp_path)
    build_store(path, **everything)
    add_vectors(path, mean_colour, "a")
    add_vectors(path, lambda files: pytest.fail("computed again"), "a")
    add_vectors(path, lambda files: np.ones((len(files), 4)) / 2, "b")
    ids, vectors, model = load_vectors(path)
    assert model == "b" and vectors.shape == (2, 4) and ids == sorted(ids)
    first, second = PictureSearch(Store.open(path)).search(np.ones(4) / 2, 2)
    assert first.score == second.score == 1.0 and first.image_id < second.image_id, "ties go by id"


def test_a_computation_that_fails_leaves_no_vectors(tmp_path, everything):
    path = str(tmp_path)
    build_store(path, **everything)
    calls = []

    def breaks(files):
        calls.append(files)
        if len(calls) == 2:
            raise RuntimeError("out of memory")
        return np.ones((1, 4))

    with pytest.raises((RuntimeError, OSError), match="out of memory"):
        add_vectors(path, breaks, "a", batch=1)
    with pytest.raises(InputError):
        load_vectors(path)


def test_a_store_without_pictures_needs_no_vectors_and_finds_nothing(tmp_path, everything):
    build_store(str(tmp_path), entities=everything["entities"])
    assert add_vectors(str(tmp_path), mean_colour, "mean-colour") == 0
    assert PictureSearch(Store.open(str(tmp_path))).search(np.ones(4) / 2, 2) == []
