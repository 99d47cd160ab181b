"""An engine that asks any OpenAI-compatible endpoint, for teachers and evaluation. The endpoint
returns no token ids. The package `calls/` caches the requests, limits their rate and counts their
cost."""

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
    """Samples turns from an endpoint, as text in the turn protocol (`turn_protocol.py`). The engine
    asks the server for plain text. If a server returns native tool calls anyway, the engine
    rewrites them as text in the protocol.

    The cache key of a request holds the messages and (task, rollout, turn). With this key, no turn
    is paid for twice, and two rollouts (attempts) of a task never share a reply.

    Args:
        client: chat client that sends the requests to the endpoint.
        role: name of a role, which has a model and sampling settings in the client's settings.
        opened: text that the model's chat template writes before each turn. For Instruct models,
            the text before a turn is "". For Qwen3-VL-Thinking, the text before a turn is
            "<think>\\n", if the server leaves the thought in the reply. If a server returns the
            thought separately, this setting is not needed.
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
        """The sampling settings of the role, as JSON."""
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
        """Restores the turn as the model wrote it. If the server separated the thought and the tool
        calls from the reply, they are put back around the reply."""
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
        """Estimates the message's token count, on the high side."""
        return message.num_tokens()

    def forget(self, conversation: Conversation) -> None:
        """Does nothing, because the engine stores nothing: each request contains the whole
        conversation."""


def _tags(name: str, arguments: str) -> str:
    """Writes a tool call as text, in the form that the turn protocol demands. Arguments that are
    not valid JSON stay as they are; the check of the turn later refuses them."""
    return f'<tool_call>\n{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": {arguments.strip() or "{}"}}}\n</tool_call>'
