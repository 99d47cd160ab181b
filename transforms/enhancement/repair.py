"""Repairs a degraded picture with the tool for its degradation, as the recoverability check
does."""

from PIL import Image, ImageOps

from questloom.models.picture_ops import perspective_correct, sharpen, super_resolution
from questloom.transforms.enhancement.degrade import TURNS, Degradation


def repair(picture: Image.Image, degradation: Degradation) -> Image.Image | None:
    """Repairs the picture with the tool that fits its degradation. The tool has its default
    settings. The result is None if the tool reports "no effect"."""
    match degradation.kind:
        case "blur":
            return sharpen(picture)
        case "down_sampling":
            return super_resolution(picture)
        case "mirrored":
            return ImageOps.flip(picture)
        case kind if kind in TURNS:
            return picture.rotate(-TURNS[kind], expand=True)
        case _:
            return perspective_correct(picture)
