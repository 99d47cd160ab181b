"""Slips: turns of the oracle that break the protocol. Trajectories with slips show how a policy recovers.

The shapes copy unreadable turns of a small policy: a missing or wrong tag, a cut turn, a repeated part, or text after
the action. The intended turn follows unchanged, because the harness's reply to a violation tells the search nothing.
"""

import json
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass

from questloom.agent.oracle.desk import Ended, advanced
from questloom.agent.oracle.speech import Action, Observation

MAX_VIOLATIONS = 2
"""The most violations of one episode. The limit stays below the three consecutive faults that end an episode
(OpenSearch-VL)."""
SHAPES: tuple[Callable[[str, str], str], ...] = (
    lambda thought, action: f"<think>{thought}",
    lambda thought, action: f"<think>{thought}<think>\n<answer>",
    lambda thought, action: action,
    lambda thought, action: f"{thought}</think>\n{action}",
    lambda thought, action: f"<think>{thought}</think></think>\n{action}",
    lambda thought, action: f"<think>{thought}</think>{thought}</think>\n{action}",
    lambda thought, action: f"<think>{thought}</think>\n<think>{thought}</think>\n{action}",
    lambda thought, action: f"<think>{thought}</think>\n{action[: len(action) // 2]}",
    lambda thought, action: f"<think>{thought}</think>\n{_otherwise_opened(action)}",
    lambda thought, action: f"<think>{thought}</think>\n<tool_call>{action}",
    lambda thought, action: f"<think>{thought}</think>\n{action}{thought}",
    lambda thought, action: f"<think>{thought}</think>\n{action}</answer>",
)
"""Wrong ways to join the thought and the action of a turn."""


@dataclass(frozen=True)
class ProtocolViolation:
    """A turn that breaks the protocol."""

    text: str


def parts_of(meant: Action | Ended) -> tuple[str, str]:
    """The thought of a turn, and its call or answer with the tags."""
    if isinstance(meant, Ended):
        return meant.thought, f"<answer>{meant.answer}</answer>"
    return (
        meant.thought,
        f"<tool_call>{json.dumps({'name': meant.name, 'arguments': meant.arguments}, ensure_ascii=False)}</tool_call>",
    )


def turn_text(said: Action | ProtocolViolation | Ended) -> str:
    """The text of a turn."""
    if isinstance(said, ProtocolViolation):
        return said.text
    thought, action = parts_of(said)
    return f"<think>{thought}</think>\n{action}"


def add_violations(
    search: Generator[Action, Observation, Ended], draw: random.Random, share: float
) -> Generator[Action | ProtocolViolation, Observation, Ended]:
    """Adds violations before some turns of a search, including the answer. No violation follows a failed call, so that
    faults do not add up.

    Args:
        draw: random generator that decides where and how.
        share: share of the turns with a violation before them, and of violations with a second one.
    """
    left, observation = MAX_VIOLATIONS, None
    while True:
        meant = advanced(search, observation)
        while left and (observation is None or observation.ok) and draw.random() < share:
            left -= 1
            yield ProtocolViolation(draw.choice(SHAPES)(*parts_of(meant)))
        if isinstance(meant, Ended):
            return meant
        observation = yield meant


def _otherwise_opened(action: str) -> str:
    """The action with a wrong opening tag: that of an answer for a call, and the reverse."""
    return (
        action.replace("<tool_call>", "<answer>", 1)
        if action.startswith("<tool_call>")
        else action.replace("<answer>", "<tool_call>", 1)
    )
