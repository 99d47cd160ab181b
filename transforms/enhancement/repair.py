"""The tool that a degradation is paired with, at the settings with which recoverability is checked."""

from PIL import Image

from questloom.models.picture_ops import perspective_correct, sharpen, super_resolution
from questloom.transforms.enhancement.degrade import Degradation


def repair(picture: Image.Image, degradation: Degradation) -> Image.Image | None:
    """The picture after its paired tool, called as a policy would: with the tool's defaults. None for "no effect"."""
    match degradation.kind:
        case "blur":
            return sharpen(picture)
        case "down_sampling":
            return super_resolution(picture)
        case _:
            return perspective_correct(picture)
