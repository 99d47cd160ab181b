"""The tool `layout_parsing`: reads the text in a picture."""

import asyncio

from PIL import Image, ImageOps

from questloom.agent.tools.picture_tools import number
from questloom.agent.tools.quote import one_line
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Handle, Tool
from questloom.agent.turns.tool_output import Output, no_results
from questloom.models.ocr import TextBlock, read_text

MAX_SIDE = 960
"""Maximum length in pixels of a picture's longer side; larger pictures are scaled down."""
OCR_SIDE = 640
"""Minimum length in pixels of a picture's longer side; smaller pictures are enlarged before their
text is read."""
MAX_OCR_SCALE = 4


async def layout_parsing(at: Context, handle: Handle) -> Output:
    """Reads the text in a picture, line by line, with the place of each line.

    Args:
        handle: The picture, as N or "<image:N>".
    """
    picture_number = number(handle)
    outside = await at.provider.read_text(at.bank.data(picture_number))
    if outside is not None:
        lines = [f"{_box(block.box)} {one_line(block.text, 2_000)}" for block in outside.value]
        cost = outside.cost
    else:
        picture = at.bank.pixels(picture_number)
        blocks, size = await asyncio.to_thread(_read, picture, MAX_SIDE)
        lines = [f"{_box(_shares(block, size))} {one_line(block.text, 2_000)}" for block in blocks]
        cost = 0.0
    if not lines:
        return no_results("no text can be read in the picture")
    return Output(
        parts=("Text, with boxes as [left, top, right, bottom] from 0 to 1000:", *lines), cost=cost
    )


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


TOOL = Tool(layout_parsing, kind="look", remote=True)
