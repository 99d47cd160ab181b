"""The oracle is a scripted solver without a model. The oracle knows the question's logical form
(`puzzle.Puzzle`), but finds the answer only through the tools.

The oracle is the demo's teacher. The oracle also tests the tools: if it cannot solve a task, the
tools do not lead to the answer. The oracle writes its turns like a model and reads only tool
results (observations). The oracle's searches are deterministic, so the stored tool results are
enough to resume an interrupted conversation.
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
    """An unfinished search for the answer to one question."""

    search: Generator[Action | ProtocolViolation, Observation, Ended]
    next: Action | ProtocolViolation | Ended
    num_seen: int = 0


MAX_KEPT = 8192
"""Maximum number of tasks that a process keeps in memory; fewer tasks are played at once. The
oldest tasks are dropped first."""


def keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Stores a value in a dictionary; if there are more than `MAX_KEPT` values, drops the oldest
    one."""
    kept[key] = value
    if len(kept) > MAX_KEPT:
        del kept[next(iter(kept))]


class OracleEngine:
    """Plays tasks whose puzzles (logical forms) it knows.

    Args:
        puzzles: the puzzles (questions in logical form), by the id of the task.
        tools: names of the tools that the oracle may call.
        max_calls: maximum number of tool calls per episode; not above the player's own limit.
        mistakes: share of episodes that begin with a mistake. Mistakes are made only for puzzles
            that state what the picture shows (`sighted_solver.py`).
        slips: share of turns before which the oracle breaks the turn protocol once. Slips are made
            only for puzzles that state what the picture shows (`slips.py`).
        seed: random seed for the choice of mistakes and slips.

    Attributes:
        ends: how each recent search ended, by (task, rollout): at which step it failed, or in which
            turn it found the answer.
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
        """The settings that change the turns. Only mistakes and slips are random."""
        drawn = {
            name: share
            for name, share in (("mistakes", self._mistakes), ("slips", self._slips))
            if share
        }
        return {"max_calls": self._max_calls, **drawn, **({"seed": self._seed} if drawn else {})}

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`. `max_new_tokens` has no effect, because the oracle's turns are
        short."""
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
        """Returns the search as it stands at the conversation's current turn. If the search is not
        in memory, it is repeated with the stored tool results."""
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
        """Estimates the message's token count, on the high side."""
        return message.num_tokens()

    def forget(self, conversation: Conversation) -> None:
        """Drops the search of an episode from memory. The field `ends` keeps how the search
        ended."""
        self._played.pop(conversation.key, None)
