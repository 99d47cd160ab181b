"""Every mode that Pillow reads is decoded to what a viewer shows."""

import struct
from io import BytesIO
from pathlib import Path

import imagehash
import numpy as np
import pytest
from PIL import Image, ImageCms

from questloom.files import pictures
from questloom.files.pictures import (
    as_shown,
    decode,
    is_animation,
    kind_of,
    open_lazily,
    shown_size,
)
from tests.files.icc_profiles import (
    ADOBE_RGB,
    DISPLAY_P3,
    SRGB,
    grey_profile,
    ink_profile,
    rgb_profile,
)
from tests.models.pictures import file_of, scene

ROOT = Path(__file__).resolve().parents[2]
RAMP = np.linspace(0, 1, 64 * 48).reshape(48, 64)
"""From black to white, line by line."""
COLOUR = (100, 200, 50)


def _shown_ramp(image: Image.Image, kind: str) -> np.ndarray:
    shown = np.asarray(decode(file_of(image, kind)))
    assert (shown[..., 0] == shown[..., 1]).all()
    assert (shown[..., 1] == shown[..., 2]).all()
    return shown[..., 0]


def _tiff(values: np.ndarray, bits: int, *, photometric: int = 1, sample_format: int = 1) -> bytes:
    """An uncompressed grey TIFF with one strip, of what Pillow reads and does not write."""
    height, width = values.shape
    if bits == 12:  # two values in three bytes
        pairs = values.reshape(-1, 2).astype(np.uint32)
        data = b"".join(struct.pack(">I", int(a) << 12 | int(b))[1:] for a, b in pairs)
    else:
        data = values.tobytes()
    fields = {
        256: width,
        257: height,
        258: bits,
        259: 1,
        262: photometric,
        273: 8,
        277: 1,
        278: height,
        279: len(data),
        339: sample_format,
    }
    table = (
        struct.pack("<H", len(fields))
        + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in fields.items())
        + b"\0\0\0\0"
    )
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + table


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_grey_of_16_bits_is_scaled_and_not_cut_off(kind):
    shown = _shown_ramp(Image.fromarray((RAMP * 65535).astype(np.uint16)), kind)
    assert np.abs(shown - RAMP * 255).max() <= 1


def test_grey_of_16_bits_is_read_in_either_order_of_bytes():
    image = Image.frombytes("I;16B", (64, 48), (RAMP * 65535).astype(">u2").tobytes())
    assert np.abs(_shown_ramp(image, "TIFF") - RAMP * 255).max() <= 1
    assert np.abs(np.asarray(as_shown(image))[..., 0] - RAMP * 255).max() <= 1


def test_grey_of_12_bits_is_white_at_its_own_largest_value():
    assert (
        np.abs(
            np.asarray(decode(_tiff((RAMP * 4095).astype(np.uint16), 12)))[..., 0] - RAMP * 255
        ).max()
        <= 1
    )


@pytest.mark.parametrize(
    ("values", "bits", "sample_format"),
    [((RAMP * 65535).astype("<u2"), 16, 1), (RAMP.astype("<f4"), 32, 3)],
    ids=["16", "32"],
)
def test_a_tiff_whose_zero_is_white_is_turned_round(values, bits, sample_format):
    shown = decode(_tiff(values, bits, photometric=0, sample_format=sample_format))
    assert np.abs(np.asarray(shown)[..., 0] - (1 - RAMP) * 255).max() <= 1


@pytest.mark.parametrize(
    "values",
    [
        (RAMP * 255).astype(np.int32),
        (RAMP * 65535).astype(np.int32),
        (RAMP * 2_000_000_000).astype(np.int32),
        (RAMP * 4000 - 2000).astype(np.int32),
        RAMP.astype(np.float32),
        (RAMP * 255).astype(np.float32),
        (RAMP * 65535).astype(np.float32),
        (RAMP * 3e9).astype(np.float32),
        (RAMP - 0.5).astype(np.float32),
    ],
    ids=[
        "whole255",
        "whole65535",
        "whole2e9",
        "whole-signed",
        "real1",
        "real255",
        "real65535",
        "real3e9",
        "real-signed",
    ],
)
def test_32_bits_are_scaled_by_the_convention_that_fits_or_by_their_own_range(values):
    assert np.abs(_shown_ramp(Image.fromarray(values), "TIFF") - RAMP * 255).max() <= 1


def test_a_dark_picture_of_32_bits_stays_dark_and_unsigned_values_are_no_negative_ones():
    assert _shown_ramp(Image.fromarray((RAMP * 0.2).astype(np.float32)), "TIFF").max() == 51
    values = np.full((4, 4), 3_000_000_000, "<u4")
    values[0, 0] = 0
    assert np.asarray(decode(_tiff(values, 32)))[..., 0].tolist()[0] == [0, 255, 255, 255]


def test_values_that_are_no_numbers_are_black():
    values = RAMP.astype(np.float32)
    values[0, :3] = np.nan, np.inf, -np.inf
    assert _shown_ramp(Image.fromarray(values), "TIFF")[0, :3].tolist() == [0, 0, 0]


def test_a_picture_of_32_bits_of_one_value_is_read():
    assert decode(file_of(Image.new("I", (4, 4), 100_000), "TIFF")).size == (4, 4)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "BMP", "GIF"])
def test_black_and_white_is_black_and_white(kind):
    shown = _shown_ramp(Image.fromarray(RAMP > 0.5), kind)
    assert set(np.unique(shown)) == {0, 255}


@pytest.mark.parametrize(
    ("mode", "pixel", "shown"),
    [
        ("RGBA", (200, 100, 0, 128), (227, 177, 127)),
        ("LA", (200, 128), (227, 227, 227)),
        ("RGBa", (100, 50, 0, 128), (227, 177, 127)),
        ("La", (100, 128), (227, 227, 227)),
        ("RGBX", (200, 100, 0, 7), (200, 100, 0)),
        ("HSV", (0, 255, 200), (200, 0, 0)),
        ("YCbCr", (200, 128, 128), (200, 200, 200)),
        ("CMYK", (0, 255, 255, 0), (255, 0, 0)),
        ("1", 1, (255, 255, 255)),
    ],
)
def test_a_mode_is_shown_as_its_colours_say_on_white(mode, pixel, shown):
    assert as_shown(Image.new(mode, (3, 3), pixel)).getpixel((1, 1)) == shown


def _palette(image: Image.Image) -> Image.Image:
    image.putpalette([0, 0, 0, 200, 100, 0, 0, 0, 255])
    return image


def test_a_palette_is_laid_on_white_by_the_alpha_of_each_entry_or_by_its_clear_one():
    image = _palette(Image.new("P", (4, 4), 1))
    assert decode(file_of(image, "PNG")).getpixel((1, 1)) == (200, 100, 0)
    assert decode(file_of(image, "PNG", transparency=b"\xff\x80")).getpixel((1, 1)) == (
        227,
        177,
        127,
    )
    assert decode(file_of(image, "GIF", transparency=1)).getpixel((1, 1)) == (255, 255, 255)
    assert decode(file_of(image, "GIF", transparency=2)).getpixel((1, 1)) == (200, 100, 0)
    assert as_shown(_palette(Image.new("PA", (4, 4), (1, 128)))).getpixel((1, 1)) == (227, 177, 127)


@pytest.mark.parametrize(
    ("image", "key"),
    [
        (Image.new("L", (4, 4), 77), 77),
        (Image.new("1", (4, 4), 1), 1),
        (Image.new("1", (4, 4), 0), 0),
        (Image.new("RGB", (4, 4), (1, 2, 3)), (1, 2, 3)),
        (Image.fromarray(np.full((4, 4), 500, np.uint16)), 500),
    ],
    ids=["L", "white", "black", "RGB", "I;16"],
)
def test_the_one_value_that_a_png_names_as_clear_is_clear(image, key):
    assert decode(file_of(image, "PNG", transparency=key)).getpixel((1, 1)) == (255, 255, 255)


def test_a_clear_colour_of_16_bits_is_met_in_its_upper_8():
    image = Image.new("RGB", (4, 4), (1, 2, 3))
    image.info["transparency"] = (0x0101, 0x0202, 0x0303)
    assert as_shown(image).getpixel((1, 1)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("primaries", "expected"), [(ADOBE_RGB, (0, 201, 12)), (DISPLAY_P3, (43, 204, 0))]
)
@pytest.mark.parametrize("kind", ["PNG", "TIFF", "JPEG", "WEBP"])
def test_colours_of_an_embedded_profile_become_srgb(primaries, expected, kind):
    options = {"JPEG": {"quality": 100, "subsampling": 0}, "WEBP": {"lossless": True}}.get(kind, {})
    shown = decode(
        file_of(
            Image.new("RGB", (8, 8), COLOUR),
            kind,
            icc_profile=rgb_profile(primaries, 2.2),
            **options,
        )
    )
    assert np.abs(np.subtract(shown.getpixel((4, 4)), expected)).max() <= 3


def test_a_profile_counts_for_palettes_and_with_transparency_too():
    profile, opaque = rgb_profile(ADOBE_RGB, 2.2), Image.new("RGB", (8, 8), COLOUR)
    expected = decode(file_of(opaque, "PNG", icc_profile=profile)).getpixel((4, 4))
    palette = Image.new("P", (8, 8), 0)
    palette.putpalette([*COLOUR])
    clear = opaque.convert("RGBA")
    clear.putpixel((0, 0), (*COLOUR, 0))
    for image in (palette, clear):
        assert decode(file_of(image, "PNG", icc_profile=profile)).getpixel((4, 4)) == expected
    assert decode(file_of(clear, "PNG", icc_profile=profile)).getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize(
    "image",
    [
        Image.new("L", (8, 8), 128),
        Image.new("LA", (8, 8), (128, 255)),
        Image.fromarray(np.full((8, 8), 128 * 257, np.uint16)),
    ],
    ids=["L", "LA", "I;16"],
)
def test_grey_of_an_embedded_profile_becomes_srgb(image):
    assert decode(file_of(image, "PNG", icc_profile=grey_profile(1.0))).getpixel((4, 4)) == (
        188,
        188,
        188,
    )


@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_inks_are_mixed_as_their_profile_says_or_else_plainly(kind):
    """A JPEG holds them turned round, as Adobe writes them; a TIFF does not."""
    options = {"quality": 100} if kind == "JPEG" else {}
    cyan = Image.new("CMYK", (8, 8), (255, 0, 0, 0))
    assert decode(file_of(cyan, kind, **options)).getpixel((4, 4)) == (0, 255, 255)
    assert decode(file_of(Image.new("CMYK", (8, 8), (0, 0, 0, 255)), kind, **options)).getpixel(
        (4, 4)
    ) == (0, 0, 0)
    green_for_cyan = ink_profile({(1, 0, 0, 0): (60, -60, 60)})
    red, green, blue = decode(file_of(cyan, kind, icc_profile=green_for_cyan, **options)).getpixel(
        (4, 4)
    )
    assert green > red + 100
    assert green > blue + 100


def test_lightness_and_opponent_colours_are_read():
    lab = ImageCms.profileToProfile(
        Image.new("RGB", (8, 8), COLOUR),
        ImageCms.createProfile("sRGB"),
        ImageCms.createProfile("LAB"),
        outputMode="LAB",
    )
    for shown in (as_shown(lab), decode(file_of(lab, "TIFF"))):
        assert np.abs(np.subtract(shown.getpixel((4, 4)), COLOUR)).max() <= 2


@pytest.mark.parametrize(
    "profile",
    [b"no profile", rgb_profile(ADOBE_RGB, 2.2)[:200], grey_profile(1.0), ink_profile({})],
    ids=["text", "cut", "grey", "ink"],
)
def test_a_profile_that_is_damaged_or_of_other_colours_is_ignored(profile):
    assert (
        decode(file_of(Image.new("RGB", (8, 8), COLOUR), "PNG", icc_profile=profile)).getpixel(
            (4, 4)
        )
        == COLOUR
    )


def test_a_profile_of_colours_is_ignored_where_the_pixels_are_grey():
    profile = rgb_profile(ADOBE_RGB, 1.0)
    for kind in ("PNG", "JPEG", "TIFF"):
        assert decode(file_of(Image.new("L", (8, 8), 128), kind, icc_profile=profile)).getpixel(
            (4, 4)
        ) == (128, 128, 128)


def test_a_profile_that_is_srgb_changes_no_pixel():
    plain = decode(file_of(scene(1, (64, 48)), "PNG"))
    own = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    assert pictures._to_srgb(own, "RGB") is None, "no time is spent on it"
    assert decode(file_of(scene(1, (64, 48)), "PNG", icc_profile=own)).tobytes() == plain.tobytes()
    assert (
        decode(file_of(scene(1, (64, 48)), "PNG", icc_profile=rgb_profile(SRGB, 1.8))).tobytes()
        != plain.tobytes()
    )


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("number", range(1, 9))
def test_a_picture_is_shown_upright_and_its_size_is_told_so(kind, number):
    exif, upright = Image.Exif(), Image.new("RGB", (40, 24), "white")
    exif[0x0112] = number
    upright.paste("red", (0, 0, 20, 12))
    stored = {2: (0,), 3: (3,), 4: (1,), 5: (5,), 6: (2,), 7: (6,), 8: (4,)}.get(
        number, ()
    )  # the turn that undoes it: Pillow's numbers
    for turn in stored:
        upright_as_stored = upright.transpose(Image.Transpose(turn))
    data = file_of(
        upright_as_stored if stored else upright,
        kind,
        exif=exif,
        **({"lossless": True} if kind == "WEBP" else {}),
    )
    shown = decode(data)
    assert shown.size == (40, 24)
    assert np.abs(np.subtract(shown.getpixel((4, 4)), (255, 0, 0))).max() < 20
    assert min(shown.getpixel((36, 20))) > 235
    with open_lazily(data) as image:
        assert shown_size(image) == (40, 24)


@pytest.mark.parametrize(
    "exif",
    [
        b"Exif\0\0",
        b"Exif\0\0XX*\0\0\0\0\x08",
        b"Exif\0\0II*\0\xff\xff\xff\x7f",
        b"Exif\0\0MM\0*\0\0\0\x08\0\x05\x01\x12\0\x03",
    ],
)
def test_exif_data_that_cannot_be_read_hide_no_picture(exif):
    assert decode(file_of(scene(1, (64, 48)), exif=exif)).size == (64, 48)


def _several(kind: str, **options) -> bytes:
    out = BytesIO()
    frames = [scene(number, (160, 120)) for number in (1, 2)]
    frames[0].save(out, kind, save_all=True, append_images=frames[1:], **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "name", "moves"),
    [
        ("MPO", "JPEG", False),
        ("TIFF", "TIFF", False),
        ("GIF", "GIF", True),
        ("PNG", "PNG", True),
        ("WEBP", "WEBP", True),
    ],
)
def test_a_still_that_carries_a_second_picture_is_a_still_and_an_animation_is_none(
    kind, name, moves
):
    data = _several(kind)
    with open_lazily(data) as image:
        assert (kind_of(image), is_animation(image)) == (name, moves)
    first = imagehash.phash(decode(data)) - imagehash.phash(scene(1, (160, 120)))
    assert first <= 4


def test_a_still_in_a_format_that_may_move_is_a_still():
    for kind in ("GIF", "PNG", "WEBP"):
        with open_lazily(file_of(scene(1, (64, 48)), kind)) as image:
            assert not is_animation(image)


def test_a_jpeg_with_a_preview_in_its_exif_data_is_the_large_one():
    preview, exif = file_of(scene(2, (160, 120))), Image.Exif()
    ifd = exif.get_ifd(0x8769)
    ifd[0x927C] = preview
    with open_lazily(file_of(scene(1, (320, 240)), exif=exif) + preview) as image:
        assert (kind_of(image), is_animation(image), shown_size(image)) == (
            "JPEG",
            False,
            (320, 240),
        )


def test_pictures_are_opened_in_one_place_and_in_the_sandbox_which_is_given_plain_ones():
    packages = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    found = {
        str(path.relative_to(ROOT))
        for package in packages
        for path in package.rglob("*.py")
        if "Image.open(" in path.read_text(encoding="utf-8")
    }
    assert found == {"files/pictures.py", "agent/sandbox/runner.py"}
