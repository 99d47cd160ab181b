"""The tools of the agent: `ToolBox` is the door."""

from questloom.agent.tool_settings import ToolSettings
from questloom.agent.tools.toolbox import ToolBox, call_handle

__all__ = ["ToolBox", "ToolSettings", "call_handle"]
