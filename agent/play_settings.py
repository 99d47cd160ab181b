"""Who plays, with what tools and under what limits: plain settings, which a recipe, a trainer or a benchmark run fills in."""

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
    """How the oracle plays."""

    sighted: bool = False
    """It is told what the picture's file page says is to be seen, and searches for that in words (`sighted_solver.py`)."""
    mistakes: Annotated[float, Ge(0), Le(1)] = 0.0
    """sighted: share of episodes in which it makes a mistake first and mends it, so that trajectories show how."""
    slips: Annotated[float, Ge(0), Le(1)] = 0.0
    """sighted: share of its turns before which one comes that breaks the protocol (at most two an episode), so that trajectories show how one gets
    over it. To be kept, they need `limits.on_violation: observe` and `teach.max_slips`."""


@dataclass(frozen=True, kw_only=True)
class PlaySettings:
    """Everything that `agent/setup.py` needs to set up a player."""

    engine: EngineName = "oracle"
    """"oracle" follows the certificate; "shortcut" is a cheap baseline without it;
    "openai" is the endpoint of the role `agent` (its temperature, top_p and `extra` there);
    "transformers" a model on this machine; "server" an inference server of token ids."""
    oracle: OracleSettings = field(default_factory=OracleSettings)
    limits: Limits = field(default_factory=Limits)
    tools: ToolSettings = field(default_factory=ToolSettings)
    live: LiveSettings | None = None
    """The web in place of the store. Pictures from there have no licence: their trajectories stay in the run."""
    opened: str = ""
    """openai: what the model's template opens before a turn ("<think>\\n" for thinking models behind servers that leave it out)."""
    model: str = ""
    """transformers: a model's folder or name. server: the folder or name of its processor."""
    server: ServerConfig | None = None
    temperature: Annotated[float, Ge(0)] = 0.6
    """transformers and server."""
    top_p: Annotated[float, Gt(0), Le(1)] = 0.95
    """transformers and server."""
    device: str = "auto"
    """transformers: "auto", "cpu", "cuda:0", …; no part of a run's identity."""

    @property
    def extensions(self) -> list[str]:
        """The identities of what other packages bring: tools and live services.

        Raises:
            InputError: one cannot be imported.
        """
        return [*self.tools.extensions, *(self.live.extensions if self.live else ())]
