"""Scores how doubtful the oracle (a scripted solver) is about a fact of the question. The score 0
means that a page states the fact explicitly."""

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
"""A cue is a phrase that states a relation ("was designed by"). Candidate values with a score below
this threshold have only a weak cue or none, so the oracle checks them before it uses them."""
NAMED_ONLY = 0.6
"""The doubt about a fact if the subject's page names the object but has no words for the
relation."""
OTHERWISE = 1.5
"""The doubt about a fact if the subject's page names the object, but words for the relation lead to
another value."""
UNSTATED_DOUBT = 2.0
"""The doubt about a fact that the subject's page does not mention."""


def doubt_of(score: float) -> float:
    """Turns the score of a candidate value (how clearly a page states the value) into a doubt."""
    return max(0.0, 4.0 - score) * 0.75


def doubt_about(page: PageRead, fact: Fact, expected: Read | Const) -> float | None:
    """The doubt about a fact after the subject's page was read, or None if the page contradicts the
    fact."""
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
    """The doubt about a fact whose object is a common noun ("portrait", "oil paint"). Pages write
    common nouns without a link and without a capital."""
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
    """The kind of value that `candidates` looks for: "thing", "date" or "amount"."""
    if isinstance(value, Const):
        return {"date": "date", "amount": "amount"}.get(value.kind, "thing")
    return "thing" if isinstance(value, Thing) else "date" if value.year is not None else "amount"


def same(value: Read, expected: Read | Const) -> bool:
    """Whether a value from a page agrees with the expected value in all parts that both state."""
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
    """Whether a sentence names a given thing at or near its beginning."""
    return says(line.text[: len(thing.name) + 40], thing.name)


def is_plain(end: object) -> bool:
    """Whether the subject or object of a fact is a date, an amount or a text from the question."""
    return isinstance(end, Const) and end.kind != "thing"


def bare(end: Read | Const) -> str:
    """The part of a value that every page writes in the same way: the name, the year or the number,
    without unit and format."""
    if isinstance(end, Const):
        return end.text[:4] if end.kind == "date" else end.text
    return named(end)
