"""Picture files out: an RGB picture to the same bytes every time. Files in are `questloom.files.pictures`', at hand here too."""

import io

from PIL import Image

from questloom.files.pictures import FORMATS, MAX_PIXELS, PictureError, decode

__all__ = ["FORMATS", "JPEG_QUALITY", "MAX_PIXELS", "PictureError", "decode", "encode"]

JPEG_QUALITY = 92


def encode(image: Image.Image, *, lossless: bool = False) -> bytes:
    """The picture as JPEG (or PNG), without any metadata; equal pixels give equal bytes.

    Args:
        image: RGB.
        lossless: PNG instead of JPEG.
    """
    out = io.BytesIO()
    clean = Image.frombytes("RGB", image.size, image.convert("RGB").tobytes())
    if lossless:
        clean.save(out, "PNG", compress_level=6)
    else:
        clean.save(out, "JPEG", quality=JPEG_QUALITY, subsampling=0, optimize=False)
    return out.getvalue()
