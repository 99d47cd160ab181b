"""What the picture tools do to pixels."""

import io

import numpy as np
import pytest
from PIL import Image, ImageFilter

from questloom.agent.turns.image_bank import ImageBank
from questloom.models.picture_ops import distort_perspective
from tests.agent.tools.calling import box_with, called
from tests.agent.tools.little_store import sign, source
from tests.models.pictures import file_of


def bank_of(*pictures: Image.Image) -> ImageBank:
    bank = ImageBank()
    for picture in pictures:
        bank.add(file_of(picture, "PNG"), origin="task")
    return bank


def test_a_crop_is_the_part_in_a_frame_of_a_thousand_and_knows_where_it_is_from(call):
    bank = bank_of(source(1))
    result = call("crop", on=bank, handle="<image:0>", box=[250, 0, 750, 500])
    assert (result.status, result.images, result.text) == (
        "ok",
        (1,),
        "Cropped.\nPicture: <image:1>, 160×120 pixels",
    )
    assert np.array_equal(
        np.asarray(bank.pixels(1)), np.asarray(bank.pixels(0).crop((80, 0, 240, 120)))
    )
    made = bank.get(1)
    assert (made.parent, made.box, made.origin, made.call) == (
        0,
        (250.0, 0.0, 750.0, 500.0),
        "crop",
        3,
    )


def test_a_small_crop_is_enlarged_so_that_it_can_be_looked_at(call):
    bank = bank_of(source(1))
    call("crop", on=bank, handle=0, box=[0, 0, 50, 100])
    assert (bank.get(1).width, bank.get(1).height) == (64, 96)


@pytest.mark.parametrize(
    ("name", "rest", "expected"),
    [
        ("rotate", {"angle": 90}, lambda p: p.transpose(Image.Transpose.ROTATE_270)),
        ("rotate", {"angle": -90}, lambda p: p.transpose(Image.Transpose.ROTATE_90)),
        ("flip", {"axis": "horizontal"}, lambda p: p.transpose(Image.Transpose.FLIP_LEFT_RIGHT)),
        ("flip", {"axis": "vertical"}, lambda p: p.transpose(Image.Transpose.FLIP_TOP_BOTTOM)),
    ],
)
def test_turns_and_mirrors_move_every_pixel_where_it_belongs(call, name, rest, expected):
    bank = bank_of(source(1))
    assert call(name, on=bank, handle=0, **rest).images == (1,)
    assert np.array_equal(np.asarray(bank.pixels(1)), np.asarray(expected(bank.pixels(0))))


def test_repairs_bring_a_new_picture_that_is_what_they_say(call):
    bank = bank_of(source(1).filter(ImageFilter.GaussianBlur(2)))
    assert call("sharpen", on=bank, handle=0).images == (1,)
    assert call("super_resolution", on=bank, handle=0, scale=2).images == (2,)

    def edges(handle: int) -> float:
        return float(
            np.abs(np.diff(np.asarray(bank.pixels(handle).convert("L"), dtype=float))).mean()
        )

    assert edges(1) > 1.2 * edges(0) and bank.pixels(2).size == (640, 480)


def test_a_distorted_sign_is_set_upright(call):
    bank = bank_of(
        distort_perspective(
            sign(), ((0.15, 0.2), (0.8, 0.1), (0.9, 0.85), (0.1, 0.75)), (20, 20, 60)
        )
    )
    result = call("perspective_correct", on=bank, handle=0)
    assert result.images == (1,) and result.code == ""


def test_text_is_read_with_boxes_in_the_frame_of_a_thousand(call):
    result = call("layout_parsing", on=bank_of(sign()), handle=0)
    line = next(line for line in result.text.splitlines() if "1871" in line)
    left, top, right, bottom = (float(x) for x in line[1 : line.index("]")].split(","))
    assert (
        result.status == "ok"
        and "MERREN" in line
        and 130 < left < 230 < right < 800
        and 330 < top < bottom < 600
    )


def test_an_operation_done_twice_gives_the_old_handle(call):
    bank = bank_of(source(1))
    first, second = (
        call("flip", on=bank, handle=0, axis="vertical"),
        call("flip", on=bank, handle=0, axis="vertical"),
    )
    assert first.images == second.images == (1,) and (first.cached, second.cached) == (False, True)
    assert call("flip", on=bank, handle=1, axis="vertical").images == (0,), (
        "mirrored back it is the first picture"
    )


def test_the_cache_goes_by_what_the_picture_is_and_not_by_its_handle(box):
    one, other = bank_of(source(1)), bank_of(source(2), source(1))
    first = called(box, one, "rotate", {"handle": 0, "angle": 45})
    wrong = called(box, other, "rotate", {"handle": 0, "angle": 45})
    same = called(box, other, "rotate", {"handle": 1, "angle": 45})
    assert (first.cached, wrong.cached, same.cached) == (False, False, True)
    assert (same.images, other.get(3).parent) == ((3,), 1) and other.get(3).sha256 == one.get(
        1
    ).sha256


def test_nothing_is_cached_where_the_cache_is_off_and_faults_never_are(provider):
    bank, box = bank_of(source(1)), box_with(provider, cache_bytes=0)
    assert [called(box, bank, "rotate", {"handle": 0, "angle": 45}).cached for _ in range(2)] == [
        False,
        False,
    ]
    cached = box_with(provider)
    assert [
        called(cached, bank, "crop", {"handle": 9, "box": [0, 0, 9, 9]}).cached for _ in range(2)
    ] == [False, False]


def test_the_cache_holds_no_more_than_its_bytes(provider):
    box = box_with(provider, cache_bytes=400_000)
    bank = bank_of(source(1))
    for angle in range(1, 20):
        called(box, bank, "rotate", {"handle": 0, "angle": angle})
    assert (
        box._cache._num_bytes <= 400_000
        and not called(box, bank, "rotate", {"handle": 0, "angle": 1}).cached
    )


def test_figures_of_python_are_made_pictures(provider, sandbox):
    bank = bank_of(source(1))
    result = called(
        box_with(provider, sandbox),
        bank,
        "python_interpreter",
        {
            "code": "from PIL import ImageEnhance\nImageEnhance.Sharpness(images[0]).enhance(3).save('figures/a.png')\nprint('<b>done</b>')"
        },
    )
    assert result.status == "ok" and result.images == (1,), (
        "it looks the same, and is new all the same"
    )
    assert (
        result.text == "stdout:\n<b>done</b>\nPicture: <image:1>, 320×240 pixels"
        and bank.get(1).origin == "python_interpreter"
    )
    with Image.open(io.BytesIO(bank.data(1))) as image:
        assert image.size == (320, 240)
