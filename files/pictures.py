"""Decodes picture files: turns bytes that are not trusted into the RGB picture that a viewer shows.

All code that needs pixels uses `decode`: ingest, perceptual hashes, CLIP, OCR, tools, export and
reports. Size limits, bit depth, colour profiles, EXIF orientation and transparency are therefore
handled in only one place.
"""

import contextlib
import functools
import io
import struct
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from PIL import ExifTags, Image, ImageCms, ImageOps, UnidentifiedImageError

from questloom.records.outcomes import Reason

MAX_PIXELS = 100_000_000
"""Maximum number of pixels in a picture. A larger picture is refused before its pixels are read. (A
picture of 100 megapixels takes 300 MB of memory.)
"""
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP")
"""The picture formats that `decode` reads. Pillow knows fifty further formats. Some formats start
other programs (EPS), and most have decoders that are little tested.
"""
_ANIMATED_FORMATS = ("PNG", "WEBP", "GIF")
_SAMPLE = Image.fromarray(
    np.stack(np.meshgrid(*[np.arange(0, 256, 51)] * 3), -1).reshape(1, -1, 3).astype(np.uint8)
)
"""A sample picture of 216 evenly spread colours."""
_TIFF_BITS, _TIFF_PHOTOMETRIC, _TIFF_SAMPLE_FORMAT = 258, 262, 339
_TURNED = (5, 6, 7, 8)
"""The EXIF orientations that swap a picture's width and height."""


class PictureError(ValueError):
    """The error for bytes that cannot be used as a picture. When a stage rejects a picture, it
    stores the error's `reason`.
    """

    def __init__(self, reason: Reason, what: str) -> None:
        super().__init__(what)
        self.reason = reason


@contextlib.contextmanager
def open_lazily(data: bytes, *, max_pixels: int = MAX_PIXELS) -> Iterator[Image.Image]:
    """Opens a picture file, and reads only the header of the file. If the file is damaged after its
    header, a PictureError is raised later.

    Args:
        data: bytes of the file, which are not trusted.
        max_pixels: maximum number of pixels.

    Raises: PictureError: the bytes are not a picture, are in another format, are damaged, or have
        too many pixels.
    """
    try:
        # Pillow warns of bombs at its own limit (this module checks its limit before a pixel is
        # read), and of damage that it raises anyway.
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(data), formats=FORMATS) as image,
        ):
            if image.width * image.height > max_pixels:
                what = f"{image.width}×{image.height} pixels, at most {max_pixels} are read"
                raise PictureError(Reason.PICTURE_TOO_LARGE, what)
            yield image
    except PictureError:
        raise
    except Image.DecompressionBombError as error:
        raise PictureError(Reason.PICTURE_TOO_LARGE, str(error)) from error
    except UnidentifiedImageError as error:
        raise PictureError(
            Reason.PICTURE_UNREADABLE, "no picture" if data else "an empty file"
        ) from error
    except (
        OSError,
        SyntaxError,
        ValueError,
        TypeError,
        EOFError,
        OverflowError,
        struct.error,
    ) as error:  # Pillow's errors for damaged files
        raise PictureError(
            Reason.PICTURE_UNREADABLE, f"{type(error).__name__}: {error}"[:300]
        ) from error


def decode(
    data: bytes, *, at_least: int | None = None, max_pixels: int = MAX_PIXELS
) -> Image.Image:
    """Decodes a file to the RGB picture that a viewer would show (see `as_shown`). For an
    animation, the result is the first frame.

    Args:
        data: bytes of the file, which are not trusted.
        at_least: see `as_shown`.
        max_pixels: maximum number of pixels.

    Raises: PictureError: the bytes are not a picture, are in another format, are damaged, or have
        too many pixels.
    """
    with open_lazily(data, max_pixels=max_pixels) as image:
        return as_shown(image, at_least=at_least)


def kind_of(image: Image.Image) -> str:
    """The name of an opened picture's format, as in `FORMATS`. A JPEG file that contains a second
    picture (MPO) counts as a JPEG.

    >>> kind_of(Image.new("RGB", (1, 1)))
    ''
    """
    return "JPEG" if image.format == "MPO" else image.format or ""


def is_animation(image: Image.Image) -> bool:
    """Whether an opened picture is an animation. Several pictures in a JPEG or TIFF file are not an
    animation; the first picture is used.
    """
    return kind_of(image) in _ANIMATED_FORMATS and bool(getattr(image, "is_animated", False))


def shown_size(image: Image.Image) -> tuple[int, int]:
    """The size of an opened picture after the picture is turned upright, as (width, height) in
    pixels.
    """
    turned = (
        kind_of(image) != "TIFF" and _orientation(image) in _TURNED
    )  # Pillow gives a TIFF's size upright already
    return (image.height, image.width) if turned else image.size


def as_shown(image: Image.Image, *, at_least: int | None = None) -> Image.Image:
    """Converts a picture of any Pillow mode to 8-bit RGB. The result is upright, in sRGB according
    to the picture's profile, and white where the picture is transparent.

    In 16-bit pictures, the full range of values becomes black to white. For 32-bit values (integers
    or floating point), no convention says which value is white. The function takes the lowest of
    three numbers that no value in the picture exceeds: 1 (for floating point only), 255 or 65535.
    If a value is negative or above 65535, the lowest value becomes black and the highest becomes
    white.

    Args:
        image: a picture that was opened from a file or made by code; `as_shown` may rotate this
            object itself.
        at_least: minimum length in pixels of both sides. With `at_least`, a JPEG may be decoded at
            a reduced scale (libjpeg's draft mode). Decoding 3000×2000 pixels takes 22 ms at the
            reduced scale, and 66 ms at the full scale.
    """
    if at_least is not None:
        image.draft("RGB", (at_least, at_least))  # does nothing for other formats
    image.load()
    if _orientation(image) != 1:
        ImageOps.exif_transpose(image, in_place=True)
    profile = image.info.get("icc_profile")
    pixels, alpha = _in_eight_bits(image)
    transform = _to_srgb(profile, pixels.mode) if profile else None
    pixels = pixels.convert("RGB") if transform is None else transform.apply(pixels)
    return (
        pixels
        if alpha is None
        else Image.composite(pixels, Image.new("RGB", pixels.size, "white"), alpha)
    )


def _orientation(image: Image.Image) -> int:
    """Returns the EXIF orientation of the picture. As in picture viewers, a missing or unreadable
    orientation counts as 1 (upright).
    """
    try:
        found = image.getexif().get(ExifTags.Base.Orientation, 1)
    except (
        OSError,
        SyntaxError,
        TypeError,
        ValueError,
        EOFError,
        OverflowError,
        struct.error,
        KeyError,
        IndexError,
    ):
        return 1
    return found if found in range(2, 9) else 1


def _in_eight_bits(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """Returns the picture (mode L, RGB or CMYK) and its alpha channel (mode L, or None)."""
    mode, key = image.mode, image.info.get("transparency")
    if mode in ("I", "F") or mode.startswith("I;16"):
        values = np.asarray(image)
        grey = Image.fromarray(_grey(values, image))
        return grey, None if key is None else Image.fromarray(
            np.where(values == key, 0, 255).astype(np.uint8)
        )
    if mode == "RGB" and isinstance(key, tuple) and max(key) > 255:
        # The transparency key of a 16-bit file; Pillow gives the upper 8 bits of its pixels.
        image.info["transparency"] = tuple(each >> 8 for each in key)
    if mode in ("RGBa", "La"):
        image = image.convert(mode.upper())
    elif mode == "PA" or (mode in ("1", "L", "P", "RGB") and key is not None):
        image = image.convert("RGBA")
    if image.mode in ("RGBA", "LA"):
        return image.convert(image.mode[:-1]), image.getchannel("A")
    if mode == "1":
        return image.convert("L"), None
    return image if mode in ("L", "RGB", "CMYK") else image.convert("RGB"), None


def _grey(values: np.ndarray, image: Image.Image) -> np.ndarray:
    """Converts 16-bit or 32-bit values to 8-bit grey."""
    tags: Any = getattr(image, "tag_v2", {})
    if values.dtype.itemsize == 2:
        bits = tags.get(_TIFF_BITS, (16,))[0]  # 12 in some TIFF files
        grey = np.rint(np.minimum(np.arange(1 << 16) / ((1 << bits) - 1), 1) * 255).astype(
            np.uint8
        )[values]
    else:
        if tags.get(_TIFF_SAMPLE_FORMAT, (2,))[0] == 1:
            values = values.view(np.uint32)
        values = np.nan_to_num(
            values.astype(np.float32), copy=False, nan=0.0, posinf=0.0, neginf=0.0
        )
        low, high = float(values.min()), float(values.max())
        conventions = (1.0, 255.0, 65535.0) if image.mode == "F" else (255.0, 65535.0)
        white = next((top for top in conventions if high <= top), None) if low >= 0 else None
        black, white = (low, high) if white is None else (0.0, white)
        values -= black
        values *= 255 / (white - black or 1)
        grey = np.rint(values, out=values).astype(np.uint8)
    return 255 - grey if tags.get(_TIFF_PHOTOMETRIC) == 0 else grey  # white is zero


@functools.lru_cache(maxsize=64)
def _to_srgb(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    """Returns the conversion from a picture's colours to sRGB. Returns None if no conversion is
    needed.

    As in picture viewers, a damaged profile is ignored, and so is a profile that does not fit the
    colours of the pixels. Most profiles are sRGB under another name. Converting from them would
    change nothing and take 70 ms per megapixel.
    """
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        transform = ImageCms.buildTransform(source, ImageCms.createProfile("sRGB"), mode, "RGB")
        if mode == "RGB":
            changes = np.abs(np.asarray(_SAMPLE, np.int16) - np.asarray(transform.apply(_SAMPLE)))
            return transform if changes.max() > 1 else None
        return transform
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None
