"""An engine that tells an observer about its turns. The observer may be a terminal or a page."""

from collections.abc import Callable, Mapping
from typing import Any

from questloom.agent.engines.engine import Engine, Sample
from questloom.agent.turns.conversation import Conversation
from questloom.models.messages import Message


class WatchedEngine:
    """Plays exactly like its inner engine, and reports each turn.

    Args:
        engine: the inner engine, which plays.
        before: a function that is called before each turn, with the conversation so far.
        after: a function that is called after each turn, with the conversation and the new turn.
    """

    def __init__(
        self,
        engine: Engine,
        before: Callable[[Conversation], None],
        after: Callable[[Conversation, Sample], None],
    ) -> None:
        self._engine, self._before, self._after = engine, before, after
        self.name, self.model = engine.name, engine.model

    @property
    def sampling(self) -> Mapping[str, Any]:
        """The settings with which the inner engine samples tokens."""
        return self._engine.sampling

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`."""
        self._before(conversation)
        sample = await self._engine.step(conversation, max_new_tokens=max_new_tokens)
        self._after(conversation, sample)
        return sample

    def num_tokens(self, message: Message) -> int:
        """See `Engine.num_tokens`."""
        return self._engine.num_tokens(message)

    def forget(self, conversation: Conversation) -> None:
        """See `Engine.forget`."""
        self._engine.forget(conversation)
