"""Picture files in and out: hostile bytes to an RGB picture, and an RGB picture to the same bytes every time.

Everything that looks at pixels (CLIP, OCR, repair operations, the agent's tools) reads them through `decode`,
so that size caps, EXIF orientation and transparency are treated once.
"""
import io
import struct
import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

from records.outcomes import Reason

MAX_PIXELS = 100_000_000
"""Larger pictures are refused before a pixel is read: 100 megapixels are 300 MB in memory."""
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP")
"""What is read. Pillow knows fifty more: some run outside programs (EPS), most have decoders that nobody has attacked yet."""
JPEG_QUALITY = 92


class PictureError(ValueError):
    """Bytes that are no usable picture. `reason` is what a stage puts into its rejection."""

    def __init__(self, reason: Reason, what: str) -> None:
        super().__init__(what)
        self.reason = reason


def decode(data: bytes, *, at_least: int | None = None, max_pixels: int = MAX_PIXELS) -> Image.Image:
    """An RGB picture of one of `FORMATS`, upright (EXIF orientation applied), transparency laid on white; first frame of an animation.

    Args:
        data: the file's bytes, not trusted.
        at_least: where given, a JPEG may be read at a reduced scale that keeps both sides this many pixels or more
            (libjpeg's draft mode: 22 instead of 66 ms for 3000×2000).
        max_pixels: width × height above which the picture is refused.

    Raises:
        PictureError: no picture, of another format, damaged, or too large.
    """
    try:
        with warnings.catch_warnings():
            # Pillow warns of bombs at its own limit (ours is checked before a pixel is read) and of damage that it then raises.
            warnings.simplefilter("ignore")
            image: Image.Image = Image.open(io.BytesIO(data), formats=FORMATS)
            if image.width * image.height > max_pixels:
                raise PictureError(Reason.PICTURE_TOO_LARGE, f"{image.width}×{image.height} pixels, at most {max_pixels} are read")
            if at_least is not None:
                image.draft("RGB", (at_least, at_least))  # does nothing for other formats
            image = ImageOps.exif_transpose(image)
            if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
                image = image.convert("RGBA")
                image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
            return image.convert("RGB")
    except PictureError:
        raise
    except Image.DecompressionBombError as error:
        raise PictureError(Reason.PICTURE_TOO_LARGE, str(error)) from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, OverflowError, struct.error) as error:
        raise PictureError(Reason.PICTURE_UNREADABLE, f"{type(error).__name__}: {error}"[:300]) from error


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
