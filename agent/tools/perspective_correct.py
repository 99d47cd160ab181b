"""The tool `perspective_correct`: sets a distorted picture upright."""

import asyncio

from questloom.agent.tools.picture_tools import made_of, number
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Handle, Tool
from questloom.agent.turns.image_bank import MAX_ASPECT, MIN_SIDE
from questloom.agent.turns.tool_output import Output, no_effect
from questloom.models import picture_ops


async def perspective_correct(at: Context, handle: Handle) -> Output:
    """Finds a page, sign or picture that was photographed at an angle, and shows it upright and rectangular.

    Args:
        handle: The picture, as N or "<image:N>".
    """
    upright = await asyncio.to_thread(
        picture_ops.perspective_correct, at.bank.pixels(number(handle))
    )
    if (
        upright is None
        or min(upright.size) < MIN_SIDE
        or max(upright.size) > MAX_ASPECT * min(upright.size)
    ):
        return no_effect("no distorted rectangle stands out")
    return await made_of(upright, "Corrected.")


TOOL = Tool(perspective_correct, kind="look")
