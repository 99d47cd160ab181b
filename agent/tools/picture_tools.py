"""Tools that look closer at a picture of the bank: each makes a new picture, reads text, or says that it had no effect."""

import asyncio
from typing import Annotated, Literal

from PIL import Image, ImageOps
from pydantic import Field

from questloom.agent.tools.quote import one_line
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Box, Handle
from questloom.agent.turns.image_bank import MAX_ASPECT, MIN_SIDE
from questloom.agent.turns.tool_output import NewPicture, Output, model_fault, no_effect, no_results
from questloom.models import picture_ops
from questloom.models.ocr import TextBlock, read_text
from questloom.models.picture_file import encode

LOSSLESS_PIXELS = 1 << 20
"""Made pictures up to this size are PNG: nothing is lost when one is worked on again, and equal pixels give the old handle."""
SHOWN_SIDE = 64
"""Pixels: a smaller crop is enlarged to it, since vision processors refuse tiny pictures."""
OCR_SIDE = 640
"""Pixels: smaller pictures are enlarged before text is read in them."""
MAX_OCR_SCALE = 4


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
    picture = at.bank.pixels(_number(handle))
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
    return await _made(part, "Cropped.", box=tuple(box))


async def rotate(
    at: Context, handle: Handle, angle: Annotated[float, Field(ge=-360, le=360)]
) -> Output:
    """Turns a picture clockwise; corners that become free are white.

    Args:
        handle: The picture, as N or "<image:N>".
        angle: Degrees, clockwise.
    """
    if angle % 360 == 0:
        return no_effect("the angle is a full turn")
    picture = at.bank.pixels(_number(handle))
    turned = await asyncio.to_thread(
        picture.rotate, -angle, Image.Resampling.BICUBIC, True, fillcolor="white"
    )
    return await _made(turned, f"Turned by {angle:g} degrees clockwise.")


async def flip(at: Context, handle: Handle, axis: Literal["horizontal", "vertical"]) -> Output:
    """Mirrors a picture.

    Args:
        handle: The picture, as N or "<image:N>".
        axis: "horizontal" swaps left and right, "vertical" swaps top and bottom.
    """
    picture = at.bank.pixels(_number(handle))
    flipped = ImageOps.mirror(picture) if axis == "horizontal" else ImageOps.flip(picture)
    if flipped.tobytes() == picture.tobytes():
        return no_effect("the picture is its own mirror image")
    return await _made(flipped, "Mirrored.")


async def sharpen(
    at: Context, handle: Handle, amount: Annotated[float, Field(gt=0, le=5)] = 1.5
) -> Output:
    """Sharpens a blurred picture (unsharp mask).

    Args:
        handle: The picture, as N or "<image:N>".
        amount: Strength.
    """
    sharp = await asyncio.to_thread(picture_ops.sharpen, at.bank.pixels(_number(handle)), amount)
    return (
        no_effect("the picture has no edge to sharpen")
        if sharp is None
        else await _made(sharp, "Sharpened.")
    )


async def super_resolution(
    at: Context, handle: Handle, scale: Annotated[int, Field(ge=2, le=4)] = 4
) -> Output:
    """Enlarges a small picture with clearer edges than plain scaling.

    Args:
        handle: The picture, as N or "<image:N>".
        scale: Factor for width and height.
    """
    large = await asyncio.to_thread(
        picture_ops.super_resolution, at.bank.pixels(_number(handle)), scale
    )
    if large is None:
        return no_effect(
            f"the picture would be larger than {picture_ops.MAX_REPAIRED_SIDE} pixels; crop a part first, or take a smaller scale"
        )
    return await _made(large, f"Enlarged {scale} times.")


async def perspective_correct(at: Context, handle: Handle) -> Output:
    """Finds a page, sign or picture that was photographed at an angle, and shows it upright and rectangular.

    Args:
        handle: The picture, as N or "<image:N>".
    """
    upright = await asyncio.to_thread(
        picture_ops.perspective_correct, at.bank.pixels(_number(handle))
    )
    if (
        upright is None
        or min(upright.size) < MIN_SIDE
        or max(upright.size) > MAX_ASPECT * min(upright.size)
    ):
        return no_effect("no distorted rectangle stands out")
    return await _made(upright, "Corrected.")


async def layout_parsing(at: Context, handle: Handle) -> Output:
    """Reads the text in a picture, line by line, with the place of each line.

    Args:
        handle: The picture, as N or "<image:N>".
    """
    number = _number(handle)
    outside = await at.provider.read_text(at.bank.data(number))
    if outside is not None:
        lines = [f"{_box(block.box)} {one_line(block.text, 2_000)}" for block in outside.value]
        cost = outside.cost
    else:
        picture = at.bank.pixels(number)
        blocks, size = await asyncio.to_thread(_read, picture, at.settings.ocr_side)
        lines = [f"{_box(_shares(block, size))} {one_line(block.text, 2_000)}" for block in blocks]
        cost = 0.0
    if not lines:
        return no_results("no text can be read in the picture")
    return Output(
        parts=("Text, with boxes as [left, top, right, bottom] from 0 to 1000:", *lines), cost=cost
    )


def _number(handle: object) -> int:
    assert isinstance(handle, int), handle  # the tool box has resolved it
    return handle


async def _made(picture: Image.Image, what: str, box: tuple[float, ...] = ()) -> Output:
    data = await asyncio.to_thread(
        encode, picture, lossless=picture.width * picture.height <= LOSSLESS_PIXELS
    )
    return Output(parts=(what, NewPicture(data=data, made=True, box=box)))


def _read(picture: Image.Image, side: int) -> tuple[list[TextBlock], tuple[int, int]]:
    scale = min(MAX_OCR_SCALE, OCR_SIDE / max(picture.size))
    if scale > 1:
        picture = ImageOps.scale(picture, scale, Image.Resampling.LANCZOS)
    return read_text(picture, side=side), picture.size


def _shares(block: TextBlock, size: tuple[int, int]) -> tuple[float, ...]:
    return tuple(
        min(1000.0, max(0.0, 1000 * value / size[i % 2])) for i, value in enumerate(block.box)
    )


def _box(box: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{value:.0f}' for value in box)}]"
