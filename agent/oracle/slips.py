"""Slips are turns in which the oracle (a scripted solver) breaks the turn protocol on purpose. From
episodes with slips, a model can learn to recover.

The slips imitate unreadable turns of a small model: a missing or wrong tag, a cut turn, a repeated
part, or text after the tool call or answer. After a slip, the oracle makes the intended turn
unchanged, because a slip brings no new information.
"""

import json
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass

from questloom.agent.oracle.desk import Ended, advanced
from questloom.agent.oracle.speech import Action, Observation

MAX_VIOLATIONS = 2
"""Maximum number of violations of the protocol in one episode. The number is low because three
consecutive faults would end the episode, as in OpenSearch-VL."""
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
"""Wrong ways to put together the thought and the action (tool call or answer) of a turn."""


@dataclass(frozen=True)
class ProtocolViolation:
    """A turn that breaks the protocol."""

    text: str


def parts_of(meant: Action | Ended) -> tuple[str, str]:
    """The thought of a turn, and the turn's tool call or answer with its tags."""
    if isinstance(meant, Ended):
        return meant.thought, f"<answer>{meant.answer}</answer>"
    return (
        meant.thought,
        f"<tool_call>{json.dumps({'name': meant.name, 'arguments': meant.arguments}, ensure_ascii=False)}</tool_call>",
    )


def turn_text(said: Action | ProtocolViolation | Ended) -> str:
    """The text of one turn."""
    if isinstance(said, ProtocolViolation):
        return said.text
    thought, action = parts_of(said)
    return f"<think>{thought}</think>\n{action}"


def add_violations(
    search: Generator[Action, Observation, Ended], draw: random.Random, share: float
) -> Generator[Action | ProtocolViolation, Observation, Ended]:
    """Inserts turns that break the protocol before some turns of a search. An inserted turn may
    also come before the answer. An inserted turn never follows a failed call, because too many
    consecutive faults end an episode.

    Args:
        draw: random generator that chooses the places and the kinds of violations.
        share: probability of a violation before each turn. After a violation, a second one follows
            with the same probability.
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
    """Gives an action the wrong opening tag: a tool call gets the tag of an answer, and an answer
    the tag of a tool call."""
    return (
        action.replace("<tool_call>", "<answer>", 1)
        if action.startswith("<tool_call>")
        else action.replace("<answer>", "<tool_call>", 1)
    )
