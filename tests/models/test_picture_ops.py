import numpy as np
import pytest
from PIL import Image

from questloom.models import picture_ops as ops
from tests.models.pictures import scene

CORNERS = ((0.08, 0.05), (0.93, 0.1), (0.9, 0.94), (0.03, 0.9))


def error(a: Image.Image, b: Image.Image) -> float:
    b = b.resize(a.size, Image.Resampling.LANCZOS)
    return float(np.abs(np.asarray(a, float) - np.asarray(b, float)).mean())


def strength_of_edges(image: Image.Image) -> float:
    return float(np.abs(np.diff(np.asarray(image.convert("L"), float), axis=1)).mean())


def test_sharpening_makes_edges_of_a_blurred_picture_stronger():
    blurred = ops.blur(scene(1), 3)
    assert strength_of_edges(ops.sharpen(blurred)) > 1.5 * strength_of_edges(blurred)


def test_sharpening_a_flat_picture_has_no_effect():
    assert ops.sharpen(Image.new("RGB", (50, 50), "teal")) is None
    assert ops.sharpen(scene(1), amount=0) is None


def test_super_resolution_restores_the_size_and_stronger_edges_than_interpolation_at_no_larger_error():
    original = scene(2)
    small = ops.down_sample(original, 4)
    enlarged, interpolated = (
        ops.super_resolution(small),
        small.resize(original.size, Image.Resampling.BICUBIC),
    )
    assert small.size == (160, 120)
    assert enlarged.size == original.size
    assert strength_of_edges(enlarged) > 1.1 * strength_of_edges(interpolated)
    assert error(original, enlarged) < 1.03 * error(original, interpolated)


def test_super_resolution_of_a_large_picture_has_no_effect():
    assert ops.super_resolution(scene(2, (1600, 1200))) is None
    assert ops.super_resolution(scene(2), scale=1) is None


@pytest.mark.parametrize("ground", [(58, 62, 68), (232, 226, 214)])
@pytest.mark.parametrize("seed", range(6))
def test_perspective_correction_finds_the_distorted_picture(seed, ground):
    original = scene(seed)
    distorted = ops.distort_perspective(original, CORNERS, ground)
    corrected = ops.perspective_correct(distorted)
    assert corrected is not None
    assert error(original, corrected) < 0.5 * error(original, distorted)


@pytest.mark.parametrize("seed", range(6))
def test_perspective_correction_of_an_upright_picture_has_no_effect(seed):
    assert ops.perspective_correct(scene(seed)) is None


def test_perspective_correction_of_a_flat_or_tiny_picture_has_no_effect():
    assert ops.perspective_correct(Image.new("RGB", (200, 100), "white")) is None
    assert ops.perspective_correct(Image.new("RGB", (1, 1))) is None
