import shutil

import numpy as np
import pytest

from questloom.models.clip import SMALL_CLIP, Clip
from questloom.models.picture_file import PictureError, decode
from questloom.records.errors import InputError
from tests.models.pictures import file_of, scene


@pytest.fixture(scope="module")
def clip() -> Clip:
    return Clip.load("small")


def test_vectors_have_unit_length_and_are_rounded(clip):
    for vectors in (
        clip.embed_pictures([scene(1), scene(2)]),
        clip.embed_texts(["a red lighthouse", "a ship"]),
    ):
        assert vectors.shape == (2, clip.dimension)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=2e-3)
        assert np.array_equal(vectors, np.round(vectors, 4))
        assert not np.signbit(vectors[vectors == 0]).any()


def test_a_vector_does_not_depend_on_neighbours_or_order(clip):
    pictures, texts = [scene(i) for i in range(9)], [f"a ship with {i} masts" for i in range(9)]
    for embed, items in ((clip.embed_pictures, pictures), (clip.embed_texts, texts)):
        together = embed(items)
        assert np.array_equal(together, np.concatenate([embed([item]) for item in items]))
        assert np.array_equal(together[::-1], embed(items[::-1]))


def test_a_file_read_at_a_reduced_scale_lies_next_to_the_full_picture(clip):
    data = file_of(scene(3, (2400, 1800)), quality=90)
    reduced, full, other = clip.embed_pictures([data, decode(data), scene(4)])
    assert reduced @ full > 0.99 > other @ full


def test_no_items_give_no_rows_and_a_long_text_is_cut(clip):
    assert clip.embed_pictures([]).shape == clip.embed_texts([]).shape == (0, clip.dimension)
    assert clip.embed_texts(["a very " * 500 + "red lighthouse", ""]).shape == (2, clip.dimension)


def test_what_is_no_picture_is_a_picture_error(clip):
    with pytest.raises(PictureError):
        clip.embed_pictures([b"nothing"])


def test_a_process_holds_a_checkpoint_once(clip):
    assert Clip.load("small") is clip
    assert clip.calibration is not None
    assert clip.name.startswith("small_clip@") and clip.calibration.model == "small_clip"


@pytest.mark.parametrize("spec", ["", "nowhere", "no/such", "ViT-B-32/no-such-tag", "a/b/c"])
def test_an_unknown_checkpoint_is_an_input_error_that_says_how_to_name_one(spec):
    with pytest.raises(InputError, match="ARCHITECTURE/TAG"):
        Clip.load(spec).embed_texts(["a tower"])


def test_a_checkpoint_folder_with_missing_or_damaged_weights_is_an_input_error(tmp_path):
    folder = tmp_path / "checkpoint"
    shutil.copytree(SMALL_CLIP, folder)
    weights = folder / "open_clip_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(InputError):
        Clip.load(str(folder)).embed_texts(["a tower"])
    weights.unlink()
    with pytest.raises(InputError):
        Clip.load(str(folder) + "/")


def test_the_shipped_checkpoint_is_small(clip):
    assert sum(path.stat().st_size for path in SMALL_CLIP.iterdir()) < 12_000_000
