"""The tool `crop`: cuts a part out of a picture."""

from PIL import Image, ImageOps

from questloom.agent.tools.picture_tools import made_of, number
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Box, Handle, Tool
from questloom.agent.turns.image_bank import MAX_ASPECT, MIN_SIDE
from questloom.agent.turns.tool_output import Output, model_fault, no_effect

SHOWN_SIDE = 64
"""Minimum length of a crop's sides in pixels; smaller crops are enlarged, because vision models
refuse tiny pictures."""


async def crop(at: Context, handle: Handle, box: Box) -> Output:
    """Cuts a part out of a picture and shows it as a new picture.

    Args:
        handle: The picture, as N or "<image:N>".
        box: The part, as [left, top, right, bottom], each from 0 to 1000, in thousandths of the width or height.
    """
    left, top, right, bottom = box
    if left >= right or top >= bottom:
        raise model_fault(
            "bad_box",
            "crop: the box is left, top, right, bottom; left must be less than right, and top less than bottom.",
        )
    picture = at.bank.pixels(number(handle))
    frame = (
        round(left * picture.width / 1000),
        round(top * picture.height / 1000),
        round(right * picture.width / 1000),
        round(bottom * picture.height / 1000),
    )
    width, height = frame[2] - frame[0], frame[3] - frame[1]
    if min(width, height) < MIN_SIDE or max(width, height) > MAX_ASPECT * min(width, height):
        raise model_fault(
            "bad_box",
            f"crop: the box is {width}×{height} pixels; it must be at least {MIN_SIDE} wide and high, and not so narrow.",
        )
    if (width, height) == picture.size:
        return no_effect("the box is the whole picture")
    part = picture.crop(frame)
    if min(part.size) < SHOWN_SIDE:
        part = ImageOps.scale(part, SHOWN_SIDE / min(part.size), Image.Resampling.LANCZOS)
    return await made_of(part, "Cropped.", box=tuple(box))


TOOL = Tool(crop, kind="look")
