"""The tool `rotate`: turns a picture."""

import asyncio
from typing import Annotated

from PIL import Image
from pydantic import Field

from questloom.agent.tools.picture_tools import made_of, number
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Handle, Tool
from questloom.agent.turns.tool_output import Output, no_effect


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
    picture = at.bank.pixels(number(handle))
    turned = await asyncio.to_thread(
        picture.rotate, -angle, Image.Resampling.BICUBIC, True, fillcolor="white"
    )
    return await made_of(turned, f"Turned by {angle:g} degrees clockwise.")


TOOL = Tool(rotate, kind="look")
