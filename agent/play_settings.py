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
    """Settings of the oracle engine."""

    sighted: bool = False
    """Whether the oracle knows the visible features from the picture's file page and searches for them by words
    (`sighted_solver.py`)."""
    mistakes: Annotated[float, Ge(0), Le(1)] = 0.0
    """With `sighted`: share of episodes that begin with a mistake and its correction, so that trajectories show
    corrections."""
    slips: Annotated[float, Ge(0), Le(1)] = 0.0
    """With `sighted`: share of turns that follow a turn which breaks the protocol (at most two per episode), so that
    trajectories show how to recover. Episodes with turns that break the protocol are kept only with
    `limits.on_violation: observe` and `teach.max_slips`."""


@dataclass(frozen=True, kw_only=True)
class PlaySettings:
    """The settings that `agent/setup.py` needs to make a player."""

    engine: EngineName = "oracle"
    """"oracle" follows the certificate; "shortcut" is a cheap baseline without it. "openai" is the endpoint of the role
    `agent`, which has its own temperature, top_p and `extra`. "transformers" is a model on this machine; "server" is an
    inference server of token ids."""
    oracle: OracleSettings = field(default_factory=OracleSettings)
    limits: Limits = field(default_factory=Limits)
    tools: ToolSettings = field(default_factory=ToolSettings)
    live: LiveSettings | None = None
    """The web instead of the store. Pictures from the web have no licence, so their trajectories stay in the run."""
    opened: str = ""
    """For the engine openai: text that the model's template opens before a turn ("<think>\\n" for thinking models
    behind servers that leave it out)."""
    model: str = ""
    """For the engine transformers: folder or name of the model. For the engine server: folder or name of its processor."""
    server: ServerConfig | None = None
    temperature: Annotated[float, Ge(0)] = 0.6
    """Sampling temperature of the engines transformers and server."""
    top_p: Annotated[float, Gt(0), Le(1)] = 0.95
    """Top-p of the engines transformers and server."""
    device: str = "auto"
    """For the engine transformers: "auto", "cpu", "cuda:0", …; the device is no part of a run's identity."""

    @property
    def extensions(self) -> list[str]:
        """The identities of tools and live services from other packages.

        Raises:
            InputError: a tool or a service cannot be imported.
        """
        return [*self.tools.extensions, *(self.live.extensions if self.live else ())]
