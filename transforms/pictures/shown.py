"""Converts a stored picture to the form that the policy sees: upright RGB without metadata, named
by the hash of its bytes."""

from dataclasses import dataclass

from PIL import Image

from questloom.models.picture_file import decode, encode
from questloom.records.identity import sha256_hex

MAX_SIDE = 2048


@dataclass(frozen=True)
class ShownPicture:
    """A picture ready for the data set. `id` is the sha256 of `data` and reveals nothing; `data` is JPEG."""

    id: str
    data: bytes
    width: int
    height: int


def shown(picture: bytes | Image.Image, *, max_side: int = MAX_SIDE) -> ShownPicture:
    """Re-encodes a picture. The same input gives the same bytes; EXIF, XMP, comment and colour
    profile are removed.

    Args:
        picture: the bytes of a file, or RGB pixels.
        max_side: the longest side in pixels; a larger picture is scaled down.

    Raises:
        PictureError: the bytes are not a picture.
    """
    image = decode(picture) if isinstance(picture, bytes) else picture
    if max(image.size) > max_side:
        scale = max_side / max(image.size)
        image = image.resize(
            (max(1, round(image.width * scale)), max(1, round(image.height * scale))),
            Image.Resampling.LANCZOS,
        )
    data = encode(image)
    return ShownPicture(id=sha256_hex(data), data=data, width=image.width, height=image.height)
