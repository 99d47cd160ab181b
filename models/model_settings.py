"""Which models a run may ask, and how much it may spend.

Recipes, trainers and benchmark runs share this kind of settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Gt

from questloom.models.endpoints import EndpointConfig, RoleConfig


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Endpoints, roles and budget; all empty if no models are used. See `models/README.md`."""

    endpoints: tuple[EndpointConfig, ...] = ()
    """Servers of chat models: name, base_url, api_key_env, prices, limits."""
    roles: Mapping[str, RoleConfig] = field(default_factory=dict)
    """The model of each role; "default" serves the roles that are not named."""
    judge: bool = False
    """Whether a model judges answers that do not match word for word."""
    budget_money: Annotated[float, Gt(0)] | None = None
    """The amount of money at which a run stops asking models; it keeps its results and continues under a higher
    limit."""
    budget_tokens: Annotated[int, Gt(0)] | None = None
    """The number of tokens at which a run stops asking models; it keeps its results and continues
    under a higher limit."""
    budget_calls: Annotated[int, Gt(0)] | None = None
    """The number of calls at which a run stops asking models; it keeps its results and continues
    under a higher limit."""
    clip: str = "small"
    """The CLIP checkpoint: "small" (shipped), a folder, or open_clip's architecture and tag, such as
    "ViT-B-32/openai"."""

    def has_role(self, role: str) -> bool:
        """Whether a model is configured for a role."""
        return role in self.roles or "default" in self.roles

    def judged_by_model(self, role: str) -> bool:
        """Whether a model judges in a given role: the recipe names a model for the role, or `judge` is on and there is
        a default model."""
        return role in self.roles or (self.judge and self.has_role(role))
