"""How the oracle solves a puzzle that states what the picture visibly shows. The oracle (a scripted
solver) searches by words for what the picture shows, opens the matching page, and follows a chain
of facts to the answer. The solver acts like a model that has no picture search. The solver's
thoughts are short enough for a small model to learn. With a random generator, the solver first
makes a mistake, then notices it while reading and corrects it. The mistake is one of three: it
misreads the picture, opens a wrong page, or opens an address without a page.
"""

import random
import re
from collections.abc import Generator
from typing import Any

from questloom.agent.oracle.desk import Ended
from questloom.agent.oracle.observation_reading import (
    Candidate,
    Line,
    PageRead,
    Thing,
    candidates,
    hits_of,
    key,
    says,
)
from questloom.agent.oracle.puzzle import Fact, Puzzle
from questloom.agent.oracle.speech import Action, Observation, strip_protocol_tags

SEARCH, VISIT = "text_search", "visit"
MISTAKES = ("look", "page", "address")
Steps = Generator[Action, Observation, Any]


class SightedSolver:
    """The solver's search in one episode.

    Args:
        puzzle: a puzzle (logical form of a question) that states what the picture shows. The
            puzzle's facts form a chain from the picture to the answer.
        draw: random generator that chooses the mistake; with None, the solver makes no mistake.
    """

    def __init__(self, puzzle: Puzzle, draw: random.Random | None = None) -> None:
        self._puzzle, self._draw = puzzle, draw
        self._mistake = draw.choice(MISTAKES) if draw else ""

    def solve(self) -> Generator[Action, Observation, Ended]:
        """Plays the whole episode, from the picture to the answer."""
        seen = " ".join(self._puzzle.seen)
        facts = chain(self._puzzle)
        if self._mistake == "look":
            wrong = self._misread()
            found = yield from self._call(wrong, SEARCH, query=wrong)
            seen_again = f"no, {seen}"
        else:
            seen_again = seen
        found = yield from self._call(seen_again, SEARCH, query=seen)
        hits = hits_of(found.text)
        fitting = [
            thing
            for thing, snippet in hits
            if all(says(snippet, word) for word in self._puzzle.seen)
        ]
        if not fitting or not facts:
            return _gave_up("no page fits what is seen" if facts else "the facts are no chain")
        thing = fitting[0]
        others = [thing.title for thing, _ in hits if thing not in fitting]
        if self._mistake == "address":
            yield from self._open(seen, facts[0], f"{seen}, {relation_label(facts[0])}")
            thought = f"no, {thing.title}"
        elif self._mistake == "page" and others:
            yield from self._open(others[0], facts[0], f"{others[0]}, {relation_label(facts[0])}")
            thought = f"no, {thing.title}"
        else:
            thought = thing.title
        for fact in facts:
            observation = yield from self._open(
                thing.title, fact, f"{thought}, {relation_label(fact)}"
            )
            read = _read(observation, thing.title, fact)
            if read is None:
                return _gave_up(f"read {relation_label(fact)}")
            assert isinstance(read.value, Thing), "asked for as a thing"
            thing = read.value
            thought = thing.title
        return Ended(answer=thing.title, thought=thing.title, turn=observation.turn)

    def _open(self, title: str, fact: Fact, thought: str) -> Steps:
        return (yield from self._call(thought, VISIT, url=title, goal=relation_label(fact)))

    def _call(self, thought: str, name: str, **arguments: str) -> Steps:
        return (yield Action(strip_protocol_tags(thought), name, arguments))

    def _misread(self) -> str:
        """The words for what the picture shows, but with a wrong number as the last word."""
        assert self._draw is not None, "mistakes are drawn"
        *words, number = self._puzzle.seen
        others = [n for n in "12345678" if n != number]
        return " ".join([*words, self._draw.choice(others)])


def chain(puzzle: Puzzle) -> list[Fact]:
    """The facts in the order of a chain: each fact starts from the thing with which the previous
    fact ended. Returns [] if the facts form no chain."""
    found: list[Fact] = []
    at = puzzle.pictured
    while at != puzzle.ask:
        step = next(
            (
                f
                for f in puzzle.facts
                if f.subject == at and f.relation and isinstance(f.object, str) and f not in found
            ),
            None,
        )
        if step is None:
            return []
        found.append(step)
        assert isinstance(step.object, str), "chosen so"
        at = step.object
    return found


def relation_label(fact: Fact) -> str:
    """The label of a fact's relation, such as "architect"."""
    assert fact.relation is not None, "chains have relations"
    return fact.relation.label


def _read(observation: Observation, title: str, fact: Fact) -> Candidate | None:
    """Reads from a page the thing or value to which the page's thing has a relation."""
    lines = observation.text.split("\n")
    if not observation.ok or key(lines[0]) != key(title):
        return None
    said = [
        Line(s.strip(), observation.turn)
        for line in lines[1:]
        for s in re.split(r"(?<=[.!?])\s+", line)
        if s.strip() and not s.startswith("## ")
    ]
    page = PageRead(title, "", sentences=said, visited=True)
    return next(iter(candidates(page, fact.relation, kind="thing")), None)


def _gave_up(step: str) -> Ended:
    return Ended(answer="unknown", thought="not found", failed=step)
