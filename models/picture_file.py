"""Encodes pictures as files: equal pixels give equal bytes every time.

`questloom.files.pictures` reads picture files, and this module exports its functions too.
"""

import io

from PIL import Image

from questloom.files.pictures import FORMATS, MAX_PIXELS, PictureError, decode

__all__ = ["FORMATS", "JPEG_QUALITY", "MAX_PIXELS", "PictureError", "decode", "encode"]

JPEG_QUALITY = 92


def encode(image: Image.Image, *, lossless: bool = False) -> bytes:
    """Encodes the picture as JPEG (or PNG) without metadata; equal pixels give equal bytes.

    Args:
        image: an RGB picture.
        lossless: writes PNG instead of JPEG.
    """
    out = io.BytesIO()
    clean = Image.frombytes("RGB", image.size, image.convert("RGB").tobytes())
    if lossless:
        clean.save(out, "PNG", compress_level=6)
    else:
        clean.save(out, "JPEG", quality=JPEG_QUALITY, subsampling=0, optimize=False)
    return out.getvalue()
