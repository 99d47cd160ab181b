"""Sends one prompt to a model and reads the reply. The writer and the filters use this module.

The chat client checks that a reply fits the role's schema. If a reply does not fit, the client asks
the model for a repair. The caller's function `read` checks what a schema cannot say. For example, a
cited number must have been shown, and no name may be missing. After the first fault that `read`
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
    """Those methods of `questloom.models.chat_client.ChatClient` that this module needs."""

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
        read: a function that turns the parsed reply into a value for the caller. If the reply is
            wrong, the function raises ValueError with words for the model.
        item_id: the seed or question for which the call is made. The ledger records the id of this
            item.
        seed_id: the seed from which this item comes. The ledger records the id of this seed.
        sample: the number of this call, if the same prompt is sent several times.

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
