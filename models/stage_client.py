"""The chat client as one stage uses it: every call is booked on that stage."""

from dataclasses import dataclass
from typing import Any

from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import RoleConfig


@dataclass(frozen=True)
class StageClient:
    """A client bound to the stage that its calls are booked on in the ledger."""

    client: ChatClient
    stage: str

    @property
    def roles(self) -> dict[str, RoleConfig]:
        return self.client.roles

    async def structured(self, role: str, messages: Any, schema: Any, **what: Any) -> Any:
        """See `ChatClient.structured`."""
        return await self.client.structured(role, messages, schema, stage=self.stage, **what)
