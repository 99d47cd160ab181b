"""Scores how weakly pages support a fact of the puzzle, as doubt: 0 means that a page states the fact explicitly."""

import re

from questloom.agent.oracle.observation_reading import (
    Line,
    Literal,
    PageRead,
    Read,
    Thing,
    candidates,
    key,
    says,
)
from questloom.agent.oracle.puzzle import Const, Fact
from questloom.agent.oracle.relation_words import cues_of
from questloom.agent.oracle.speech import named

SURE = 3.0
"""Candidates with a lower score are checked before use, because no cue or only a weak cue supports them. A cue is a
phrase that states a relation."""
NAMED_ONLY = 0.6
"""Doubt when a page names the other end of a fact, but without words for the relation."""
OTHERWISE = 1.5
"""Doubt when a page names the other end of a fact, but states another value in words for the relation."""
UNSTATED_DOUBT = 2.0
"""Doubt when a page does not mention a fact."""


def doubt_of(score: float) -> float:
    """The doubt about a candidate with a given reading score."""
    return max(0.0, 4.0 - score) * 0.75


def doubt_about(page: PageRead, fact: Fact, expected: Read | Const) -> float | None:
    """The doubt about a fact after reading the page of its thing; None when the page contradicts the fact."""
    if (
        isinstance(expected, Const)
        and expected.kind in ("thing", "text")
        and expected.text == expected.text.casefold()
    ):
        return _doubt_about_word(page, fact, expected.text)
    kind = kind_of(expected)
    found = candidates(page, fact.relation, kind=kind) if fact.relation else []
    if any(same(c.value, expected) and c.score >= 1.5 for c in found):
        return 0.0
    if kind == "thing" and any(says(line.text, named(expected)) for line in page.lines()):
        return OTHERWISE if found and found[0].score >= SURE else NAMED_ONLY
    if kind != "thing" and any(same(c.value, expected) for c in found):
        return 0.0
    return None if any(c.score > 5 for c in found) else UNSTATED_DOUBT


def _doubt_about_word(page: PageRead, fact: Fact, word: str) -> float:
    """The doubt about a fact with a common noun ("portrait", "oil paint"), which has neither link nor capital."""
    for line in page.lines():
        for cue in (
            cues_of(fact.relation).subject if fact.relation and says(line.text, word) else ()
        ):
            m = cue.words.search(line.text)
            if m and says(line.text[m.end() :] if cue.after else line.text[: m.start()], word):
                return 0.0
    keys = cues_of(fact.relation).keys if fact.relation else ()
    if any(name in keys and says(value, word) for name, value in page.facts.values()):
        return 0.0
    return NAMED_ONLY if any(says(line.text, word) for line in page.lines()) else UNSTATED_DOUBT


def kind_of(value: Read | Const) -> str:
    """The kind of a value for `candidates`: "thing", "date" or "amount"."""
    if isinstance(value, Const):
        return {"date": "date", "amount": "amount"}.get(value.kind, "thing")
    return "thing" if isinstance(value, Thing) else "date" if value.year is not None else "amount"


def same(value: Read, expected: Read | Const) -> bool:
    """Whether a read value equals the expected value in all parts that both state."""
    if isinstance(value, Thing):
        if isinstance(expected, Thing) and value.url and expected.url:
            return value.url == expected.url
        return isinstance(expected, Thing | Const) and key(value.title) == key(named(expected))
    if isinstance(expected, Thing):
        return False
    if value.year is not None:
        if isinstance(expected, Literal):
            return value.year == expected.year
        parts = (
            [int(x) for x in expected.text.split("-") if x]
            if re.fullmatch(r"[\d-]+", expected.text)
            else []
        )
        mine = [x for x in (value.year, value.month, value.day) if x is not None]
        return bool(parts) and all(a == b for a, b in zip(parts, mine, strict=False))
    if value.number is None:
        return False
    number = (
        float(expected.text)
        if isinstance(expected, Const) and re.fullmatch(r"-?\d+(?:\.\d+)?", expected.text)
        else (expected.number if isinstance(expected, Literal) else None)
    )
    return number is not None and abs(value.number - number) < 1e-6 * max(1.0, abs(number))


def speaks_of(line: Line, thing: Thing) -> bool:
    """Whether a sentence names a thing at or near its beginning."""
    return says(line.text[: len(thing.name) + 40], thing.name)


def is_plain(end: object) -> bool:
    """Whether an end of a fact is a date, an amount or a text from the question."""
    return isinstance(end, Const) and end.kind != "thing"


def bare(end: Read | Const) -> str:
    """The part of a value that a page contains in any unit or format: the name, the year, the number."""
    if isinstance(end, Const):
        return end.text[:4] if end.kind == "date" else end.text
    return named(end)
