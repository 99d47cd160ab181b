"""The limits that end an episode without an answer: calls, tokens, time, repetition, consecutive faults."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt

from questloom.records.episodes import ToolStatus, Turn

REPETITIVE_WORDS = 2_500
REPETITIVE_CHARS = 30
REPETITIVE_SHARE = 0.5
"""A turn with more words than REPETITIVE_WORDS is repetitive when fewer than half of its 30-character windows are
distinct (OpenSearch-VL)."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of an episode; the defaults are VSearcher's."""

    calls: Annotated[int, Ge(0)] = 30
    """The most tool calls. A turn that breaks the protocol and gets a reply counts as a call. OpenSearch-VL and ODE
    allow 50 calls."""
    turn_tokens: Annotated[int, Gt(0)] = 10_000
    """The most new tokens of one turn."""
    tokens: Annotated[int, Gt(0)] = 200_000
    """The size of the context: the most prompt and new tokens at any turn."""
    seconds: Annotated[float, Gt(0)] = 9_000.0
    """The most wall time in seconds, over all runs of the episode."""
    faults: Annotated[int, Ge(0)] = 0
    """The number of consecutive model faults that ends the episode as fatal; a success resets the count. 0 means never.
    In OpenSearch-VL, 3 faults end an episode."""
    same_turns: Annotated[int, Ge(0)] = 4
    """The number of consecutive equal turns that ends the episode as repetition; 0 for never."""
    on_violation: Literal["end", "observe"] = "end"
    """The effect of a turn that breaks the protocol: it ends the episode (VSearcher), or returns a model fault
    (OpenSearch-VL)."""


def is_repetitive(text: str) -> bool:
    """Whether the text of a turn is repetitive.

    >>> is_repetitive("the tower and the bridge " * 1_000), is_repetitive("the tower and the bridge " * 100)
    (True, False)
    """
    if len(text) < 2 * REPETITIVE_WORDS or len(text.split()) <= REPETITIVE_WORDS:
        return False
    num = len(text) - REPETITIVE_CHARS + 1
    distinct = {text[start : start + REPETITIVE_CHARS] for start in range(num)}
    return len(distinct) < REPETITIVE_SHARE * num


def num_same_turns(turns: Sequence[Turn]) -> int:
    """The number of equal turns at the end of an episode."""
    num = 0
    while num < len(turns) and turns[-1 - num].text == turns[-1].text:
        num += 1
    return num


def repetition_warning(same: int, limit: int) -> str:
    """The warning that follows the result of a turn which was repeated `same` times in a row."""
    return f"\nThis is the same turn {same} times in a row; the episode ends without an answer at {limit}."


_WARNING = re.compile(re.escape(repetition_warning(0, 0)).replace("0", r"\d+") + r"\Z")


def without_warning(text: str) -> str:
    """A result without its `repetition_warning`.

    >>> without_warning("No page." + repetition_warning(2, 4)), without_warning("No page.")
    ('No page.', 'No page.')
    """
    return _WARNING.sub("", text)


def num_faults_in_row(turns: Sequence[Turn]) -> int:
    """The number of model faults since the last success. Provider faults and sandbox limits neither raise nor reset the
    number."""
    num = 0
    for turn in reversed(turns):
        status = turn.result.status if turn.result else ""
        if status == ToolStatus.OK:
            break
        num += status == ToolStatus.MODEL_FAULT
    return num
