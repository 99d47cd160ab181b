"""What a recipe may set about the tools."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Ge, Gt, Le, MinLen

from questloom.agent.tool_registry import MODULES
from questloom.files.extensions import load_extension

ALL_TOOLS: tuple[str, ...] = tuple(MODULES)
"""In the order in which prompts show them."""
if TYPE_CHECKING:
    ToolName = str
else:
    ToolName = Literal[ALL_TOOLS]
CONFINED: ToolName = "python_interpreter"
"""It runs the policy's code, and so needs a machine that can confine it (`agent/sandbox`)."""
CUSTOM_KEY = "recipe key tools.custom"
ToolNames = Annotated[tuple[ToolName, ...], MinLen(1)]


@dataclass(frozen=True, kw_only=True)
class ToolSettings:
    """Limits and switches of the tool box."""

    tools: ToolNames = ALL_TOOLS
    """Names of the tools that the policy gets, in any order. One that a machine cannot have is refused there, never left out: what a policy
    is told, and what becomes of a question, must not depend on the machine."""
    custom: tuple[str, ...] = ()
    """Tools of other packages, behind those: `module:TOOL`, or the name of an entry point of `questloom.tools`. They are imported and run like
    the program's own (`examples/distance.py`)."""
    handles: bool = True
    """False hides handles but keeps pixels (ODE's ablation): texts name no handle, no schema has the argument, and what would take
    one works on the task's own picture."""
    max_new_pictures: Annotated[int, Ge(0)] = 4
    """Largest number of new pictures a call; with 0, `visit` shows none."""
    max_chars: Annotated[int, Gt(0)] = 12_000
    """Characters of a result's text."""
    results: Annotated[int, Ge(1), Le(20)] = 5
    """That text_search brings where the call does not say how many."""
    links: Annotated[int, Ge(0)] = 30
    """That visit lists, at most."""
    addresses: bool = True
    """False leaves the addresses of pages out: a page is then opened by its title."""
    brief: bool = False
    """Tells the policy the tools' names and arguments and little else, for policies that fine-tuning teaches the rest (`prompts/agent.py`)."""
    summaries: bool = False
    """text_search reads each page and gives a summary for the query (OpenSearch-VL), where a reader model is configured."""
    seconds: Annotated[float, Gt(0)] = 90.0
    """Wall time of a call, less what its requests wait for their place at a provider."""
    cache_bytes: int = 64 << 20
    """Results kept in memory for identical calls; 0 for none."""

    @property
    def extensions(self) -> list[str]:
        """The identities of the custom tools.

        Raises:
            InputError: one cannot be imported.
        """
        return [load_extension(named, "tools", CUSTOM_KEY).identity for named in self.custom]
