"""The protocol of engines: given a conversation, an engine samples the policy's next turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from questloom.agent.turns.conversation import Conversation
from questloom.models.messages import Message


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One sampled turn."""

    text: str
    """The rendered text, without the end-of-turn token. A `<think>` that the template opened in the prompt is included."""
    complete: bool = True
    """Whether the model ended the turn itself; False where a limit cut the turn."""
    refusal: str = ""
    """Why the model or provider declined, if the reason was given outside the text."""
    num_prompt_tokens: int = 0
    num_new_tokens: int = 0
    token_ids: tuple[int, ...] = ()
    """The sampled tokens, with the end-of-turn token if it was sampled; empty for engines without token ids."""
    logprobs: tuple[float, ...] = ()
    """Natural log-probabilities of `token_ids` at the sampling temperature, before any cut (top-p, forbidden tokens)."""
    cost: float = 0.0
    """Cost of the turn in money."""


class ContextFull(Exception):
    """The conversation is longer than the model's context. The exception's message comes from the endpoint."""


class Engine(Protocol):
    """An engine produces turns. `step` is called for many conversations at once; an engine that batches does so
    internally."""

    name: str
    """The engine's name: "openai", "transformers", "server" or "oracle"."""
    model: str

    @property
    def sampling(self) -> Mapping[str, Any]:
        """All other settings that shape the turns (temperature, top-p, seed), as JSON."""

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """Samples the next turn.

        Args:
            max_new_tokens: the turn is cut at this length.

        Raises:
            ProviderFault: the model cannot be reached after all retries.
            ContextFull: the conversation is too long for the model.
            BudgetExceeded: the hard budget is reached.
        """

    def num_tokens(self, message: Message) -> int:
        """The number of tokens of a message: exact with a local tokenizer, else estimated too high."""

    def forget(self, conversation: Conversation) -> None:
        """Drops everything that the engine keeps for a finished episode."""
