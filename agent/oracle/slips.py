"""Turns of the oracle that do not keep the protocol, so that trajectories show how one gets over them.

The shapes are those in which a small policy's turns were found to be unreadable: a tag is missing or another is in its place, the turn
breaks off, a part comes twice, something follows the action. The turn that was meant comes next, as if nothing had been: what the harness
answers to a violation is no news for the search.
"""

import json
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass

from questloom.agent.oracle.desk import Ended, advanced
from questloom.agent.oracle.speech import Action, Observation

MAX_VIOLATIONS = 2
"""Of an episode: in a row, too, fewer than the three faults that end one (OpenSearch-VL)."""
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
"""How a turn's thought and action are put together wrongly."""


@dataclass(frozen=True)
class ProtocolViolation:
    """A turn that does not keep the protocol."""

    text: str


def parts_of(meant: Action | Ended) -> tuple[str, str]:
    """A turn's thought, and its call or answer with the tags."""
    if isinstance(meant, Ended):
        return meant.thought, f"<answer>{meant.answer}</answer>"
    return (
        meant.thought,
        f"<tool_call>{json.dumps({'name': meant.name, 'arguments': meant.arguments}, ensure_ascii=False)}</tool_call>",
    )


def turn_text(said: Action | ProtocolViolation | Ended) -> str:
    """A turn as the oracle says it."""
    if isinstance(said, ProtocolViolation):
        return said.text
    thought, action = parts_of(said)
    return f"<think>{thought}</think>\n{action}"


def add_violations(
    search: Generator[Action, Observation, Ended], draw: random.Random, share: float
) -> Generator[Action | ProtocolViolation, Observation, Ended]:
    """A search with violations before some of its turns, the answer's too. None comes behind a call that failed, so that faults in a row do not add up.

    Args:
        draw: decides where and how.
        share: of the turns before which one violation comes, or another one after the first.
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
    """The action, opened as if it were one of the other kind."""
    return (
        action.replace("<tool_call>", "<answer>", 1)
        if action.startswith("<tool_call>")
        else action.replace("<answer>", "<tool_call>", 1)
    )
