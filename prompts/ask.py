"""Sends one prompt to a model and reads the reply. The writer and the filters share this module.

The chat client ensures that a reply fits the role's schema; if it does not fit, the client asks the model to repair it.
`read` checks what a schema cannot express, for example that a cited number was shown, or that no name is missing. After
the first fault, the model gets one correction in the same conversation. After a second fault, the reply counts as bad.
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
    """The methods of `questloom.models.chat_client.ChatClient` that prompts need."""

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
        item_id: seed or question for which the call is made, for the ledger.
        seed_id: seed from which the item descends, for the ledger.
        sample: index among samples of the same prompt.

    Raises: BadReply: `read` refused two replies in a row. Exceptions of the chat client are passed on.
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
