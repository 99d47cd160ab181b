"""The protocol of engines: given a conversation, an engine samples the policy's next turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from questloom.agent.turns.conversation import Conversation
from questloom.models.messages import Message


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One turn as the engine sampled it."""

    text: str
    """As rendered: with the `<think>` that a thinking template opened in the prompt, without the end-of-turn token."""
    complete: bool = True
    """Whether the model ended the turn itself; False where a limit cut it."""
    refusal: str = ""
    """Why model or provider declined, where they said so outside the text."""
    num_prompt_tokens: int = 0
    num_new_tokens: int = 0
    token_ids: tuple[int, ...] = ()
    """As sampled, with the end-of-turn token where it came; empty where the engine has none."""
    logprobs: tuple[float, ...] = ()
    """Natural log-probabilities of `token_ids` at the sampling temperature, before any cut (top-p, forbidden tokens)."""
    cost: float = 0.0
    """Money."""


class ContextFull(Exception):
    """The conversation is longer than the model's context; the message is the endpoint's."""


class Engine(Protocol):
    """Produces turns. `step` is called for many conversations at once; an engine that batches does so inside."""

    name: str
    """"openai", "transformers", "server", "oracle"."""
    model: str

    @property
    def sampling(self) -> Mapping[str, Any]:
        """Whatever else shapes the turns (temperature, top-p, seed), as JSON."""

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """The next turn.

        Args:
            max_new_tokens: the turn is cut there.

        Raises:
            ProviderFault: the model cannot be reached, after all retries.
            ContextFull: the model cannot read so much.
            BudgetExceeded: the hard budget is reached.
        """

    def num_tokens(self, message: Message) -> int:
        """How many tokens a message is read as: exact where the tokenizer is here, else estimated on the high side."""

    def forget(self, conversation: Conversation) -> None:
        """The episode is over: whatever is kept for it may go."""
