"""The shortcut solver is a script that serves as a strong, cheap baseline. The solver knows the
picture, the question's words and the tools, but not the question's logical form.

One image search gives the name of the pictured thing. A text search combines this name with the
question's words. The solver then follows the question's clauses one by one, from the thing in the
picture to the answer. A clause leads from a known thing to the next thing: either the known thing's
page names the next thing, or the next thing's page names the known thing. A question has a shortcut
if this solver answers it in fewer tool calls than the cheapest planned route takes.
"""

import heapq
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from questloom.agent.oracle.observation_reading import (
    Candidate,
    Line,
    Literal,
    PageRead,
    Thing,
    candidates,
    hits_of,
    key,
    read_page,
    says,
    subjects,
)
from questloom.agent.oracle.relation_words import Relation
from questloom.agent.shortcut.question_reading import QuestionRead, in_question, read_question
from questloom.language.relations import relation as known_of

UNKNOWN = "I do not know."
MAX_CALLS = 12
NUM_HITS = 2
"""The number of pages that the solver opens after each search."""
NUM_READ = 2
"""The number of candidates that the solver considers for each relation on a page."""
LEAST_SCORE = 2.0
"""Minimum score of a candidate; a candidate with a lower score has no cue (a phrase for the
relation) beside its name."""
PASSED_OVER = 3.0
"""The penalty for each unused clause, if the solver follows a clause that is farther from the
picture."""
MAX_PATHS = 500
"""Maximum number of paths that the solver follows in one episode. A path is a list of clauses that
leads to a thing; a long question has thousands of paths to things on few pages."""


# The oracle's turns have the same parts, but their module knows the logical form and so must not be imported here.
@dataclass(frozen=True)
class Action:
    """The solver's next turn: a thought and a tool call."""

    thought: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Observation:
    """The result of a call; `ok` is False if the tool failed."""

    ok: bool
    text: str
    images: tuple[int, ...]
    turn: int


@dataclass(frozen=True)
class Ended:
    """The end of a search: the answer, and the turn that led to it. The answer is `UNKNOWN` if none
    was found."""

    answer: str
    move: str


@dataclass(frozen=True)
class _Lead:
    """A page that the solver may open next, with the clauses on the path to the page, the path's
    score, and the path's last turn."""

    thing: Thing
    used: frozenset[int]
    score: float
    move: str


@dataclass
class ShortcutSolver:
    """The solver's search in one episode.

    Args:
        text: the question.
        max_calls: maximum number of tool calls.
        tools: names of the tools that the solver may call.
    """

    text: str
    max_calls: int = MAX_CALLS
    tools: frozenset[str] = frozenset({"image_search", "text_search", "visit"})
    _question: QuestionRead = field(init=False)
    _leads: list[tuple[float, int, _Lead]] = field(default_factory=list)
    _opened: dict[str, PageRead] = field(default_factory=dict)
    _hits: dict[str, PageRead] = field(default_factory=dict)
    """The part of each page's text that search hits have shown, by the key of the page's title."""
    _reached: dict[str, list[_Lead]] = field(default_factory=dict)
    """The paths (lists of clauses) that led to each thing, by the key of the thing's title."""
    _followed: set[tuple[str, frozenset[int]]] = field(default_factory=set)
    """Pages that were read, each with the clauses on the path that led to the page."""
    _best: dict[str, tuple[int, float, str]] = field(default_factory=dict)
    """The best path to each answer: how many clauses the path uses, its score, and the turn that
    found the answer."""
    _num_calls: int = 0
    _num_added: int = 0
    """Number of leads added so far. Of two leads with the same rank, the older one comes first."""

    def __post_init__(self) -> None:
        self._question = read_question(self.text)

    def solve(self) -> Generator[Action, Observation, Ended]:
        """Plays the whole episode: yields calls and receives their results."""
        pictured = ""
        seen = yield from self._call("Which thing is this?", "image_search", handle=0)
        for rank, (thing, said) in enumerate(hits_of(seen.text)[:NUM_HITS] if seen else []):
            if "/File:" not in thing.url and not rank:
                pictured = thing.name
                self._show(thing, f"{thing.name}, {said}", seen.turn if seen else 0)
            if "/File:" not in thing.url:
                self._reach(_Lead(thing, frozenset(), 1.0 - rank, "picture"))
        self._read_hits()
        queries = list(self._question.queries(pictured))
        if self._question.pictured and pictured and len(self._question.clauses) > 1:
            yield from self._search(queries.pop(0))
        while self._num_calls < self.max_calls and not self._is_settled():
            if self._leads:
                yield from self._open(heapq.heappop(self._leads)[2])
            elif queries:
                yield from self._search(queries.pop(0))
            else:
                break
        return self._end()

    def _search(self, query: str) -> Generator[Action, Observation, None]:
        found = yield from self._call("I search for these words.", "text_search", query=query)
        for rank, (thing, snippet) in enumerate(hits_of(found.text) if found else []):
            if thing.url and found:
                self._show(thing, snippet, found.turn)
                if rank < NUM_HITS:
                    self._add(_Lead(thing, frozenset(), -float(rank), "words"))
        self._read_hits()

    def _show(self, thing: Thing, snippet: str, turn: int) -> None:
        """Adds the text of a hit to the known text of its page."""
        page = self._hits.setdefault(key(thing.title), PageRead(thing.title, thing.url))
        shown = {line.text for line in page.sentences}
        lines = [text.strip() for text in snippet.split("\n") if text.strip()]
        page.sentences += [Line(text, turn) for text in lines if text not in shown]

    def _read_hits(self) -> None:
        """Reads search hits that are about a known thing or name a known thing. Reads the hits
        again until a reading finds no new path to a thing."""
        num = -1
        while num != (num := sum(map(len, self._reached.values()))):
            for name, page in self._hits.items():
                self._turn_back(page)
                for lead in tuple(self._reached.get(name, ())):
                    self._read(page, lead)

    def _turn_back(self, page: PageRead) -> None:
        """Checks whether a clause leads from a known thing to the thing that has this page: the
        page must name the known thing beside a cue (a phrase for the clause's relation)."""
        for number, clause in enumerate(self._question.clauses):
            for relation in clause.relations:
                for c in (
                    *self._read_off(page, relation, "thing"),
                    *subjects(page, relation),
                ):
                    if c.score < LEAST_SCORE or not isinstance(c.value, Thing):
                        continue
                    for lead in tuple(self._reached.get(key(c.value.title), ())):
                        if number not in lead.used and key(page.title) != key(c.value.title):
                            score = lead.score + c.score - self._passed_over(number, lead.used)
                            after = lead.used if clause.names else lead.used | {number}
                            if self._question.kind == "thing":
                                self._note(page.title, after, score, "link")
                            self._reach(_Lead(page.thing, after, score, "link"))

    def _passed_over(self, number: int, used: frozenset[int]) -> float:
        """The penalty for following a clause although unused clauses are nearer to the picture."""
        clauses = self._question.clauses
        nearer = [
            n
            for n, c in enumerate(clauses)
            if n not in used and not c.names and c.distance < clauses[number].distance
        ]
        return PASSED_OVER * len(nearer)

    def _reach(self, lead: _Lead) -> None:
        """Records a path to a thing if the path is new, and queues the thing's page for reading."""
        ways = self._reached.setdefault(key(lead.thing.title), [])
        if self._num_added < MAX_PATHS and all(way.used != lead.used for way in ways):
            ways.append(lead)
            self._add(lead)

    def _open(self, lead: _Lead) -> Generator[Action, Observation, None]:
        place = key(lead.thing.title), lead.used
        if place in self._followed:
            return  # two pages that name each other would lead to an endless loop without a call
        self._followed.add(place)
        page = self._opened.get(key(lead.thing.title))
        if page is None:
            seen = yield from self._call(
                "I open this page.",
                "visit",
                url=lead.thing.url or lead.thing.title,
                goal=self.text[:300],
            )
            page = read_page(seen.text, seen.turn, seen.images) if seen else None
            if page is None:
                return
            self._opened[key(lead.thing.title)] = page
        self._turn_back(page)
        self._read(page, lead)
        self._read_hits()

    def _read(self, page: PageRead, lead: _Lead) -> None:
        """On a page, follows the question's clauses that the path to the page has not used. Finds
        answers, and things from which the search continues."""
        said = "\n".join(line.text for line in page.lines())
        used = lead.used | {
            number
            for number, clause in enumerate(self._question.clauses)
            if clause.names and all(says(said, name) for name in clause.names)
        }
        head = self._question.head
        first = page.sentences[0].text if page.sentences else ""
        if head and says(first, head.split()[-1]) and used:
            self._note(page.title, used, lead.score, lead.move)
        for number, clause in enumerate(self._question.clauses):
            for relation in clause.relations:
                # A clause with names counts as used only if the page contains the names too.
                after = used if clause.names else used | {number}
                if self._question.kind != "thing":
                    for c in self._sure(self._read_off(page, relation, self._question.kind)):
                        score = lead.score + c.score - self._passed_over(number, lead.used)
                        self._note(self._words(c), after, score, lead.move)
                if number in lead.used:
                    continue
                for c in self._sure(
                    [*self._read_off(page, relation, "thing"), *subjects(page, relation)]
                ):
                    assert isinstance(c.value, Thing), "asked for as a thing"
                    if key(c.value.title) == key(page.title):
                        continue
                    score = lead.score + c.score - self._passed_over(number, lead.used)
                    if self._question.kind == "thing" and self._may_answer(relation):
                        self._note(c.value.title, after, score, lead.move)
                    # A hit shows no addresses, but `visit` also takes a title.
                    url = c.value.url or page.links.get(c.value.title, "")
                    url = url or (
                        c.value.title if not page.visited and " " in c.value.title else ""
                    )
                    if url and len(after) < len(self._question.clauses):
                        self._reach(_Lead(Thing(c.value.title, url), after, score, "link"))

    def _may_answer(self, relation: Relation) -> bool:
        """Whether the object of a relation may be of the type for which the question asks."""
        hints = known_of(relation.property).hints
        ends = hints.object_is if hints else ""
        return not self._question.placement or ends in ("", self._question.placement)

    def _read_off(self, page: PageRead, relation: Relation, kind: str) -> list[Candidate]:
        """The candidates beside a cue (a phrase that states the relation). Names on the page
        without a cue are not considered."""
        return candidates(page, relation, kind=kind, guesses=False)

    def _sure(self, found: list[Candidate]) -> list[Candidate]:
        return [c for c in found[:NUM_READ] if c.score >= LEAST_SCORE]

    def _words(self, found: Candidate) -> str:
        value = found.value
        if isinstance(value, Literal) and value.year and self._question.part == "year":
            return str(value.year)
        if isinstance(value, Literal) and value.year and self._question.part == "century":
            return f"{(value.year + 99) // 100}th century"
        return value.text if isinstance(value, Literal) else value.title

    def _note(self, answer: str, used: frozenset[int], score: float, move: str) -> None:
        if not in_question(self._question, answer):
            self._best[answer] = max(self._best.get(answer, (0, 0.0, "")), (len(used), score, move))

    def _is_settled(self) -> bool:
        """Whether the path to a candidate uses all clauses of the question in order."""
        return any(
            used >= len(self._question.clauses) and score >= LEAST_SCORE
            for used, score, _ in self._best.values()
        )

    def _end(self) -> Ended:
        if not self._best:
            return Ended(UNKNOWN, "none")
        answer = max(self._best, key=lambda a: (self._best[a][:2], a))
        return Ended(answer, self._best[answer][2])

    def _add(self, lead: _Lead) -> None:
        rank = -(10.0 * len(lead.used) + lead.score)
        self._num_added += 1
        heapq.heappush(self._leads, (rank, self._num_added, lead))

    def _call(
        self, thought: str, name: str, **arguments: Any
    ) -> Generator[Action, Observation, Observation | None]:
        if self._num_calls >= self.max_calls or name not in self.tools:
            return None
        self._num_calls += 1
        seen = yield Action(thought, name, arguments)
        return seen if seen.ok else None
