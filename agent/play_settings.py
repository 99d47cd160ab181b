"""The settings of a player: engine, tools and limits. Recipes, trainers and benchmark runs fill in these settings."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from questloom.agent.engines.server_config import ServerConfig
from questloom.agent.live.live_settings import LiveSettings
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.turns.limits import Limits

EngineName = Literal["oracle", "shortcut", "openai", "transformers", "server"]


@dataclass(frozen=True, kw_only=True)
class OracleSettings:
    """The settings of the oracle engine."""

    sighted: bool = False
    """Whether the oracle searches by words for what the picture visibly shows, which it takes from
    the picture's file page (`sighted_solver.py`)."""
    mistakes: Annotated[float, Ge(0), Le(1)] = 0.0
    """With `sighted`: share of episodes that begin with a mistake, so that trajectories show how
    the oracle corrects it."""
    slips: Annotated[float, Ge(0), Le(1)] = 0.0
    """With `sighted`: share of turns before which the oracle breaks the turn protocol, so that
    trajectories show how to recover. The oracle breaks the protocol at most twice in an episode.
    Episodes with violations are kept only with `limits.on_violation: observe` and
    `teach.max_slips`."""


@dataclass(frozen=True, kw_only=True)
class PlaySettings:
    """The settings from which `agent/setup.py` makes a player."""

    engine: EngineName = "oracle"
    """"oracle" is a script that knows the question's logical form. "shortcut" is a cheap baseline
    script that knows only the question's words and picture. "openai" calls the endpoint of the role
    `agent`; the role's settings give the temperature, top_p and `extra`. "transformers" runs a
    model on this machine. "server" uses an inference server that takes and returns token ids."""
    oracle: OracleSettings = field(default_factory=OracleSettings)
    limits: Limits = field(default_factory=Limits)
    tools: ToolSettings = field(default_factory=ToolSettings)
    live: LiveSettings | None = None
    """Settings for tools that search the web instead of the store. Pictures from the web have no
    known licence, so episodes with such pictures are never exported."""
    opened: str = ""
    """For the engine openai: text that the model's chat template writes before each turn, if the
    server's replies lack this text ("<think>\\n" for thinking models)."""
    model: str = ""
    """For the engine transformers: folder or name of the model. For the engine server: folder or
    name of the processor that belongs to the model."""
    server: ServerConfig | None = None
    temperature: Annotated[float, Ge(0)] = 0.6
    """Sampling temperature of the engines transformers and server."""
    top_p: Annotated[float, Gt(0), Le(1)] = 0.95
    """Top-p (nucleus) sampling of the engines transformers and server."""
    device: str = "auto"
    """For the engine transformers: "auto", "cpu", "cuda:0", …; a run may continue on another
    device."""

    @property
    def extensions(self) -> list[str]:
        """The names and versions of tools and live services that come from other packages.

        Raises:
            InputError: a tool or a service cannot be imported.
        """
        return [*self.tools.extensions, *(self.live.extensions if self.live else ())]
