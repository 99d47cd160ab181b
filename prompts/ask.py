"""One question to a model, and its answer read: what both the writer and the filters do with a prompt.

The chat client sees to it that a reply has the role's schema, with a repair turn of its own. `read` checks what a schema cannot express: a
cited number that was not shown, a name that is missing. The model is told once, in its own conversation; a second fault makes the reply
bad.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from questloom.models.endpoints import RoleConfig
from questloom.models.messages import assistant, user
from questloom.models.structured import BadReply, correction
from questloom.prompts.fence import inline
from questloom.prompts.render import Prompt

Read = TypeVar("Read")


class Client(Protocol):
    """What prompts need of `questloom.models.chat_client.ChatClient`."""

    @property
    def roles(self) -> dict[str, RoleConfig]: ...

    async def structured(
        self, role: str, messages: Any, schema: Any, *, item_id: str, seed_id: str, sample: int = 0
    ) -> Any: ...


async def ask(
    client: Client,
    prompt: Prompt,
    read: Callable[[Any], Read],
    *,
    item_id: str,
    seed_id: str,
    sample: int = 0,
) -> Read:
    """Sends a prompt and reads the reply.

    Args:
        client: the chat client.
        prompt: a rendered prompt.
        read: from the parsed reply to what the caller needs; raises ValueError, with words for the model, where the reply
            does not fit.
        item_id, seed_id: the seed or question that the call is for, and the seed it descends from; for the ledger.
        sample: index among samples of the same prompt.

    Raises:
        BadReply: `read` refused twice. The client's own exceptions pass through.
    """
    messages = list(prompt.messages)
    reply = await client.structured(
        prompt.role, messages, prompt.reply, item_id=item_id, seed_id=seed_id, sample=sample
    )
    try:
        return read(reply)
    except ValueError as error:
        complaint = inline(error, 600)
    messages += [assistant(reply.model_dump_json()), user(correction(complaint))]
    reply = await client.structured(
        prompt.role, messages, prompt.reply, item_id=item_id, seed_id=seed_id, sample=sample
    )
    try:
        return read(reply)
    except ValueError as error:
        raise BadReply(prompt.role, inline(error, 600), reply.model_dump_json()) from error
