"""The tool `sharpen`: sharpens a blurred picture."""

import asyncio
from typing import Annotated

from pydantic import Field

from questloom.agent.tools.picture_tools import made_of, number
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Handle, Tool
from questloom.agent.turns.tool_output import Output, no_effect
from questloom.models import picture_ops


async def sharpen(
    at: Context, handle: Handle, amount: Annotated[float, Field(gt=0, le=5)] = 1.5
) -> Output:
    """Sharpens a blurred picture (unsharp mask).

    Args:
        handle: The picture, as N or "<image:N>".
        amount: Strength.
    """
    sharp = await asyncio.to_thread(picture_ops.sharpen, at.bank.pixels(number(handle)), amount)
    return (
        no_effect("the picture has no edge to sharpen")
        if sharp is None
        else await made_of(sharp, "Sharpened.")
    )


TOOL = Tool(sharpen, kind="look")
