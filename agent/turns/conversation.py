"""A conversation: an episode so far, as the messages and exchanges that engines and token renderers read."""

from dataclasses import dataclass

from questloom.agent.turns.renderer import Exchange
from questloom.models.messages import Message
from questloom.records.identity import canonical_json, sha256_hex


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """An episode so far, as an engine sees it."""

    task_id: str
    rollout: int
    branch: str = ""
    """Tells the continuations of an episode, and their draws, from rollouts of the same numbers; "" for an episode of its own."""
    opening: tuple[Message, ...]
    """System and user message."""
    exchanges: tuple[Exchange, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        """Tells conversations that run side by side apart."""
        return self.task_id + self.branch, self.rollout

    @property
    def turn(self) -> int:
        """The index of the turn to come."""
        return len(self.exchanges)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, in order."""
        made = list(self.opening)
        for exchange in self.exchanges:
            made += (Message("assistant", (exchange.turn.text,)), exchange.observation)
        return tuple(made)

    def draw(self) -> int:
        """A number of 52 bits for (task and branch, rollout, turn): seeds the sampling, and tells equal requests of different rollouts apart."""
        return int(sha256_hex(canonical_json([*self.key, self.turn]))[:13], 16)
