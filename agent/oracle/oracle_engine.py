"""The oracle: an engine that solves tasks with the tools alone, from the question's logical form in names (`puzzle.Puzzle`).

It is the demo's teacher and an upper bound: a task that it cannot solve is one that the tools do not lead through. It keeps to the turn
protocol of models and reads nothing but observations; its searches are deterministic, so that a conversation taken up from a journal is
replayed from its observations alone.
"""

from collections.abc import Collection, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from questloom.agent.engines.engine import Sample
from questloom.agent.oracle.desk import Ended, advanced
from questloom.agent.oracle.manner import Manner
from questloom.agent.oracle.puzzle import Puzzle
from questloom.agent.oracle.sighted_solver import SightedSolver
from questloom.agent.oracle.slips import ProtocolViolation, add_violations, turn_text
from questloom.agent.oracle.solver import Solver
from questloom.agent.oracle.speech import Action, Observation
from questloom.agent.turns.conversation import Conversation
from questloom.models.messages import Message
from questloom.records.episodes import ToolStatus
from questloom.records.identity import chance


@dataclass
class _Played:
    """A search under way."""

    search: Generator[Action | ProtocolViolation, Observation, Ended]
    next: Action | ProtocolViolation | Ended
    num_seen: int = 0


MAX_KEPT = 8192
"""Tasks of which a process keeps something, more than are played at once; the oldest are forgotten, so that memory stays bounded."""


def keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Puts a value into a dictionary that holds the latest `MAX_KEPT`."""
    kept[key] = value
    if len(kept) > MAX_KEPT:
        del kept[next(iter(kept))]


class OracleEngine:
    """Plays the puzzles of its tasks.

    Args:
        puzzles: by task id.
        tools: names of the tools that it may call.
        max_calls: of an episode; at most the limit under which it is played.
        mistakes: share of the episodes of sighted puzzles in which it makes a mistake first (`sighted_solver.py`).
        slips: share of the turns of sighted puzzles before which one comes that breaks the protocol (`slips.py`).
        seed: of the draws of mistakes and slips.

    Attributes:
        ends: how the latest searches ended, by (task, rollout): the failed step, or the turn that holds the answer.
    """

    name = "oracle"
    model = "oracle"

    def __init__(
        self,
        puzzles: Mapping[str, Puzzle],
        *,
        tools: Collection[str],
        max_calls: int = 50,
        mistakes: float = 0.0,
        slips: float = 0.0,
        seed: int = 0,
    ) -> None:
        self._puzzles, self._tools, self._max_calls = puzzles, frozenset(tools), max_calls
        self._mistakes, self._slips, self._seed = mistakes, slips, seed
        self._played: dict[tuple[str, int], _Played] = {}
        self.ends: dict[tuple[str, int], Ended] = {}

    @property
    def sampling(self) -> Mapping[str, Any]:
        """Nothing is drawn but mistakes and slips."""
        drawn = {
            name: share
            for name, share in (("mistakes", self._mistakes), ("slips", self._slips))
            if share
        }
        return {"max_calls": self._max_calls, **drawn, **({"seed": self._seed} if drawn else {})}

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`. The turns are short; `max_new_tokens` is never near."""
        played = self._at(conversation)
        if isinstance(played.next, Ended):
            keep(self.ends, conversation.key, played.next)
        text = turn_text(played.next)
        return Sample(
            text=text,
            num_prompt_tokens=sum(map(self.num_tokens, conversation.messages)),
            num_new_tokens=len(text) // 3,
        )

    def _at(self, conversation: Conversation) -> _Played:
        """The search at the conversation's turn, replayed from its observations where it is not at hand."""
        played = self._played.get(conversation.key)
        if played is None or played.num_seen > conversation.turn:
            search = self._search(conversation)
            played = self._played[conversation.key] = _Played(search, advanced(search, None))
        while played.num_seen < conversation.turn and not isinstance(played.next, Ended):
            result = conversation.exchanges[played.num_seen].turn.result
            assert result is not None  # an exchange is a turn and what answered it
            # A result that was cut at a limit is a result; a fault is none.
            observation = Observation(
                ok=result.status in (ToolStatus.OK, ToolStatus.LIMIT),
                text=result.text,
                images=result.images,
                turn=played.num_seen,
            )
            played.next = advanced(played.search, observation)
            played.num_seen += 1
        return played

    def _search(
        self, conversation: Conversation
    ) -> Generator[Action | ProtocolViolation, Observation, Ended]:
        puzzle = self._puzzles[conversation.task_id]
        if not puzzle.seen:
            draw = chance(self._seed, conversation.task_id, f"manner-{conversation.rollout}")
            return Solver(puzzle, self._max_calls, self._tools, manner=Manner(draw)).solve()
        draw = chance(self._seed, conversation.task_id, f"mistake-{conversation.rollout}")
        search = SightedSolver(puzzle, draw if draw.random() < self._mistakes else None).solve()
        return add_violations(
            search,
            chance(self._seed, conversation.task_id, f"slip-{conversation.rollout}"),
            self._slips,
        )

    def num_tokens(self, message: Message) -> int:
        """Estimated on the high side."""
        return message.num_tokens()

    def forget(self, conversation: Conversation) -> None:
        """The search may go; how it ended stays in `ends`."""
        self._played.pop(conversation.key, None)
