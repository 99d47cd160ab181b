"""Inspects an untrusted picture file: returns kind, size and hash, or the reason why the file is refused."""

from typing import NamedTuple

import imagehash
from PIL import Image

from questloom.files.pictures import (
    PictureError,
    as_shown,
    is_animation,
    kind_of,
    open_lazily,
    shown_size,
)
from questloom.records.outcomes import Reason

MAX_BYTES = 100 << 20
MIN_SIDE = 2
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF")
_HASH_SIDE = 256
"""The approximate size at which JPEGs are decoded for the hash; decoding the whole picture would
take five times as long."""


class PictureFacts(NamedTuple):
    """What the bytes of a picture show: kind, size and hash."""

    mime: str
    width: int
    height: int
    """Width and height are in pixels, after the rotation that the EXIF orientation asks for."""
    perceptual_hash: str
    """64-bit DCT hash (imagehash.phash), 16 hex digits."""


class Refusal(NamedTuple):
    """The reason why the bytes are not a usable picture."""

    reason: Reason
    evidence: str


def inspect_picture(data: bytes) -> PictureFacts | Refusal:
    """Reads kind and size from the header of the picture file, then decodes the whole picture once.
    Decoding the picture gives the hash, and shows whether data are missing."""
    if len(data) > MAX_BYTES:
        return Refusal(Reason.PICTURE_TOO_LARGE, f"{len(data):,} bytes")
    if _is_svg(data):
        return Refusal(Reason.PICTURE_KIND, "image/svg+xml")
    try:
        with open_lazily(data) as picture:
            kind, (width, height) = kind_of(picture), shown_size(picture)
            if kind not in _FORMATS:
                return Refusal(
                    Reason.PICTURE_UNREADABLE, f"{kind}, not one of {', '.join(_FORMATS)}"
                )
            if min(width, height) < MIN_SIDE:
                return Refusal(Reason.PICTURE_TOO_SMALL, f"{width}x{height}")
            if is_animation(picture):
                return Refusal(Reason.PICTURE_KIND, f"{Image.MIME[kind]}, several frames")
            bits = imagehash.phash(as_shown(picture, at_least=_HASH_SIDE))
            return PictureFacts(Image.MIME[kind], width, height, str(bits))
    except PictureError as error:
        return Refusal(error.reason, str(error)[:200])


def _is_svg(data: bytes) -> bool:
    head = data[:1024].lstrip()
    return head.startswith((b"<?xml", b"<svg", b"<!--", b"<!DOCTYPE svg")) and (
        b"<svg" in data[:65536]
    )
