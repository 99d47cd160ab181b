"""The limits that end an episode without an answer: calls, tokens, time, repetition, and consecutive faults."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt

from questloom.records.episodes import ToolStatus, Turn

REPETITIVE_WORDS = 2_500
REPETITIVE_CHARS = 30
REPETITIVE_SHARE = 0.5
"""A turn with more than REPETITIVE_WORDS words is repetitive if fewer than half of its 30-character
windows are distinct. The rule for repetitive turns is from OpenSearch-VL."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of an episode; the default values are VSearcher's."""

    calls: Annotated[int, Ge(0)] = 30
    """Maximum number of tool calls. A turn that breaks the turn protocol and gets a reply also
    counts as a call. OpenSearch-VL and ODE allow 50 calls."""
    turn_tokens: Annotated[int, Gt(0)] = 10_000
    """Maximum number of new tokens in one turn."""
    tokens: Annotated[int, Gt(0)] = 200_000
    """Maximum number of tokens in the model's context: prompt and new tokens together."""
    seconds: Annotated[float, Gt(0)] = 9_000.0
    """Maximum wall time of an episode in seconds. If an episode is interrupted and resumed, the
    time before the interruption and the time after it are added."""
    faults: Annotated[int, Ge(0)] = 0
    """If this number of calls in a row fail through the model's fault, the episode ends as fatal. 0
    sets no limit. In OpenSearch-VL, 3 faults end an episode."""
    same_turns: Annotated[int, Ge(0)] = 4
    """If the model writes this number of equal turns in a row, the episode ends as repetition. 0
    sets no limit."""
    on_violation: Literal["end", "observe"] = "end"
    """What happens after a turn that breaks the turn protocol. "end" ends the episode, as in
    VSearcher. "observe" replies to the model with a fault, as in OpenSearch-VL."""


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
    """The number of equal turns in a row at the end of an episode."""
    num = 0
    while num < len(turns) and turns[-1 - num].text == turns[-1].text:
        num += 1
    return num


def repetition_warning(same: int, limit: int) -> str:
    """The warning that the model gets if it wrote the same turn `same` times in a row."""
    return f"\nThis is the same turn {same} times in a row; the episode ends without an answer at {limit}."


_WARNING = re.compile(re.escape(repetition_warning(0, 0)).replace("0", r"\d+") + r"\Z")


def without_warning(text: str) -> str:
    """Removes the `repetition_warning` from the text of a result.

    >>> without_warning("No page." + repetition_warning(2, 4)), without_warning("No page.")
    ('No page.', 'No page.')
    """
    return _WARNING.sub("", text)


def num_faults_in_row(turns: Sequence[Turn]) -> int:
    """Counts the calls that failed through the model's fault, beginning after the last successful
    call. Faults of providers and limits of the sandbox do not count."""
    num = 0
    for turn in reversed(turns):
        status = turn.result.status if turn.result else ""
        if status == ToolStatus.OK:
            break
        num += status == ToolStatus.MODEL_FAULT
    return num
