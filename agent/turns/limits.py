"""What ends an episode besides its answer: calls, tokens, time, repetition, faults in a row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt

from questloom.records.episodes import ToolStatus, Turn

REPETITIVE_WORDS = 2_500
REPETITIVE_CHARS = 30
REPETITIVE_SHARE = 0.5
"""A turn of more words than these whose windows of 30 characters are less than half distinct goes in circles (OpenSearch-VL)."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """An episode's limits; the defaults are VSearcher's."""

    calls: Annotated[int, Ge(0)] = 30
    """Tool calls; a turn that breaks the protocol and is answered counts as one. OpenSearch-VL and ODE: 50."""
    turn_tokens: Annotated[int, Gt(0)] = 10_000
    """New tokens of one turn."""
    tokens: Annotated[int, Gt(0)] = 200_000
    """Prompt and new tokens at any turn: the context."""
    seconds: Annotated[float, Gt(0)] = 9_000.0
    """Wall time, over all runs that the episode was played in."""
    faults: Annotated[int, Ge(0)] = 0
    """Model faults in a row that end the episode as fatal, one success resetting the count; 0 for never. OpenSearch-VL: 3."""
    same_turns: Annotated[int, Ge(0)] = 4
    """Equal turns in a row that end the episode as repetition; 0 for never."""
    on_violation: Literal["end", "observe"] = "end"
    """What a turn that breaks the protocol does: end the episode (VSearcher), or come back as a model fault (OpenSearch-VL)."""


def is_repetitive(text: str) -> bool:
    """Whether a turn goes in circles.

    >>> is_repetitive("the tower and the bridge " * 1_000), is_repetitive("the tower and the bridge " * 100)
    (True, False)
    """
    if len(text) < 2 * REPETITIVE_WORDS or len(text.split()) <= REPETITIVE_WORDS:
        return False
    num = len(text) - REPETITIVE_CHARS + 1
    distinct = {text[start : start + REPETITIVE_CHARS] for start in range(num)}
    return len(distinct) < REPETITIVE_SHARE * num


def num_same_turns(turns: Sequence[Turn]) -> int:
    """How many turns at the end have the same text."""
    num = 0
    while num < len(turns) and turns[-1 - num].text == turns[-1].text:
        num += 1
    return num


def repetition_warning(same: int, limit: int) -> str:
    """What a policy is told behind the result of a turn that it said `same` times in a row."""
    return f"\nThis is the same turn {same} times in a row; the episode ends without an answer at {limit}."


_WARNING = re.compile(re.escape(repetition_warning(0, 0)).replace("0", r"\d+") + r"\Z")


def without_warning(text: str) -> str:
    """A result without its `repetition_warning`.

    >>> without_warning("No page." + repetition_warning(2, 4)), without_warning("No page.")
    ('No page.', 'No page.')
    """
    return _WARNING.sub("", text)


def num_faults_in_row(turns: Sequence[Turn]) -> int:
    """Model faults since the last success. Faults of providers and limits of the sandbox neither count nor reset."""
    num = 0
    for turn in reversed(turns):
        status = turn.result.status if turn.result else ""
        if status == ToolStatus.OK:
            break
        num += status == ToolStatus.MODEL_FAULT
    return num
