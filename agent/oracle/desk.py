"""The state of the oracle's search in one episode: the puzzle (the question's logical form), the
possible tool calls, and the pages that were read. The class `Solver` inherits from `Desk`."""

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from questloom.agent.oracle.manner import Manner
from questloom.agent.oracle.observation_reading import (
    Line,
    PageRead,
    Read,
    Thing,
    hits_of,
    key,
    read_page,
)
from questloom.agent.oracle.puzzle import Const, End, Fact, Puzzle
from questloom.agent.oracle.speech import Action, Observation, strip_protocol_tags


@dataclass(frozen=True)
class Bound:
    """A value of a variable, with the line of text that states this value."""

    value: Read
    line: Line


Bindings = Mapping[str, Bound]
Step = TypeVar("Step")
Actions = Generator[Action, Observation, Any]
"""A generator for a part of the search. The generator yields tool calls, receives their results
(observations), and returns a value."""
Listing = Generator[Action, Observation, list[tuple[Thing, Line]]]


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a search ended."""

    answer: str
    thought: str
    failed: str = ""
    """The step at which the search failed; "" if the search found an answer. If several steps
    failed, the field names the step nearest to the answer."""
    turn: int = -1
    """Index of the turn whose tool result contains the answer. For a computed answer, the result
    contains the last operand."""
    bound: Mapping[str, str] = field(default_factory=dict)
    """The values of the question's variables at the end of the search, for reports. If the search
    failed, the values are those at the failed step nearest to the answer."""


def advanced(
    search: Generator[Step, Observation, Ended], observation: Observation | None
) -> Step | Ended:
    """Runs a search up to its next tool call or its end.

    Args:
        observation: the result of the previous tool call; None at the start.
    """
    try:
        return next(search) if observation is None else search.send(observation)
    except StopIteration as stop:
        ended = stop.value
        assert isinstance(ended, Ended)
        return ended


@dataclass
class Desk:
    """What the oracle knows while it searches in one episode."""

    puzzle: Puzzle
    max_calls: int
    tools: frozenset[str]
    pages: dict[str, PageRead] = field(default_factory=dict)
    manner: Manner = field(default_factory=Manner)
    setback: str = ""
    """The reason why the last opened page was the wrong one, with which the oracle's next thought
    begins."""
    num_calls: int = 0
    made: set[tuple[str, str]] = field(default_factory=set)
    failed: tuple[int, str, Bindings] = (-1, "nothing was tried", {})
    looked: Bindings = field(default_factory=dict)
    own: set[int] = field(default_factory=lambda: {0})
    """Handles (numbers) of the question's picture and of its repaired versions."""

    def gave_up(self, step: str) -> Ended:
        return Ended(
            answer="I could not find the answer.",
            thought="Neither the searches nor the pages that I opened lead on from here, so I must say so.",
            failed=step,
            bound=names_of(self.failed[2]),
        )

    def fail(self, step: str, bound: Bindings) -> None:
        """Records a failed step if it is nearer to the answer than earlier failed steps."""
        if len(bound) > self.failed[0]:
            self.failed = len(bound), step, bound

    # -- calls

    def call(
        self, thought: str, name: str, **arguments: Any
    ) -> Generator[Action, Observation, Observation | None]:
        """Makes a tool call. Makes no call if the same call was made before, the tool is off, or no
        calls are left."""
        mark = name, repr(sorted(arguments.items()))
        if mark in self.made or self.num_calls >= self.max_calls or name not in self.tools:
            return None
        self.made.add(mark)
        self.num_calls += 1
        thought, self.setback = f"{self.setback} {thought}".strip(), ""
        observation = yield Action(strip_protocol_tags(thought), name, arguments)
        return observation if observation.ok else None

    def visit(
        self, thing: Thing, goal: str, thought: str
    ) -> Generator[Action, Observation, PageRead | None]:
        """Opens the page of a thing, but only once for the same goal of reading. If the address is
        unknown, the page is opened by the thing's name."""
        known = self.page_of(thing)
        if known is not None and known.visited:
            return known
        observation = yield from self.call(
            thought,
            "visit",
            url=thing.url or (known.url if known else "") or thing.title,
            goal=goal,
        )
        page = (
            read_page(observation.text, observation.turn, observation.images)
            if observation
            else None
        )
        if page is None and not thing.url:
            observation = yield from self.call(
                f"There is no page under just that name. I search for {thing.title}.",
                "text_search",
                query=thing.title,
            )
            same = [t for t, _ in self.hits(observation) if key(t.title) == key(thing.title)]
            if same:
                return (
                    yield from self.visit(
                        same[0], goal, f"The search knows {same[0].title}. I open that page."
                    )
                )
        if page is None:
            return None
        page.goals = (goal,)
        self.remember(page)
        return self.pages[page.title]

    def page_of(self, thing: Thing) -> PageRead | None:
        return self.pages.get(thing.title)

    def remember(self, page: PageRead) -> None:
        old = self.pages.get(page.title)
        if old is not None:
            page.facts = {**old.facts, **page.facts}
            page.sentences = page.sentences + [
                s for s in old.sentences if s.text not in {p.text for p in page.sentences}
            ]
            page.links, page.visited, page.whole = (
                {**old.links, **page.links},
                page.visited or old.visited,
                page.whole or old.whole,
            )
            page.images, page.goals = (*old.images, *page.images), (*old.goals, *page.goals)
        self.pages[page.title] = page

    def hits(self, observation: Observation | None) -> list[tuple[Thing, str]]:
        """Reads the hits of a text search, and stores the snippet of each hit with the hit's
        page."""
        found = hits_of(observation.text) if observation else []
        for thing, snippet in found:
            assert observation is not None
            lines = [
                Line(s.strip(), observation.turn)
                for s in re.split(r"(?<=[.!?])\s+|\n", snippet)
                if s.strip()
            ]
            if thing.url:
                self.remember(PageRead(thing.title, thing.url, sentences=lines))
        return found

    # -- the puzzle

    def facts_of(self, var: str) -> list[Fact]:
        return [f for f in self.puzzle.facts if var in (f.subject, f.object)]

    def known_end(self, end: End, bound: Bindings) -> Read | Const | None:
        if isinstance(end, Const):
            return end
        return bound[end].value if end in bound else None


def names_of(bound: Bindings) -> dict[str, str]:
    return {
        var: b.value.title if isinstance(b.value, Thing) else b.value.text
        for var, b in bound.items()
    }
