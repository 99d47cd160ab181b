"""Sends one prompt to a model and reads the reply. The writer and the filters use this module.

The chat client checks that a reply fits the role's schema. If a reply does not fit, the client asks
the model for a repair. The caller's function `read` makes the checks that a schema cannot express,
for example that every number in the reply was in the prompt. After the first fault that `read`
finds, the model gets one correction in the same conversation. After the second fault, the reply
counts as bad.
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
    """The methods of `questloom.models.chat_client.ChatClient` that this module uses."""

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
        read: a function that turns the parsed reply into a value for the caller. For a wrong reply,
            `read` raises ValueError with a message for the model.
        item_id: the seed or question for which the call is made. The ledger records its id.
        seed_id: the seed from which the question comes. The ledger records the seed's id.
        sample: the number of the call among calls with the same prompt.

    Raises:
        BadReply: `read` refused two replies in a row. The chat client's own exceptions are passed
            on.
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
