import contextlib
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from questloom.models.picture_file import FORMATS, PictureError, decode, encode
from questloom.records.outcomes import Reason
from tests.models.pictures import file_of, scene

JPEG = file_of(scene(1, (160, 120)))


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and has next to no data."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


def test_a_200_megapixel_picture_is_refused_by_its_header():
    with pytest.raises(PictureError) as caught:
        decode(png_header(20_000, 10_000))
    assert caught.value.reason is Reason.PICTURE_TOO_LARGE


def test_a_header_beyond_pillows_own_limit_is_refused_as_too_large():
    with pytest.raises(PictureError) as caught:
        decode(png_header(60_000, 60_000))
    assert caught.value.reason is Reason.PICTURE_TOO_LARGE


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        JPEG[:400],
        png_header(100, 100),
        b"GIF89a",
    ],
)
def test_what_is_no_whole_picture_is_unreadable(data):
    with pytest.raises(PictureError) as caught:
        decode(data)
    assert caught.value.reason is Reason.PICTURE_UNREADABLE


@pytest.mark.parametrize("kind", ["PPM", "ICO", "TGA", "SGI", "DDS", "JPEG2000", "PCX", "EPS"])
def test_a_format_that_is_not_on_the_list_is_unreadable_though_pillow_knows_it(kind):
    with pytest.raises(PictureError) as caught:
        decode(file_of(scene(1, (64, 48)), kind))
    assert caught.value.reason is Reason.PICTURE_UNREADABLE


@pytest.mark.parametrize("kind", FORMATS)
def test_each_format_on_the_list_is_read(kind):
    assert decode(file_of(scene(1, (64, 48)), kind)).size == (64, 48)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_damaged_bytes_give_a_picture_or_a_picture_error_and_nothing_else(data):
    source = data.draw(
        st.sampled_from(
            [
                JPEG,
                file_of(scene(1, (64, 48)), "PNG"),
                file_of(scene(1, (64, 48)), "WEBP"),
                file_of(scene(1, (64, 48)), "GIF"),
                file_of(scene(1, (64, 48)), "TIFF"),
            ]
        )
    )
    damaged = bytearray(source)
    for place, value in data.draw(
        st.lists(st.tuples(st.integers(0, len(source) - 1), st.integers(0, 255)), max_size=12)
    ):
        damaged[place] = value
    with contextlib.suppress(PictureError):
        assert decode(bytes(damaged), max_pixels=1_000_000).mode == "RGB"


def test_a_picture_of_one_pixel_is_read():
    assert decode(file_of(Image.new("RGB", (1, 1), "red"), "PNG")).size == (1, 1)


def test_exif_orientation_is_applied():
    exif = Image.Exif()
    exif[0x0112] = 6  # rotated by a quarter
    assert decode(file_of(scene(2, (160, 120)), exif=exif)).size == (120, 160)


def test_transparency_is_laid_on_white():
    assert decode(file_of(Image.new("RGBA", (4, 4), (255, 0, 0, 0)), "PNG")).getpixel((0, 0)) == (
        255,
        255,
        255,
    )


def test_a_large_jpeg_is_read_at_a_reduced_scale_that_keeps_the_asked_side():
    image = decode(file_of(scene(3, (2400, 1600))), at_least=256)
    assert 256 <= min(image.size) < 800


def test_encoding_is_the_same_each_time_and_drops_metadata():
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "Holm Point Lighthouse")
    named = decode(file_of(scene(4), "PNG", pnginfo=info))
    named.info["comment"] = b"Holm Point Lighthouse"
    exif = Image.Exif()
    exif[0x010E] = "Holm Point Lighthouse"
    for lossless in (False, True):
        once = encode(named, lossless=lossless)
        assert once == encode(decode(file_of(scene(4), "PNG", exif=exif)), lossless=lossless)
        assert b"Holm" not in once
