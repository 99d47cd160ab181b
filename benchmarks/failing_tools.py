"""Runs GRPO training with tools that break down in a share of the training rollouts (attempts at a
question).

    python -m benchmarks.failing_tools SHARE ARGUMENTS OF questloom.train.grpo

`learning_cases.py` starts this script. In some random training rollouts, all tool calls fail, or
all except the first. Each failure is reported as a fault of the model. Some other programs do not
tell broken tools from faults of the model, and fatal-aware learning was proposed for them.
Questloom itself never blames the model for a broken tool. When held-out questions are played, the
tools work.
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
    """A tool box whose tools break down in some episodes and stay broken.

    Args:
        whole: a tool box whose tools work.
        share: share of the episodes in which the tools break down.
        chance: random generator, used once per episode.
    """

    def __init__(self, whole: ToolBox, share: float, chance: random.Random) -> None:
        vars(self).update(vars(whole))
        self._share, self._chance = share, chance
        self._broken_from: int | None = None

    def for_task(self, withheld_pictures: frozenset[str]) -> "BreakingToolBox":
        """Returns the tool box of one episode; see `ToolBox`."""
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
    """Makes all training episodes in this process use tool boxes that break down."""
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
