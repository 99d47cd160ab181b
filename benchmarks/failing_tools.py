"""GRPO while tools break down: `python -m benchmarks.failing_tools SHARE ARGUMENTS OF questloom.train.grpo`, for `learning_cases.py`.

In that share of the rollouts that are learned from, drawn at random, every call fails from the first or the second on, and is told as a fault of the
call: what a harness tells that does not keep its own failures apart from the policy's, as those do in which fatal-aware learning was proposed (this
one does, and would never hold them against a rollout). Held-out questions are played with tools that work.
"""

import copy
import random
import sys

from questloom.agent.play.player import Player
from questloom.agent.tools import ToolBox
from questloom.agent.turns.image_bank import ImageBank
from questloom.records.episodes import ToolCall, ToolResult, ToolStatus
from questloom.train.grpo.command import main
from questloom.train.rollouts.policy_engine import PolicyPlayers

BROKEN = ToolResult(status=ToolStatus.MODEL_FAULT, code="broken", text="This call failed.")


class BreakingToolBox(ToolBox):
    """A tool box like another, which breaks down for good in some episodes.

    Args:
        whole: the other.
        share: of the episodes.
        chance: what is drawn from, once an episode.
    """

    def __init__(self, whole: ToolBox, share: float, chance: random.Random) -> None:
        vars(self).update(vars(whole))
        self._share, self._chance = share, chance
        self._broken_from: int | None = None

    def for_task(self, withheld_pictures: frozenset[str]) -> "BreakingToolBox":
        """See `ToolBox`; the box of one episode."""
        box = copy.copy(self)
        box._withheld = frozenset(withheld_pictures)
        breaks, turn = self._chance.random() < self._share, self._chance.randrange(2)
        box._broken_from = turn if breaks else None
        return box

    async def call(self, call: ToolCall, bank: ImageBank, *, turn: int) -> ToolResult:
        """See `ToolBox`."""
        if self._broken_from is not None and turn >= self._broken_from:
            return BROKEN
        return await super().call(call, bank, turn=turn)


def install(share: float) -> None:
    """Has this process's players of training use such boxes."""
    of_step = PolicyPlayers.of_step

    def breaking(self: PolicyPlayers, step: int, version: int) -> Player:
        made = of_step(self, step, version)
        return Player(
            made.engine,
            BreakingToolBox(self.playing.toolbox, share, random.Random(step)),
            made.limits,
            renderer=made.renderer,
        )

    PolicyPlayers.of_step = breaking  # type: ignore[method-assign]


if __name__ == "__main__":
    install(float(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
