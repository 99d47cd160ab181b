"""A chat client for one stage of a job. The ledger records all calls of the client under its
stage."""

from dataclasses import dataclass
from typing import Any

from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import RoleConfig


@dataclass(frozen=True)
class StageClient:
    """A chat client whose calls are recorded in the ledger under one stage."""

    client: ChatClient
    stage: str

    @property
    def roles(self) -> dict[str, RoleConfig]:
        return self.client.roles

    async def structured(self, role: str, messages: Any, schema: Any, **what: Any) -> Any:
        """See `ChatClient.structured`."""
        return await self.client.structured(role, messages, schema, stage=self.stage, **what)
