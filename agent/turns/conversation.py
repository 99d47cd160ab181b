"""A conversation: an unfinished episode as messages and exchanges, for engines and token renderers."""

from dataclasses import dataclass

from questloom.agent.turns.renderer import Exchange
from questloom.models.messages import Message
from questloom.records.identity import canonical_json, sha256_hex


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """An unfinished episode in the form that an engine reads."""

    task_id: str
    rollout: int
    branch: str = ""
    """Distinguishes the continuations of an episode, and their random draws, from rollouts with the same numbers. The
    branch is "" for an episode that continues no other."""
    opening: tuple[Message, ...]
    """The system message and the user message."""
    exchanges: tuple[Exchange, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        """A key that distinguishes concurrent conversations."""
        return self.task_id + self.branch, self.rollout

    @property
    def turn(self) -> int:
        """The index of the next turn."""
        return len(self.exchanges)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages of the conversation, in order."""
        made = list(self.opening)
        for exchange in self.exchanges:
            made += (Message("assistant", (exchange.turn.text,)), exchange.observation)
        return tuple(made)

    def draw(self) -> int:
        """A 52-bit number from (task and branch, rollout, turn). The number seeds the sampling and separates equal
        requests of different rollouts."""
        return int(sha256_hex(canonical_json([*self.key, self.turn]))[:13], 16)
