"""The base class of all grammar rules. The class defines parsed parts with their meaning, and
stores the results of rules.
"""

from collections.abc import Iterator
from functools import wraps
from typing import Any, NamedTuple

from benchmarks.truth_reader.lexicon import Frame, Lexicon, Tokens
from benchmarks.truth_reader.query import SELF, Atom, renamed

MOST = 60
"""The maximum number of readings that are kept for each rule and position. The readings with the
lowest cost are kept.
"""
BARE = 1_000
"""The cost of a phrase such as "the town" when the text does not say which town is meant.

A reading that identifies the town always has a lower cost.
"""
SHOWN = ("shown", "seen", "pictured")
PICTURE = (
    *((word, "here") for word in SHOWN),
    *(
        (*word, "in", article, picture)
        for word in ((), *((w,) for w in SHOWN))
        for article in ("the", "this")
        for picture in ("picture", "image")
    ),
)
"""Words after a noun which say that the picture shows the thing."""


class Part(NamedTuple):
    """One way to read a stretch of text."""

    end: int
    atoms: tuple[Atom, ...]
    cost: int
    var: str = SELF
    noun: str = ""


def rule(method):
    """Stores the results of a rule, so that the rule runs once per position. A rule that calls
    itself at the same position gets no results.
    """

    @wraps(method)
    def kept(self: "Rules", start: int, *more) -> list[Part]:
        key = (method.__name__, start, more)
        if key not in self._kept:
            self._kept[key] = []
            if start < len(self.text):
                found = {
                    (p.end, p.atoms, p.var): p
                    for p in sorted(method(self, start, *more), key=lambda p: -p.cost)
                }
                self._kept[key] = sorted(found.values(), key=lambda p: (p.cost, p.end))[:MOST]
        return self._kept[key]

    return kept


def about(part: Part, var: str) -> tuple[Atom, ...]:
    """The conditions (atoms) of a verb phrase, applied to a variable."""
    return tuple(renamed(a, SELF, var) for a in part.atoms)


class Rules:
    """A text that the grammar reads.

    The rules themselves are in `grammar.py`, `verbs.py` and `amounts.py`, which call each other.
    """

    noun_phrase: Any
    possessive: Any
    owner: Any
    kind: Any
    before: Any

    def __init__(self, text: Tokens, lexicon: Lexicon) -> None:
        self.text = tuple(t for t in text if t != "also")
        also = (i for i, t in enumerate(text) if t == "also")
        self.also = {i - dropped for dropped, i in enumerate(also)}
        """The positions in `text` before which the word "also" stood."""
        self.lexicon = lexicon
        self._kept: dict = {}

    def _var(self, start: int) -> str:
        return f"n{start}"

    def at(self, start: int, *words: str) -> bool:
        """Whether the given words stand at a position, in upper or lower case."""
        return (
            self.text[start : start + len(words)] == words
            or tuple(w.lower() for w in self.text[start : start + len(words)]) == words
        )

    def forms(self, start: int) -> Iterator[tuple[Frame, Tokens]]:
        """Yields each verb that has a finite form at a position."""
        for frame, form in (
            self.lexicon.by_first.get(self.text[start], ()) if start < len(self.text) else ()
        ):
            if self.text[start : start + len(form)] == form:
                yield frame, form
