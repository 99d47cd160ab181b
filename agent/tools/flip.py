"""The tool `flip`: mirrors a picture."""

from typing import Literal

from PIL import ImageOps

from questloom.agent.tools.picture_tools import made_of, number
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Handle, Tool
from questloom.agent.turns.tool_output import Output, no_effect


async def flip(at: Context, handle: Handle, axis: Literal["horizontal", "vertical"]) -> Output:
    """Mirrors a picture.

    Args:
        handle: The picture, as N or "<image:N>".
        axis: "horizontal" swaps left and right, "vertical" swaps top and bottom.
    """
    picture = at.bank.pixels(number(handle))
    flipped = ImageOps.mirror(picture) if axis == "horizontal" else ImageOps.flip(picture)
    if flipped.tobytes() == picture.tobytes():
        return no_effect("the picture is its own mirror image")
    return await made_of(flipped, "Mirrored.")


TOOL = Tool(flip, kind="look")
