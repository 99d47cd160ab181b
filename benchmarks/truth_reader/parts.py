"""What every rule of the grammar is made of: a part of the text with its meaning, and the memory of what was read."""

from collections.abc import Iterator
from functools import wraps
from typing import Any, NamedTuple

from benchmarks.truth_reader.lexicon import Frame, Lexicon, Tokens
from benchmarks.truth_reader.query import SELF, Atom, renamed

MOST = 60
"""Readings kept a rule and position, the cheapest first."""
BARE = 1_000
"""Cost of "the town" with nothing that says which: it is not English to leave it so where another reading says it."""
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
"""Words behind a noun that say that the picture shows it."""


class Part(NamedTuple):
    """One way to read a stretch of text."""

    end: int
    atoms: tuple[Atom, ...]
    cost: int
    var: str = SELF
    noun: str = ""


def rule(method):
    """Keeps a rule's results; a rule that meets itself at the same position gives nothing."""

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
    """A verb phrase's atoms said of a variable."""
    return tuple(renamed(a, SELF, var) for a in part.atoms)


class Rules:
    """One text being read; the rules themselves are in `grammar.py` and `amounts.py`, which call each other."""

    noun_phrase: Any
    owner: Any

    def __init__(self, text: Tokens, lexicon: Lexicon) -> None:
        self.text = tuple(t for t in text if t != "also")
        self.lexicon = lexicon
        self._kept: dict = {}

    def at(self, start: int, *words: str) -> bool:
        """Whether these words stand here, in any case."""
        return (
            self.text[start : start + len(words)] == words
            or tuple(w.lower() for w in self.text[start : start + len(words)]) == words
        )

    def forms(self, start: int) -> Iterator[tuple[Frame, Tokens]]:
        """Verbs of which a finite form stands here."""
        for frame, form in (
            self.lexicon.by_first.get(self.text[start], ()) if start < len(self.text) else ()
        ):
            if self.text[start : start + len(form)] == form:
                yield frame, form
