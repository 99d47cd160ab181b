"""The chat client of a run: one a process, over the run's call cache, with the recipe's endpoints, roles and budget."""
import atexit
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
from records.errors import InputError
from records.places import BucketPath, place
from transforms.stages.window import submit
from transforms.writing.llm import LlmRules

CALLS, PILOT = "calls.sqlite", "pilot"
_CLIENTS: dict[str, ChatClient] = {}


def calls_path(run: str) -> Path:
    """A run's call cache. A pilot, RUN/pilot, uses that of its run, so that its replies serve the run.

    Raises:
        InputError: the run lies in a bucket, where no SQLite file can be.
    """
    folder = place(run)
    if isinstance(folder, BucketPath):
        raise InputError(run, "lies in a bucket, where the call cache (SQLite) cannot be written",
                         "Name a cache of its own with --cache: redis://HOST:PORT/DB, or a file on this machine for a run on this machine.")
    is_pilot = folder.name == PILOT and (folder.parent / "recipe.json").is_file()
    return (folder.parent if is_pilot else folder) / CALLS


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
        _CLIENTS[run] = _new_client(recipe, calls_path(run))
    return StageClient(_CLIENTS[run], stage)


def check_client(recipe: Recipe) -> None:
    """Raises what `client_of` would, before there is a run's folder."""
    _new_client(recipe, Path(":memory:"))


def _new_client(recipe: Recipe, cache: Path) -> ChatClient:
    models = recipe.models
    roles = {**({name: models.roles["default"] for name in ROLES} if "default" in models.roles else {}),
             **{name: role for name, role in models.roles.items() if name != "default"}}
    budget = Budget(money=models.budget_money, tokens=models.budget_tokens, calls=models.budget_calls)
    return ChatClient(models.endpoints, roles, Caller(SqliteCache(cache), budget=budget))


@atexit.register
def _close() -> None:
    """Closes the connections before the interpreter ends: it would complain of them on stderr."""
    for client in _CLIENTS.values():
        submit(client.aclose()).result(timeout=5)


def has_role(recipe: Recipe, role: str) -> bool:
    """Whether a model is configured for a role."""
    return role in recipe.models.roles or "default" in recipe.models.roles


def llm_rules(recipe: Recipe) -> LlmRules:
    """The llm writer's settings in the recipe's language."""
    return replace(recipe.models.llm, language=recipe.language)



