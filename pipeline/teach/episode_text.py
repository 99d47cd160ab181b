"""Turns an episode into text. The command `chat` prints the text turn by turn, and `render_episode`
returns the text as a whole.

Some of the text comes from a model or from web pages. Control characters are therefore removed,
since a terminal would obey them.
"""

import unicodedata

from questloom.records.episodes import EndReason, Episode, ToolResult

MAX_SHOWN = 2_000
"""At most this number of characters of an observation is shown."""


def harmless(text: str) -> str:
    """The text without characters that control a terminal (escape sequences, backspaces, direction marks).

    >>> harmless("a\\x1b[2Jb\\u202ec\\nd")
    'a[2Jbc\\nd'
    """
    return "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co")
    )


def turn_text(number: int, text: str) -> str:
    """A turn of the policy as text. The first turn has number 1."""
    return f"── turn {number} ──\n{harmless(text)}\n"


def observed_text(result: ToolResult) -> str:
    """The result of a tool as text."""
    text = harmless(result.text)
    cut = (
        f"{text[:MAX_SHOWN]} … {len(text) - MAX_SHOWN:,} characters more"
        if len(text) > MAX_SHOWN
        else text
    )
    told = (
        "" if result.status == "ok" else f" ({harmless(f'{result.status} {result.code}').strip()})"
    )
    return f"   observed{told}:\n" + "\n".join(f"   │ {line}" for line in cut.split("\n")) + "\n"


def end_text(episode: Episode) -> str:
    """How an episode ended, and how many turns and calls it took."""
    spent = f"{len(episode.turns)} turns, {episode.seconds:.1f} s" + (
        f", ${episode.cost:.4f}" if episode.cost else ""
    )
    if episode.end == EndReason.ANSWERED:
        return f"══ answer: {harmless(episode.answer)}  ({spent})"
    return f"══ no answer: {episode.end}, {harmless(episode.end_evidence)}  ({spent})"


def episode_text(episode: Episode) -> str:
    """The whole episode as text: the question, each turn with its observation, and how the episode
    ended."""
    parts = [harmless(episode.question)]
    for number, turn in enumerate(episode.turns, 1):
        parts.append(turn_text(number, turn.text))
        if turn.result is not None:
            parts.append(observed_text(turn.result))
    return "\n".join([*parts, end_text(episode)])
