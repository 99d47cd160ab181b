"""The tool that a degradation is paired with, at the settings with which recoverability is checked."""

from PIL import Image, ImageOps

from questloom.models.picture_ops import perspective_correct, sharpen, super_resolution
from questloom.transforms.enhancement.degrade import TURNS, Degradation


def repair(picture: Image.Image, degradation: Degradation) -> Image.Image | None:
    """The picture after its paired tool, called as a policy would: with the tool's defaults. None for "no effect"."""
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
