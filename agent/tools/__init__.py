"""The agent's tools; `ToolBox` runs them."""

from questloom.agent.tool_settings import ToolSettings
from questloom.agent.tools.toolbox import ToolBox, call_handle

__all__ = ["ToolBox", "ToolSettings", "call_handle"]
