import random

import numpy as np
import pytest
import torch

from questloom.models.clip import Clip
from questloom.train.small_clip.checkpoint import save, start
from questloom.train.small_clip.examples import words_of
from questloom.train.small_clip.fit import SIDE, _shortened, augment, text_loss, view_loss
from questloom.transforms.pictures.describe import Looks

LIGHT = Looks(
    noun="lighthouse", colours=("red", "white"), materials=("granite",), parts=("three arches",)
)


def units(n: int, d: int = 16, seed: int = 0) -> torch.Tensor:
    return torch.nn.functional.normalize(
        torch.randn(n, d, generator=torch.Generator().manual_seed(seed)), dim=-1
    )


def test_views_of_one_entity_that_agree_cost_less_than_views_that_do_not():
    rows = units(12)
    assert view_loss(torch.cat([rows, rows])) < 0.3 * view_loss(torch.cat([rows, rows.roll(1, 0)]))


def test_texts_that_fit_cost_least_where_they_point_at_all_pictures_that_they_fit():
    texts = torch.eye(2)
    fits = torch.tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    right, wrong = torch.eye(2)[[0, 0, 1]], torch.eye(2)[[0, 1, 1]]
    scale, bias = torch.tensor(40.0), torch.tensor(-20.0)
    # Two pictures share the first text's mass, so the least cost of ranking is ln 2 / 4; that of the pairs is 0.
    assert text_loss(right, texts, fits, scale, bias).item() == pytest.approx(
        np.log(2) / 4, abs=0.01
    )
    assert text_loss(wrong, texts, fits, scale, bias) > 2.0


def test_a_text_that_fits_every_picture_still_has_to_fit_them_well():
    texts, fits, scale, bias = (
        torch.eye(2)[:1],
        torch.ones(1, 2),
        torch.tensor(10.0),
        torch.tensor(-4.0),
    )
    near, far = torch.eye(2)[[0, 0]], torch.eye(2)[[1, 1]]
    assert text_loss(near, texts, fits, scale, bias) < text_loss(far, texts, fits, scale, bias) - 3


def test_a_shortened_description_still_fits_and_a_changed_one_does_not():
    rng = random.Random(1)
    shortened = [_shortened(rng, LIGHT) for _ in range(50)]
    assert all(words_of(s) <= words_of(LIGHT) for s in shortened)
    assert len({s.text() for s in shortened}) > 5
    assert not words_of(Looks(noun="bridge", colours=("red",))) <= words_of(LIGHT)
    assert not words_of(Looks(noun="lighthouse", colours=("blue",))) <= words_of(LIGHT)


def test_augmentation_changes_pixels_within_the_models_range():
    torch.manual_seed(3)
    pixels = torch.randint(0, 256, (5, 128, 128, 3), dtype=torch.uint8)
    first, second = augment(pixels), augment(pixels)
    assert first.shape == (5, 3, SIDE, SIDE)
    assert first.abs().max() <= 2.0
    assert not torch.equal(first, second)


def test_a_saved_checkpoint_is_loaded_with_its_own_words(tmp_path):
    model, tokenizer = start(tmp_path / "tiny", 5)
    save(model, tmp_path / "tiny")
    clip = Clip.load(str(tmp_path / "tiny"))
    with torch.inference_mode():
        expected = torch.nn.functional.normalize(
            model.eval().encode_text(tokenizer(["a red lighthouse"])), dim=-1
        )
    assert (
        np.abs(clip.embed_texts(["a red lighthouse"])[0] - expected[0].numpy()).max() < 5e-3
    )  # weights are kept at half precision
    assert clip.calibration is None
    assert clip.name.startswith("tiny@")


def test_the_same_seed_starts_the_same_model(tmp_path):
    first, second = (
        start(tmp_path / "a", 5)[0].state_dict(),
        start(tmp_path / "b", 5)[0].state_dict(),
    )
    assert all(torch.equal(first[name], second[name]) for name in first)
