"""The engine of the shortcut solver. Like a policy, this engine sees only the conversation."""

import json
from collections.abc import Collection, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from questloom.agent.engines.engine import Sample
from questloom.agent.shortcut.shortcut_solver import (
    MAX_CALLS,
    Action,
    Ended,
    Observation,
    ShortcutSolver,
)
from questloom.agent.turns.conversation import Conversation
from questloom.models.messages import Message
from questloom.records.episodes import ToolStatus

Search = Generator[Action, Observation, Ended]


@dataclass
class _Played:
    search: Search
    next: Action | Ended
    num_seen: int = 0


class ShortcutEngine:
    """Plays the shortcut solver.

    Args:
        tools: names of the tools that the solver may call.
        max_calls: most tool calls of an episode.
    """

    name = "shortcut"
    model = "shortcut"

    def __init__(self, *, tools: Collection[str], max_calls: int = MAX_CALLS) -> None:
        self._tools, self._max_calls = frozenset(tools), max_calls
        self._played: dict[tuple[str, int], _Played] = {}

    @property
    def sampling(self) -> Mapping[str, Any]:
        """Empty, because the solver draws nothing at random."""
        return {"max_calls": self._max_calls}

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`. The turns are short and stay far below `max_new_tokens`."""
        said = self._at(conversation).next
        text = (
            f"<think>The best that I found, by {said.move}.</think>\n<answer>{said.answer}</answer>"
            if isinstance(said, Ended)
            else f"<think>{said.thought}</think>\n<tool_call>"
            f"{json.dumps({'name': said.name, 'arguments': said.arguments}, ensure_ascii=False)}</tool_call>"
        )
        return Sample(
            text=text,
            num_prompt_tokens=sum(map(self.num_tokens, conversation.messages)),
            num_new_tokens=len(text) // 3,
        )

    def _at(self, conversation: Conversation) -> _Played:
        """The search at the conversation's turn. A search that is not in memory is replayed from the observations."""
        played = self._played.get(conversation.key)
        if played is None or played.num_seen > conversation.turn:
            search = ShortcutSolver(question_in(conversation), self._max_calls, self._tools).solve()
            played = self._played[conversation.key] = _Played(search, _advanced(search, None))
        while played.num_seen < conversation.turn and not isinstance(played.next, Ended):
            result = conversation.exchanges[played.num_seen].turn.result
            assert result is not None  # an exchange is a turn and its result
            observation = Observation(
                result.status in (ToolStatus.OK, ToolStatus.LIMIT),
                result.text,
                result.images,
                played.num_seen,
            )
            played.next = _advanced(played.search, observation)
            played.num_seen += 1
        return played

    def num_tokens(self, message: Message) -> int:
        """An estimate of the message's tokens that is rather too high."""
        return message.num_tokens()

    def forget(self, conversation: Conversation) -> None:
        """Drops the search."""
        self._played.pop(conversation.key, None)


def question_in(conversation: Conversation) -> str:
    """The words of the question: the last text of the opening, after the pictures."""
    texts = [part for part in conversation.opening[-1].parts if isinstance(part, str)]
    return texts[-1].strip()


def _advanced(search: Search, observation: Observation | None) -> Action | Ended:
    try:
        return next(search) if observation is None else search.send(observation)
    except StopIteration as stop:
        ended = stop.value
        assert isinstance(ended, Ended)
        return ended
