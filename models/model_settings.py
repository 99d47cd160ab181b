"""Which models a run may ask, and how much it may spend: plain settings, which a recipe, a trainer or a benchmark run fills in."""

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
    """Whether answers that do not match word for word are judged by a model."""
    budget_money: Annotated[float, Gt(0)] | None = None
    """Money at which a run stops asking; what it has is kept, and a higher limit goes on."""
    budget_tokens: Annotated[int, Gt(0)] | None = None
    """The same in tokens."""
    budget_calls: Annotated[int, Gt(0)] | None = None
    """The same in calls."""
    clip: str = "small"
    """"small" (shipped), a folder, or open_clip's name and tag as "ViT-B-32/openai"."""

    def has_role(self, role: str) -> bool:
        """Whether a model is configured for a role."""
        return role in self.roles or "default" in self.roles

    def judged_by_model(self, role: str) -> bool:
        """Whether a model plays a judge: one that is named for it, or the default one where `judge` is on."""
        return role in self.roles or (self.judge and self.has_role(role))
