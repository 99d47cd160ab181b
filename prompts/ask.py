"""Sends one prompt to a model and reads the reply. The writer and the filters share this module.

The chat client makes sure that a reply fits the role's schema; if not, a turn of its own repairs
the reply. `read` checks what a schema cannot express: a cited number that was not shown, or a
missing name. After a first fault the model gets one correction in the same conversation. A second
fault makes the reply bad.
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
    """The part of `questloom.models.chat_client.ChatClient` that prompts need."""

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
        client: the chat client that sends the prompt.
        prompt: a rendered prompt.
        read: function that turns the parsed reply into the caller's value, or raises ValueError
            with words for the model.
        item_id: the seed or question that the call is for, for the ledger.
        seed_id: the seed that the item descends from, for the ledger.
        sample: index among samples of the same prompt.

    Raises:
        BadReply: `read` refused two replies. Exceptions of the client pass through.
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
