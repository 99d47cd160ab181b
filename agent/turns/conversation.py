"""A conversation is the content of an unfinished episode: messages, turns and tool results. Engines
and renderers read conversations."""

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
    """The name of a continuation of an episode. A continuation and a whole episode with the same
    rollout number make different random choices, because their branches differ. The branch is ""
    for an episode that continues no other episode."""
    opening: tuple[Message, ...]
    """The messages before the first turn: the system message and the user message."""
    exchanges: tuple[Exchange, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        """A key that tells apart conversations that run at the same time."""
        return self.task_id + self.branch, self.rollout

    @property
    def turn(self) -> int:
        """The index of the next turn."""
        return len(self.exchanges)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages of the conversation so far, in order."""
        made = list(self.opening)
        for exchange in self.exchanges:
            made += (Message("assistant", (exchange.turn.text,)), exchange.observation)
        return tuple(made)

    def draw(self) -> int:
        """The random seed for sampling: a 52-bit number that is computed from the task, the branch,
        the rollout and the turn. Equal requests of different rollouts (attempts at the same task)
        have different seeds."""
        return int(sha256_hex(canonical_json([*self.key, self.turn]))[:13], 16)
