"""A recipe's settings for the tools."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge, Gt, Le, MinLen

from questloom.agent.tool_registry import MODULES
from questloom.files.extensions import Extension, load_extension

ALL_TOOLS: tuple[str, ...] = tuple(MODULES)
"""All tools in the order of the prompts."""
if TYPE_CHECKING:
    ToolName = str
else:
    ToolName = Literal[ALL_TOOLS]
CONFINED: ToolName = "python_interpreter"
"""The tool that runs the policy's code; it needs a machine that can confine code (`agent/sandbox`)."""
CUSTOM_KEY = "recipe key teach.tools.custom"
ToolNames = Annotated[tuple[ToolName, ...], MinLen(1)]


@dataclass(frozen=True, kw_only=True)
class ToolSettings:
    """Limits and switches of the tool box."""

    tools: ToolNames = ALL_TOOLS
    """Names of the policy's tools, in any order. A machine that lacks a named tool raises an error: if it left the tool
    out, the policy's prompt and the fate of a question would depend on the machine."""
    custom: tuple[str, ...] = ()
    """Tools of other packages, listed after the built-in ones: `module:TOOL`, or the name of an entry point of
    `questloom.tools`. Custom tools run like the built-in tools (`examples/distance.py`); the oracle does not
    call them, a model does."""
    handles: bool = True
    """False hides handles but keeps pixels (ODE's ablation): texts and schemas contain no handle, and picture tools
    work on the task's own picture."""
    max_new_pictures: Annotated[int, Ge(0)] = 4
    """The most new pictures of a call; with 0, `visit` shows none."""
    max_chars: Annotated[int, Gt(0)] = 12_000
    """The most characters of a result's text."""
    results: Annotated[int, Ge(1), Le(20)] = 5
    """The number of results of text_search, unless the call gives another."""
    links: Annotated[int, Ge(0)] = 30
    """The most links that visit lists."""
    addresses: bool = True
    """False hides the addresses of pages; the policy then opens pages by title."""
    brief: bool = False
    """Shortens the prompt to the tools' names and arguments, for policies that learn the rest by fine-tuning
    (`prompts/agent.py`)."""
    summaries: bool = False
    """Makes text_search read each page and return a summary for the query (OpenSearch-VL); needs a reader model."""
    seconds: Annotated[float, Gt(0)] = 90.0
    """Wall time of a call in seconds, without the time that its requests wait for their turn at a provider."""
    cache_bytes: int = 64 << 20
    """Memory in bytes for results of identical calls; 0 turns this cache off."""

    @property
    def extensions(self) -> list[str]:
        """The identities of the custom tools.

        Raises:
            InputError: a custom tool cannot be imported.
        """
        return [found.identity for found in self._loaded()]

    def custom_names(self) -> dict[str, str]:
        """The names of the custom tools by identity.

        Raises:
            InputError: a custom tool cannot be imported.
        """
        return {found.identity: found.object.name for found in self._loaded()}

    def _loaded(self) -> list[Extension]:
        return [load_extension(named, "tools", CUSTOM_KEY) for named in self.custom]
