"""The protocol (interface) of engines. An engine gets a conversation and samples the model's next
turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from questloom.agent.turns.conversation import Conversation
from questloom.models.messages import Message


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One turn that an engine sampled."""

    text: str
    """The turn's text, without the end-of-turn token. If the chat template put a `<think>` into the
    prompt, the text includes it."""
    complete: bool = True
    """Whether the model ended the turn itself; False if a limit cut the turn."""
    refusal: str = ""
    """Why the model or its provider refused to reply, if the reply gives a reason outside its
    text."""
    num_prompt_tokens: int = 0
    num_new_tokens: int = 0
    token_ids: tuple[int, ...] = ()
    """The ids of the sampled tokens, including a sampled end-of-turn token; empty for engines
    without token ids."""
    logprobs: tuple[float, ...] = ()
    """Natural log-probabilities of `token_ids` at the sampling temperature, computed before top-p
    and forbidden tokens reduce the choice."""
    cost: float = 0.0
    """Price of the turn, in the currency of the price list."""


class ContextFull(Exception):
    """The conversation is longer than the model's context. The message of this exception is the
    error message of the endpoint."""


class Engine(Protocol):
    """An engine produces the model's turns in conversations. Callers call `step` for many
    conversations concurrently. An engine that works in batches forms the batches itself."""

    name: str
    """The engine's name: "openai", "transformers", "server" or "oracle"."""
    model: str

    @property
    def sampling(self) -> Mapping[str, Any]:
        """The settings that change the sampled turns (temperature, top-p, seed), as JSON."""

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """Samples the next turn.

        Args:
            max_new_tokens: maximum number of tokens of the turn.

        Raises:
            ProviderFault: the model cannot be reached after all retries.
            ContextFull: the conversation is too long for the model.
            BudgetExceeded: the hard budget is reached.
        """

    def num_tokens(self, message: Message) -> int:
        """The number of tokens of a message. If the engine has no local tokenizer, it estimates the
        number on the high side."""

    def forget(self, conversation: Conversation) -> None:
        """Drops everything that the engine keeps for a finished episode."""
