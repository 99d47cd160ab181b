"""Tool boxes with settings, and one call of a tool."""

import asyncio
from typing import Any

from questloom.agent.tool_settings import ALL_TOOLS, CONFINED
from questloom.agent.tools import ToolBox, ToolSettings
from questloom.agent.turns.image_bank import ImageBank
from questloom.records.episodes import ToolCall, ToolResult

WITHOUT_PYTHON = tuple(name for name in ALL_TOOLS if name != CONFINED)
"""What every machine can have."""


def called(box: ToolBox, bank: ImageBank, name: str, arguments: Any, turn: int = 3) -> ToolResult:
    return asyncio.run(box.call(ToolCall(name=name, arguments=arguments), bank, turn=turn))


def box_with(provider, sandbox=None, summarise=None, **settings) -> ToolBox:
    """A box with all tools; without a sandbox, all but python_interpreter."""
    chosen = ToolSettings(**{"tools": WITHOUT_PYTHON if sandbox is None else ALL_TOOLS, **settings})
    return ToolBox(provider, settings=chosen, sandbox=sandbox, summarise=summarise)
