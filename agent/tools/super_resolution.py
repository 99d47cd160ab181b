"""The tool `super_resolution`: enlarges a small picture."""

import asyncio
from typing import Annotated

from pydantic import Field

from questloom.agent.tools.picture_tools import made_of, number
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Handle, Tool
from questloom.agent.turns.tool_output import Output, no_effect
from questloom.models import picture_ops


async def super_resolution(
    at: Context, handle: Handle, scale: Annotated[int, Field(ge=2, le=4)] = 4
) -> Output:
    """Enlarges a small picture with clearer edges than plain scaling.

    Args:
        handle: The picture, as N or "<image:N>".
        scale: Factor for width and height.
    """
    large = await asyncio.to_thread(
        picture_ops.super_resolution, at.bank.pixels(number(handle)), scale
    )
    if large is None:
        return no_effect(
            f"the picture would be larger than {picture_ops.MAX_REPAIRED_SIDE} pixels; crop a part first, or take a smaller scale"
        )
    return await made_of(large, f"Enlarged {scale} times.")


TOOL = Tool(super_resolution, kind="look")
