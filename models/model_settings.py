"""Which models a run may ask, and how much it may spend.

Recipes, trainers and benchmark runs all use these settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Gt

from questloom.models.endpoints import EndpointConfig, RoleConfig


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Endpoints, roles and budget; empty without models. See `models/README.md`."""

    endpoints: tuple[EndpointConfig, ...] = ()
    """Servers of chat models: name, base_url, api_key_env, prices, limits."""
    roles: Mapping[str, RoleConfig] = field(default_factory=dict)
    """The model of each role; "default" serves the roles that are not named."""
    judge: bool = False
    """Whether a model judges answers that do not match word for word."""
    budget_money: Annotated[float, Gt(0)] | None = None
    """Money at which a run stops asking models; the run keeps its results and continues under a higher limit."""
    budget_tokens: Annotated[int, Gt(0)] | None = None
    """Tokens at which a run stops asking models, as for `budget_money`."""
    budget_calls: Annotated[int, Gt(0)] | None = None
    """Calls at which a run stops asking models, as for `budget_money`."""
    clip: str = "small"
    """The CLIP checkpoint: "small" (shipped), a folder, or open_clip's name and tag as "ViT-B-32/openai"."""

    def has_role(self, role: str) -> bool:
        """Whether a model is configured for a role."""
        return role in self.roles or "default" in self.roles

    def judged_by_model(self, role: str) -> bool:
        """Whether a model plays a judge: a model named for the role, or the default model if `judge` is on."""
        return role in self.roles or (self.judge and self.has_role(role))
