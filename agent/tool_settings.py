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
    """Names of the tools that the policy gets, in any order. If a machine lacks a named tool, an error is raised: a
    smaller tool set would change the prompt and the questions that are kept."""
    custom: tuple[str, ...] = ()
    """Tools of other packages, listed after the built-in ones: `module:TOOL`, or the name of an entry point of
    `questloom.tools`. Custom tools run like the built-in tools (`examples/distance.py`); the oracle does not
    call them, a model does."""
    handles: bool = True
    """With False, texts and schemas contain no handles, and picture tools work on the task's own picture; pictures are
    still shown (ODE's ablation)."""
    max_new_pictures: Annotated[int, Ge(0)] = 4
    """Maximum number of new pictures per call; with 0, `visit` shows none."""
    max_chars: Annotated[int, Gt(0)] = 12_000
    """Maximum number of characters in the text of a result."""
    results: Annotated[int, Ge(1), Le(20)] = 5
    """The number of results of text_search, unless the call gives another number."""
    links: Annotated[int, Ge(0)] = 30
    """Maximum number of links that visit lists."""
    addresses: bool = True
    """Whether results show addresses of pages; if not, the policy opens pages by title."""
    brief: bool = False
    """Whether the prompt shows only the tools' names and arguments, for policies that learn the rest by fine-tuning
    (`prompts/agent.py`)."""
    summaries: bool = False
    """Whether text_search reads each page and returns a summary for the query (OpenSearch-VL); needs a reader model."""
    seconds: Annotated[float, Gt(0)] = 90.0
    """Maximum wall time of a call in seconds, without the time that its requests wait in a provider's queue."""
    cache_bytes: int = 64 << 20
    """Memory in bytes for caching the results of identical calls; 0 turns this cache off."""

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
