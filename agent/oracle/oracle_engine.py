"""The oracle: an engine that solves tasks with the tools alone. The oracle knows the question's logical form in names
(`puzzle.Puzzle`).

The oracle is the demo's teacher and an upper bound: if it cannot solve a task, the tools do not lead to the answer. The
oracle follows the models' turn protocol and reads only observations. The oracle's searches are deterministic, so a
conversation from a journal is replayed from its observations alone.
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
    """A running search."""

    search: Generator[Action | ProtocolViolation, Observation, Ended]
    next: Action | ProtocolViolation | Ended
    num_seen: int = 0


MAX_KEPT = 8192
"""The most tasks that a process stores, more than are played at once. The oldest are dropped, so that memory stays
bounded."""


def keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Stores a value in a dictionary that holds the latest `MAX_KEPT` values."""
    kept[key] = value
    if len(kept) > MAX_KEPT:
        del kept[next(iter(kept))]


class OracleEngine:
    """Plays the puzzles of its tasks.

    Args:
        puzzles: the puzzles by task id.
        tools: names of the tools that the oracle may call.
        max_calls: most calls of an episode, at most the limit of the player.
        mistakes: share of the episodes of sighted puzzles that begin with a mistake (`sighted_solver.py`).
        slips: share of the turns of sighted puzzles that follow a turn which breaks the protocol (`slips.py`).
        seed: seed for drawing mistakes and slips.

    Attributes:
        ends: the ends of the latest searches by (task, rollout): the failed step, or the turn with the answer.
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
        """The settings of the random draws; only mistakes and slips are random."""
        drawn = {
            name: share
            for name, share in (("mistakes", self._mistakes), ("slips", self._slips))
            if share
        }
        return {"max_calls": self._max_calls, **drawn, **({"seed": self._seed} if drawn else {})}

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`. The turns are short and stay far below `max_new_tokens`."""
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
        """The search at the conversation's turn. A search that is not in memory is replayed from the observations."""
        played = self._played.get(conversation.key)
        if played is None or played.num_seen > conversation.turn:
            search = self._search(conversation)
            played = self._played[conversation.key] = _Played(search, advanced(search, None))
        while played.num_seen < conversation.turn and not isinstance(played.next, Ended):
            result = conversation.exchanges[played.num_seen].turn.result
            assert result is not None  # an exchange is a turn and its result
            # A result that was cut at a limit counts as a result; a fault does not.
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
        """An estimate of the message's tokens that is rather too high."""
        return message.num_tokens()

    def forget(self, conversation: Conversation) -> None:
        """Drops the search; its end stays in `ends`."""
        self._played.pop(conversation.key, None)
