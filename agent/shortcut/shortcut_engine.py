"""An engine that writes the turns of the shortcut solver (a cheap baseline script). Like a model,
this engine sees only the conversation."""

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
    """Plays episodes with the shortcut solver.

    Args:
        tools: names of the tools that the solver may call.
        max_calls: maximum number of tool calls per episode.
    """

    name = "shortcut"
    model = "shortcut"

    def __init__(self, *, tools: Collection[str], max_calls: int = MAX_CALLS) -> None:
        self._tools, self._max_calls = frozenset(tools), max_calls
        self._played: dict[tuple[str, int], _Played] = {}

    @property
    def sampling(self) -> Mapping[str, Any]:
        """No sampling settings, because the shortcut solver makes no random choices."""
        return {"max_calls": self._max_calls}

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`. `max_new_tokens` has no effect, because the solver's turns are
        short."""
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
        """Returns the search as it stands at the conversation's current turn. If the search is not
        in memory, it is repeated with the stored tool results."""
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
        """Estimates the message's token count, on the high side."""
        return message.num_tokens()

    def forget(self, conversation: Conversation) -> None:
        """Drops the search of an episode from memory."""
        self._played.pop(conversation.key, None)


def question_in(conversation: Conversation) -> str:
    """The words of the question: the last piece of text in the user's first message."""
    texts = [part for part in conversation.opening[-1].parts if isinstance(part, str)]
    return texts[-1].strip()


def _advanced(search: Search, observation: Observation | None) -> Action | Ended:
    try:
        return next(search) if observation is None else search.send(observation)
    except StopIteration as stop:
        ended = stop.value
        assert isinstance(ended, Ended)
        return ended
