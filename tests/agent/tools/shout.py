"""A tool that the program does not have, in one file: `test_adding_a_tool.py` adds it."""

from typing import Annotated

from pydantic import Field

from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Text, Tool
from questloom.agent.turns.tool_output import Output


async def shout(at: Context, text: Text, times: Annotated[int, Field(ge=1, le=3)] = 1) -> Output:
    """Says a text loudly.

    Args:
        text: What to say.
        times: How often.
    """
    return Output(parts=(" ".join([text.upper()] * times),))


TOOL = Tool(shout, kind="compute")
