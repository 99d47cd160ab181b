"""The image bank: handles, duplicates, hostile files, branches."""

import io

import pytest
from PIL import Image, ImageFilter, ImageOps

from questloom.agent.turns import image_bank
from questloom.agent.turns.image_bank import (
    MAX_FOUND_SIDE,
    MAX_SIDE,
    ImageBank,
    UnknownHandle,
    handle_text,
    parse_handle,
    usable_picture,
)
from questloom.models.picture_file import PictureError, encode
from questloom.models.picture_ops import sharpen, super_resolution
from questloom.records.identity import sha256_hex
from tests.models.pictures import file_of, scene


def filled(*pictures: Image.Image) -> ImageBank:
    bank = ImageBank()
    for picture in pictures:
        bank.add(file_of(picture), origin="task")
    return bank


def test_handles_count_in_order_of_arrival_and_entries_know_where_they_are_from():
    bank = filled(scene(1))
    handle = bank.add(
        file_of(scene(2)),
        origin="image_search",
        call=4,
        url="https://example.org/a.jpg",
        title="A tower",
    )
    part = bank.add(file_of(scene(3)), origin="crop", call=5, parent=handle, box=(0, 10, 500, 1000))
    assert (handle, part) == (1, 2)
    assert [image.handle for image in bank.images] == [0, 1, 2]
    assert (bank.get(1).origin, bank.get(1).call, bank.get(1).url, bank.get(1).title) == (
        "image_search",
        4,
        "https://example.org/a.jpg",
        "A tower",
    )
    assert (bank.get(2).parent, bank.get(2).box) == (1, (0.0, 10.0, 500.0, 1000.0))
    assert (bank.get(0).width, bank.get(0).height, bank.pixels(0).size) == (640, 480, (640, 480))
    assert bank.get(0).sha256 == sha256_hex(bank.data(0)) == sha256_hex(file_of(scene(1)))


@pytest.mark.parametrize(
    ("num", "handle", "says"),
    [
        (0, 0, "the bank is empty"),
        (1, 1, "the only handle is <image:0>"),
        (3, 3, "valid handles are <image:0> to <image:2>"),
        (3, -1, "<image:0> to <image:2>"),
    ],
)
def test_an_unknown_handle_is_an_error_that_lists_the_valid_ones(num, handle, says):
    bank = filled(*(scene(i) for i in range(num)))
    for look in (bank.get, bank.data, bank.pixels):
        with pytest.raises(UnknownHandle, match=says):
            look(handle)


def test_the_same_picture_compressed_again_or_smaller_returns_the_old_handle():
    bank = filled(scene(1), scene(2))
    for again in (
        file_of(scene(2)),
        file_of(scene(2), quality=40),
        file_of(scene(2).resize((320, 240))),
        file_of(scene(2), "PNG"),
        file_of(scene(2), "WEBP"),
    ):
        assert bank.add(again, origin="visit") == 1
    assert len(bank) == 2


def test_a_found_picture_that_shows_more_is_told_to_look_like_the_one_before():
    bank = filled(scene(2), scene(1).filter(ImageFilter.GaussianBlur(3)))
    handles = [bank.add(file_of(scene(number)), origin="visit") for number in (1, 3)]
    assert [bank.like(handle) for handle in handles] == [1, None] and bank.like(0) is None
    assert bank.resembles(1, file_of(scene(1).resize((320, 240)))) and not bank.resembles(
        1, file_of(scene(3))
    )


def test_a_found_picture_that_shows_more_is_new():
    bank = filled(scene(1).filter(ImageFilter.GaussianBlur(3)), scene(2))
    assert bank.add(file_of(scene(1)), origin="image_search") == 2, "sharper"
    assert bank.add(file_of(scene(2).resize((1600, 1200))), origin="image_search") == 3, "larger"


def test_plain_pictures_of_different_colours_are_different():
    bank = filled(Image.new("RGB", (64, 48), "red"))
    assert bank.add(file_of(Image.new("RGB", (64, 48), "navy")), origin="visit") == 1
    assert bank.add(file_of(Image.new("RGB", (64, 48), "red"), "PNG"), origin="visit") == 0


def test_what_a_tool_made_is_new_though_its_hash_is_the_same_unless_its_pixels_are_old():
    bank = filled(scene(1).filter(ImageFilter.GaussianBlur(2)))
    for made in (sharpen(bank.pixels(0)), super_resolution(bank.pixels(0), 2)):
        assert bank.add(encode(made, lossless=True), origin="tool", parent=0) == len(bank) - 1
    assert len(bank) == 3
    mirrored = bank.add(
        encode(ImageOps.mirror(bank.pixels(0)), lossless=True), origin="flip", parent=0
    )
    assert (
        bank.add(
            encode(ImageOps.mirror(bank.pixels(mirrored)), lossless=True),
            origin="flip",
            parent=mirrored,
        )
        == 0
    )


def test_a_bank_put_together_anew_from_its_records_is_the_same():
    bank = filled(scene(1).filter(ImageFilter.GaussianBlur(2)))
    sharp = encode(sharpen(bank.pixels(0)), lossless=True)
    bank.add(sharp, origin="python_interpreter", call=1)
    bank.add(file_of(scene(2), "WEBP"), origin="visit", call=2, url="u")
    bank.add(
        encode(ImageOps.mirror(bank.pixels(2)), lossless=True), origin="flip", parent=2, call=3
    )
    again = ImageBank()
    for image in bank.images:
        assert (
            again.add(
                bank.data(image.handle),
                origin=image.origin,
                call=image.call,
                url=image.url,
                title=image.title,
                parent=image.parent,
                box=image.box,
            )
            == image.handle
        )
    assert again.images == bank.images and len(again) == 4


def test_a_branch_shares_what_was_there_and_nothing_that_comes_later():
    bank = filled(scene(1))
    branch = bank.fork()
    assert branch.data(0) is bank.data(0)
    assert (bank.add(file_of(scene(2)), origin="a"), branch.add(file_of(scene(3)), origin="b")) == (
        1,
        1,
    )
    assert [i.origin for i in bank.images] == ["task", "a"]
    assert [i.origin for i in branch.images] == ["task", "b"]


def test_a_branch_at_an_earlier_turn_has_what_was_there_before_it():
    bank = filled(scene(1))
    for call in (0, 0, 2):
        bank.add(file_of(scene(len(bank) + 1)), origin="visit", call=call)
    assert [len(bank.fork(turn)) for turn in (0, 1, 2, 3)] == [1, 3, 3, 4]
    assert bank.fork(1).images == bank.images[:3] and len(bank) == 4


def test_a_found_picture_is_shown_smaller_than_the_tasks_own_or_one_that_was_made():
    bank = ImageBank()
    task = bank.add(file_of(scene(3).resize((1800, 1350))), origin="task")
    found = bank.add(file_of(scene(4).resize((1500, 2000))), origin="visit")
    made = bank.add(file_of(scene(5).resize((2000, 1500))), origin="super_resolution", parent=found)
    assert [max(bank.get(h).width, bank.get(h).height) for h in (task, found, made)] == [
        1800,
        MAX_FOUND_SIDE,
        2000,
    ]
    assert bank.add(bank.data(found), origin="visit") == found


def test_the_model_is_shown_plain_upright_rgb_files_of_bounded_size_without_metadata():
    bank = ImageBank()
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "secret place"
    for data in (
        file_of(scene(1), exif=exif),
        file_of(scene(2).convert("RGBA"), "PNG"),
        file_of(scene(3).resize((9000, 200))),
        file_of(scene(4), "GIF"),
    ):
        shown = bank.data(bank.add(data, origin="visit"))
        with Image.open(io.BytesIO(shown)) as image:
            assert (
                image.format in ("JPEG", "PNG")
                and image.mode == "RGB"
                and max(image.size) <= MAX_SIDE
                and not image.getexif()
            )
        assert b"secret" not in shown
    assert bank.get(0).width < bank.get(0).height, "the orientation was applied"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no picture",
        file_of(scene(1))[:900],
        file_of(Image.new("RGB", (4, 4))),
        file_of(Image.new("RGB", (3000, 10))),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(id) run\n",
    ],
)
def test_bytes_that_are_no_usable_picture_are_refused(data):
    bank = ImageBank()
    with pytest.raises(PictureError):
        bank.add(data, origin="visit")
    assert len(bank) == 0


def test_a_picture_of_16_bits_is_shown_as_grey_of_8():
    bank = ImageBank()
    ramp = Image.linear_gradient("L").resize((64, 48))
    deep = ramp.convert("I").point(lambda value: value * 257).convert("I;16")
    assert (
        bank.pixels(bank.add(file_of(deep, "PNG"), origin="task")).getextrema()
        == (ramp.getextrema(),) * 3
    )


def test_a_small_file_of_the_web_that_says_it_is_huge_is_not_opened():
    bomb = file_of(Image.new("1", (9_000, 9_000)), "PNG")
    assert len(bomb) < 20_000 and not usable_picture(bomb)
    assert usable_picture(file_of(scene(1)))


@pytest.mark.parametrize(
    ("written", "number"),
    [
        (3, 3),
        ("<image:12>", 12),
        (" <image:0> ", 0),
        ("3", None),
        ("<image:-1>", None),
        (True, None),
        (1.0, None),
        (None, None),
        ([0], None),
        ("<image:0><image:1>", None),
    ],
)
def test_handles_are_read_as_models_write_them(written, number):
    assert parse_handle(written) == number


def test_a_handle_is_read_back_as_it_is_shown():
    assert parse_handle(handle_text(17)) == 17


def test_pictures_whose_hashes_differ_are_not_compared_further(monkeypatch):
    monkeypatch.setattr(image_bank._Details, "of", lambda picture: pytest.fail("needless"))
    bank = filled(scene(101), scene(102))
    assert len(bank) == 2 and bank.like(1) is None


def test_a_made_picture_is_compared_by_its_pixels_only_with_pictures_of_its_size(monkeypatch):
    bank = filled(scene(103))
    part = file_of(scene(103).crop((0, 0, 100, 100)))
    monkeypatch.setattr(image_bank._Details, "of", lambda picture: pytest.fail("needless"))
    assert bank.add(part, origin="crop", parent=0) == 1
