"""The settings for the tools, which are part of a recipe (a settings file)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge, Gt, Le, MinLen

from questloom.agent.tool_registry import MODULES
from questloom.files.extensions import Extension, load_extension

ALL_TOOLS: tuple[str, ...] = tuple(MODULES)
"""The names of all built-in tools, in the order in which prompts name them."""
if TYPE_CHECKING:
    ToolName = str
else:
    ToolName = Literal[ALL_TOOLS]
CONFINED: ToolName = "python_interpreter"
"""The tool that runs the model's Python code, on machines on which the sandbox works
(`agent/sandbox`)."""
CUSTOM_KEY = "recipe key teach.tools.custom"
ToolNames = Annotated[tuple[ToolName, ...], MinLen(1)]


@dataclass(frozen=True, kw_only=True)
class ToolSettings:
    """Limits and switches for the tools."""

    tools: ToolNames = ALL_TOOLS
    """Names of the tools that the model gets, in any order. If a named tool does not work on a
    machine, an error is raised, because leaving out the tool would change the prompt and the choice
    of questions."""
    custom: tuple[str, ...] = ()
    """Tools of other packages, listed after the built-in ones: `module:TOOL`, or the name of an
    entry point of `questloom.tools`. Custom tools run like the built-in tools
    (`examples/distance.py`). Models can call custom tools; the oracle (a scripted solver) does
    not."""
    handles: bool = True
    """Whether pictures have handles (numbers) that tools accept. Without handles, picture tools
    work only on the question's own picture; new pictures are still shown. The ODE paper has an
    ablation without handles."""
    max_new_pictures: Annotated[int, Ge(0)] = 4
    """Maximum number of new pictures per call; with 0, `visit` shows none."""
    max_chars: Annotated[int, Gt(0)] = 12_000
    """Maximum number of characters in the text of a result."""
    results: Annotated[int, Ge(1), Le(20)] = 5
    """The number of results that text_search returns if the call gives no number."""
    links: Annotated[int, Ge(0)] = 30
    """Maximum number of links that visit lists."""
    addresses: bool = True
    """Whether results show the web addresses of pages. If results show no web addresses, the model
    opens pages by title."""
    brief: bool = False
    """Whether the prompt shows only the tools' names and arguments (`prompts/agent.py`), for models
    that learn the rest by fine-tuning."""
    summaries: bool = False
    """Whether a model reads each page that text_search finds and summarises it for the query, as in
    OpenSearch-VL. Summaries need a model with the role `read_page`."""
    seconds: Annotated[float, Gt(0)] = 90.0
    """Maximum wall time of a tool call in seconds. Time in which requests wait for a provider's
    rate limit does not count."""
    cache_bytes: int = 64 << 20
    """Maximum memory in bytes for cached results, which answer identical calls. 0 turns the cache
    off."""

    @property
    def extensions(self) -> list[str]:
        """The names and versions of the custom tools.

        Raises:
            InputError: a custom tool cannot be imported.
        """
        return [found.identity for found in self._loaded()]

    def custom_names(self) -> dict[str, str]:
        """Returns the name of each custom tool, by the tool's identity (import path and version).

        Raises:
            InputError: a custom tool cannot be imported.
        """
        return {found.identity: found.object.name for found in self._loaded()}

    def _loaded(self) -> list[Extension]:
        return [load_extension(named, "tools", CUSTOM_KEY) for named in self.custom]
