"""An engine over any OpenAI-compatible endpoint, for teachers and evaluation. This engine gives no token ids; `calls/`
caches, paces and accounts for its calls."""

import json
import re
from collections.abc import Mapping
from typing import Any

from questloom.agent.engines.engine import ContextFull, Sample
from questloom.agent.turns.conversation import Conversation
from questloom.calls.request import Price
from questloom.models.chat_client import ChatClient, ChatReply
from questloom.models.messages import Message
from questloom.records.errors import ProviderFault

CONTEXT_FULL = re.compile(
    r"context[ _](?:length|window)|maximum (?:context|input|prompt)|(?:prompt|input) is too long|too many tokens",
    re.IGNORECASE,
)


class OpenAIEngine:
    """Samples turns from an endpoint, as text in the turn protocol. Native tool calls are not requested; if a server
    makes them, they are turned into the protocol's calls.

    Each request is cached under a key of its messages and of (task, rollout, turn), so no turn is paid twice, and the
    rollouts of one task stay apart.

    Args:
        client: chat client that knows the endpoint.
        role: role whose model and sampling settings are used.
        opened: text that the model's template opens before a turn; the value is "<think>\\n" for Qwen3-VL-Thinking
            behind a server that does not separate the thought from the reply, and "" for Instruct models; servers that
            separate them are recognised by the reply.
        price: price of the model, for the episode's cost; None counts the cost as 0.
    """

    name = "openai"

    def __init__(
        self,
        client: ChatClient,
        role: str = "agent",
        *,
        opened: str = "",
        price: Price | None = None,
    ) -> None:
        self._client, self._role, self._opened, self._price = client, role, opened, price
        self.model = client.roles[role].model

    @property
    def sampling(self) -> Mapping[str, Any]:
        """The settings of the role."""
        return {
            **self._client.roles[self._role].model_dump(exclude={"model", "samples"}),
            "opened": self._opened,
        }

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`."""
        try:
            reply = await self._client.chat(
                self._role,
                conversation.messages,
                stage=self._role,
                item_id=conversation.task_id,
                sample=conversation.draw(),
                max_tokens=max_new_tokens,
            )
        except ProviderFault as fault:
            if fault.status in (400, 413, 422) and CONTEXT_FULL.search(fault.message):
                raise ContextFull(fault.message) from fault
            raise
        return Sample(
            text=self._rendered(reply),
            complete=reply.finish_reason != "length",
            refusal=reply.refusal,
            num_prompt_tokens=reply.tokens_in,
            num_new_tokens=reply.tokens_out,
            cost=self._price.of(reply.tokens_in, reply.tokens_out) if self._price else 0.0,
        )

    def _rendered(self, reply: ChatReply) -> str:
        """The turn as the model wrote it. The thought and the calls that the server separated are put back before and
        after the reply."""
        text = reply.text
        if (
            reply.calls and "<tool_call>" not in text
        ):  # some servers also leave the calls in the text
            text = "\n".join(
                [
                    *filter(str.strip, [text]),
                    *(_tags(name, arguments) for name, arguments in reply.calls),
                ]
            )
        if not reply.reasoning:
            return self._opened + text if reply.text.strip() else text
        if reply.finish_reason == "length" and not text.strip():
            return f"<think>\n{reply.reasoning}"
        return f"<think>\n{reply.reasoning.strip()}\n</think>\n\n{text.strip()}"

    def num_tokens(self, message: Message) -> int:
        """An estimate of the message's tokens that is rather too high."""
        return message.num_tokens()

    def forget(self, conversation: Conversation) -> None:
        """Does nothing: each request carries the whole conversation."""


def _tags(name: str, arguments: str) -> str:
    """A call in the protocol's notation. Arguments that are no JSON stay unchanged, and the protocol refuses them."""
    return f'<tool_call>\n{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": {arguments.strip() or "{}"}}}\n</tool_call>'
