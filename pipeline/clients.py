"""The chat client of a run: one a process, over the run's call cache, with the recipe's endpoints, roles and budget."""
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calls.budget import Budget
from calls.caller import Caller
from calls.sqlite import SqliteCache
from models.chat import ChatClient
from models.endpoints import RoleConfig
from pipeline.recipe import Recipe
from prompts.roles import ROLES
from transforms.writing.llm import LlmRules

CALLS = "calls.sqlite"
_CLIENTS: dict[str, ChatClient] = {}


@dataclass(frozen=True)
class StageClient:
    """The client as one stage uses it: every call is booked on that stage."""

    client: ChatClient
    stage: str

    @property
    def roles(self) -> dict[str, RoleConfig]:
        return self.client.roles

    async def structured(self, role: str, messages: Any, schema: Any, **what: Any) -> Any:
        return await self.client.structured(role, messages, schema, stage=self.stage, **what)


def client_of(recipe: Recipe, run: str, stage: str) -> StageClient:
    """The process's client for a run, bound to a stage.

    Raises:
        InputError: an unknown endpoint, a key that is not set, an unknown price under a budget in money.
    """
    if run not in _CLIENTS:
        models = recipe.models
        roles = {**({name: models.roles["default"] for name in ROLES} if "default" in models.roles else {}),
                 **{name: role for name, role in models.roles.items() if name != "default"}}
        budget = Budget(money=models.budget_money, tokens=models.budget_tokens, calls=models.budget_calls)
        _CLIENTS[run] = ChatClient(models.endpoints, roles, Caller(SqliteCache(Path(run, CALLS)), budget=budget))
    return StageClient(_CLIENTS[run], stage)


def has_role(recipe: Recipe, role: str) -> bool:
    """Whether a model is configured for a role."""
    return role in recipe.models.roles or "default" in recipe.models.roles


def llm_rules(recipe: Recipe) -> LlmRules:
    """The llm writer's settings in the recipe's language."""
    return replace(recipe.models.llm, language=recipe.language)



