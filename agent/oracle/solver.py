"""How the oracle (a scripted solver) solves a puzzle (the logical form of a question). The solver
makes one tool call at a time and uses best-first search.

A *way* is a partial solution: values for some variables, with the total doubt about these values.
In each step, the search takes the partial solution with the least doubt and adds one fact to it.
From a known subject, the search reads the object on its page; from a known object, it looks for
possible subjects. The first solution with values for all variables gives the answer.

The search is a Python generator, which runs one tool call at a time. The generator yields an
`Action` (a thought and a tool call) and receives the call's result, an `Observation`. The generator
has no other input, and finally returns an `Ended`. If two candidates are equally doubtful, the one
that the tool result names first comes first. The same puzzle and the same store therefore always
give the same episode.
"""

import heapq
import itertools
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field, replace

from questloom.agent.oracle.anchor_search import AnchorSearch
from questloom.agent.oracle.computation import computed
from questloom.agent.oracle.desk import Actions, Bindings, Bound, Ended, names_of
from questloom.agent.oracle.detail_reading import looking, looking_once
from questloom.agent.oracle.doubt import (
    SURE,
    UNSTATED_DOUBT,
    bare,
    doubt_about,
    doubt_of,
    is_plain,
    kind_of,
    same,
    speaks_of,
)
from questloom.agent.oracle.manner import LOOKED_UP, TOO_BROAD
from questloom.agent.oracle.observation_reading import (
    Candidate,
    Line,
    Literal,
    PageRead,
    Read,
    Thing,
    candidates,
    key,
    listed_under,
    names_in,
    read_page,
    says,
    subjects,
)
from questloom.agent.oracle.puzzle import Const, Fact, Look
from questloom.agent.oracle.relation_words import cues_of, with_object
from questloom.agent.oracle.speech import (
    Action,
    Observation,
    answer_of,
    article,
    goal_of,
    holds,
    in_other_words,
    is_kind,
    is_other_parent,
    is_person,
    label_of,
    lead_of,
    named,
    quoted_line,
    relation_noun,
    stated,
    stated_of,
    strip_protocol_tags,
    with_article,
    words_for,
    words_of,
)

OF_WORDS = ("string", "monolingualtext", "external-id")
"""Wikidata datatypes whose values are words without a page of their own ("Quercus robur")."""
MAX_FORWARD = 5
MAX_REVERSE = 16
"""Maximum number of candidates that one step of the search keeps."""
MAX_DOUBT = 9.0
IN_INFOBOX = 5.0
"""A candidate value from an infobox has a score above this threshold."""
YEAR_FOR_DAY = 2.5
"""The highest score of a candidate that gives only the year, if the question asks for the day."""
OUTDONE = 1.5
"""The doubt about a value from a sentence if the infobox states another value."""
UNSEEN_PICTURE = 3.0
"""The doubt about a candidate for the pictured thing if its page does not show the question's
picture."""
WHOLE_KIND = 0.5
"""The result of `is_kind` if a page's words match the kind in the question exactly."""
PART_OF_KIND = 0.3
NO_PAGE = 0.7
NAMESAKE = 0.5
OTHER_KIND = 2.5
"""The doubts about whether a thing is of the right kind. `PART_OF_KIND` is for a page that states
only part of the kind ("museum" for a maritime museum). `NO_PAGE` is for a thing without a page, with `NAMESAKE` more if another thing of its name has one.
`OTHER_KIND` is for a page that states another kind."""


@dataclass(frozen=True, order=True)
class Way:
    """A partial solution of the puzzle: values for some of its variables."""

    doubt: float
    """The doubt about the values of all variables that have one, plus a guess of the doubt about
    the value of `unseen`."""
    left: int
    """The number of variables with a value, as a negative number. Of two equally doubtful partial
    solutions, the search therefore first continues the one with more values."""
    number: int
    bound: Bindings = field(compare=False)
    base: float = field(compare=False)
    """The doubt about the values of variables, without the guess for the variable `unseen`."""
    unseen: str = field(compare=False)
    """A variable whose value is still unconfirmed, because the thing's page has not been read."""


class Solver(AnchorSearch):
    """The oracle's search in one episode."""

    def solve(self) -> Generator[Action, Observation, Ended]:
        """Plays the whole episode, from the picture to the answer."""
        self.ways: list[Way] = []
        self._num_pushed = 0
        yield from self.repaired()
        for look in self.puzzle.looks:
            if look.of != self.puzzle.pictured:
                continue
            read = yield from looking(self, look, self._kind_of_look(look.var), self.seen_as)
            if read is None:
                return self.gave_up(f"read {look.part or 'the text'} on the picture")
            self.looked = {**self.looked, look.var: Bound(*read)}
        var = self.puzzle.pictured
        if self.facts_of(var):
            first, *others = self.searches()
            pictured = yield from self.find_page([first])
            if pictured is None:
                for thing, line in self.on_no_page():
                    self._push({**self.looked, var: Bound(thing, line)}, UNSEEN_PICTURE)
                ended = yield from self._search()
                if ended:
                    return ended
                pictured = yield from self.find_page(others)
            if pictured is None:
                self._begin_unseen()
            else:
                self._push({**self.looked, var: Bound(*pictured)}, 0.0)
        else:
            self._push(self.looked, 0.0)
        return (yield from self._search()) or self.gave_up(self.failed[1])

    def _begin_unseen(self) -> None:
        """Starts the search with all things that may be in the picture, and with the things that
        the question names."""
        self.fail("identify the thing in the picture", self.looked)
        if any(
            isinstance(end, Const) and end.kind == "thing"
            for f in self.puzzle.facts
            for end in (f.subject, f.object)
        ):
            self._push(self.looked, 1.0)
        for rank, (thing, line) in enumerate(self.alike()):
            self._push(
                {**self.looked, self.puzzle.pictured: Bound(thing, line)},
                UNSEEN_PICTURE + 0.1 * rank,
            )

    def _search(self) -> Actions:
        """Repeatedly continues the partial solution with the least doubt, until a solution is
        complete."""
        while self.ways:
            ended = yield from self._go_on(heapq.heappop(self.ways))
            if ended:
                return ended
        return None

    def _kind_of_look(self, var: str) -> str:
        if any(var in s.args for s in self.puzzle.sums) or any(
            var == f.object for f in self.puzzle.facts
        ):
            return "number"
        return "text" if self.puzzle.ask_type in ("string", "entity") else "number"

    def _push(self, bound: Bindings, base: float, *, unseen: str = "", guess: float = 0.0) -> None:
        """Puts a partial solution into the queue, unless its doubt is too great or two of its
        variables have the same value."""
        chosen = {
            s.out for s in self.puzzle.sums
        }  # such a variable equals one of the things that it was chosen from
        things = [
            b.value for var, b in bound.items() if isinstance(b.value, Thing) and var not in chosen
        ]
        if base + guess <= MAX_DOUBT and not any(
            same(a, b) for i, a in enumerate(things) for b in things[:i]
        ):
            heapq.heappush(
                self.ways, Way(base + guess, -len(bound), self._num_pushed, bound, base, unseen)
            )
            self._num_pushed += 1

    def _go_on(self, way: Way) -> Actions:
        """Adds one fact to a partial solution. If the solution is complete, ends the search."""
        if way.unseen:
            return (yield from self._confirm(way))
        for look in self.puzzle.looks:
            if look.of in way.bound and look.var not in way.bound:
                return (yield from self._look(way, look))
        fact = self._next(way.bound)
        if fact is None:
            return (yield from self._finish(way))
        if self.known_end(fact.subject, way.bound) is not None:
            return (yield from self._forward(way, fact))
        return (yield from self._reverse(way, fact))

    def _look(self, way: Way, look: Look) -> Actions:
        """Reads a detail in the pictures on the page of a thing."""
        thing = way.bound[look.of].value
        assert isinstance(thing, Thing), "pictures show things"
        what = look.part or "text"
        self.fail(f"read {what} on the picture of {thing.name}", way.bound)
        page = yield from self.visit(
            thing,
            f"a picture of {thing.name}",
            self.manner.say("picture", name=thing.name, what=what),
        )
        seen = (image for image in page.images if image not in self.own) if page else ()
        for image in dict.fromkeys(seen):
            read = yield from looking_once(self, look, self._kind_of_look(look.var), image)
            if read is not None:
                self._push({**way.bound, look.var: Bound(*read)}, way.base)
                return None
        return None

    # -- facts

    def _next(self, bound: Bindings) -> Fact | None:
        """Chooses the fact to use next. A fact with a known subject comes first. If no subject is
        known, the method takes a fact with a known object, and prefers a subject about which most
        is known."""
        open_ = [
            f
            for f in self.puzzle.facts
            if self.known_end(f.subject, bound) is None or self.known_end(f.object, bound) is None
        ]
        forward = next((f for f in open_ if self.known_end(f.subject, bound) is not None), None)
        if forward is not None:
            return forward
        reverse = [
            f
            for f in open_
            if self.known_end(f.object, bound) is not None and not is_plain(f.object)
        ]
        return max(
            reverse,
            key=lambda f: (isinstance(f.object, str), len(self._closed(str(f.subject), bound))),
            default=None,
        )

    def _closed(self, var: str, bound: Bindings) -> list[tuple[Fact, Read | Const]]:
        """The facts that connect a variable to a known value, each with this value."""
        return [
            (f, end)
            for f in self.facts_of(var)
            if f.subject == var and (end := self.known_end(f.object, bound)) is not None
        ]

    def _forward(self, way: Way, fact: Fact) -> Actions:
        """Looks for the object of a fact whose subject is known."""
        assert isinstance(fact.object, str)
        subject = self.known_end(fact.subject, way.bound)
        if isinstance(subject, Const) and subject.kind == "thing":
            subject = Thing(subject.text)
        step = f"{fact.relation.label if fact.relation else 'mention'} of {named(subject)}"
        self.fail(step, way.bound)
        if not isinstance(subject, Thing):
            return None
        label = relation_noun(fact.relation) if fact.relation else "things that it mentions"
        yield from self._look_up(subject, label)
        page = yield from self.visit(
            subject,
            goal_of(self.puzzle, fact.subject, way.bound)
            if isinstance(fact.subject, str)
            else f"the {label}",
            self.manner.say("need", label=label, name=subject.name),
        )
        found = self._values(page, fact) if page else []
        if (
            page is not None
            and fact.relation
            and not page.whole
            and _unsure(found)
            and in_other_words(fact.relation) not in page.goals
        ):
            page = yield from self._again(
                page,
                in_other_words(fact.relation),
                self.manner.say("again", label=label),
            )
            found = self._values(page, fact) if page else found
        if _unsure(found):
            found = sorted(
                [*found, *(yield from self._elsewhere(subject, fact, page is not None))],
                key=lambda c: -c.score,
            )
        for rank, candidate in enumerate(found[:MAX_FORWARD]):
            new = {**way.bound, fact.object: Bound(candidate.value, candidate.line)}
            outdone = found[0].score >= IN_INFOBOX > candidate.score
            doubt = (
                way.base + doubt_of(candidate.score) + 0.2 * rank + (OUTDONE if outdone else 0.0)
            )
            if (
                isinstance(candidate.value, Thing)
                and fact.relation
                and fact.relation.datatype in OF_WORDS
            ):
                self._push(new, doubt)
            elif isinstance(candidate.value, Thing):
                sure = (
                    candidate.score >= SURE
                    and rank == 0
                    and fact.object != self.puzzle.pictured
                    and not self._is_ambiguous(candidate.value)
                )
                self._push(
                    new,
                    doubt,
                    unseen="" if sure and not self._closed(fact.object, new) else fact.object,
                )
            elif all(holds(o, new) is not False for o in self.puzzle.orders):
                self._push(new, doubt)
        return None

    def _is_ambiguous(self, thing: Thing) -> bool:
        """Whether a thing's name may belong to several pages: the thing has no link, or links with
        the name lead to other things."""
        return not thing.url or any(
            key(title) == key(thing.title) and url != thing.url
            for page in self.pages.values()
            for title, url in page.links.items()
        )

    def _values(self, page: PageRead, fact: Fact) -> list[Candidate]:
        """Candidates for the object of a fact, except those that the question rules out."""
        kind, unit = self._sort_of(fact)
        found = candidates(page, fact.relation, kind=kind, unit=unit)
        if kind == "thing":
            named_in_question = {
                key(f.object.text)
                for f in self.puzzle.facts
                if isinstance(f.object, Const) and f.subject == fact.subject
            }
            found = [
                c
                for c in found
                if isinstance(c.value, Thing) and key(c.value.title) not in named_in_question
            ]
        if kind == "date" and self.puzzle.precision == "day" and fact.object == self.puzzle.ask:
            # a year alone is taken only if no page states the day
            found = [
                c
                if isinstance(c.value, Literal) and c.value.day
                else replace(c, score=min(c.score, YEAR_FOR_DAY))
                for c in found
            ]
            found.sort(key=lambda c: -c.score)
        return found

    def _sort_of(self, fact: Fact) -> tuple[str, str]:
        datatype = fact.relation.datatype if fact.relation else "wikibase-item"
        if datatype == "time":
            return "date", ""
        if datatype == "quantity":
            return "amount", self.puzzle.unit if fact.object == self.puzzle.ask else ""
        return "thing", ""

    def _again(
        self, page: PageRead, goal: str, thought: str
    ) -> Generator[Action, Observation, PageRead | None]:
        observation = yield from self.call(thought, "visit", url=page.url, goal=goal)
        read = (
            read_page(observation.text, observation.turn, observation.images)
            if observation
            else None
        )
        if read is not None:
            read.goals = (goal,)
            self.remember(read)
        return self.pages[page.title]

    def _elsewhere(
        self, subject: Thing, fact: Fact, has_page: bool
    ) -> Generator[Action, Observation, list[Candidate]]:
        """Searches for sentences about a thing on other pages than its own."""
        if fact.relation is None:
            return []
        why = (
            f"The page of {subject.name} does not give the {relation_noun(fact.relation)}"
            if has_page
            else f"{subject.name} has no page"
        )
        found: list[Candidate] = []
        thought = f"{why}. Other pages may, so I search for it with the name."
        for words in words_for(fact.relation):
            observation = yield from self.call(
                thought, "text_search", query=f"{subject.name} {words}", top_k=10
            )
            found += self._said_elsewhere(observation, subject, fact)
            if any(c.score >= SURE for c in found):
                break
            thought = f"That says nothing of it. I search for {subject.name} in other words."
        return found

    def _said_elsewhere(
        self, observation: Observation | None, subject: Thing, fact: Fact
    ) -> list[Candidate]:
        """Candidates for the object of a fact in what the hits of a search say about its subject."""
        assert fact.relation is not None
        kind, unit = self._sort_of(fact)
        found: list[Candidate] = []
        for hit, _ in self.hits(observation):
            page = self.page_of(hit)
            if (
                page is None
                or page.title == subject.title
                or not any(says(line.text, subject.name) for line in page.lines())
                or is_other_parent(page, fact.relation)
            ):
                continue
            found += listed_under(page, fact.relation, subject) if kind == "thing" else []
            about = PageRead(
                subject.title,
                "",
                sentences=[line for line in page.sentences if speaks_of(line, subject)],
                links=page.links,
            )
            found += [
                c
                for c in candidates(about, fact.relation, kind=kind, unit=unit)
                if not isinstance(c.value, Thing) or c.value.title != page.title
            ]
        return found

    def _confirm(self, way: Way) -> Actions:
        """Reads a thing's page and compares it with all known facts, to check whether the thing
        fits its variable."""
        var = way.unseen
        chosen = way.bound[var]
        assert isinstance(chosen.value, Thing)
        page = yield from self.visit(
            chosen.value,
            goal_of(self.puzzle, var),
            self.manner.say(
                "may be",
                name=chosen.value.name,
                kind=article(self.puzzle, var),
                wanted=label_of(self.puzzle, var),
            ),
        )
        facts = self._closed(var, way.bound)
        if page is None:
            said = sum(
                0.0 if self._said_there(chosen.value, f, end) else UNSTATED_DOUBT
                for f, end in facts
            )
            if var != self.puzzle.pictured:
                self._push(way.bound, way.base + NO_PAGE + said)
            return None
        if var == self.puzzle.pictured and not self.shows(page):
            return None
        doubt = (yield from self._namesakes(way, page)) if self._is_ambiguous(chosen.value) else 0.0
        for fact, end in facts:
            found = doubt_about(page, fact, end)
            if found is None:
                self._push_without_page(way, facts)
                against = candidates(page, fact.relation, kind=kind_of(end))[0].line.text
                self.setback = self.manner.say(
                    "says otherwise",
                    name=page.title,
                    quote=quoted_line(against),
                    expected=named(end),
                )
                return None
            doubt += min(found, 0.3) if found and self._said_there(page.thing, fact, end) else found
        kinds = [is_kind(page, k.words) for k in self.puzzle.kinds if k.var == var]
        if any(k <= -1 for k in kinds) or not self._may_stand(page, var):
            kind = article(self.puzzle, var)
            self.setback = self.manner.say(
                "other kind",
                name=page.title,
                quote=lead_of(page),
                kind="such thing" if kind == "one" else kind,
                a_kind=with_article(kind),
            )
            return None
        doubt += sum(OTHER_KIND if k < 0 else PART_OF_KIND for k in kinds if k < WHOLE_KIND)
        self._push({**way.bound, var: Bound(page.thing, chosen.line)}, way.base + doubt)
        return None

    def _push_without_page(self, way: Way, facts: list[tuple[Fact, Read | Const]]) -> None:
        """Queues a thing as one without a page, because the page under its name is a namesake's.
        Only a thing that a page names for the question's facts, and about which nothing more has to
        be read, can do without a page."""
        var = way.unseen
        thing = way.bound[var].value
        assert isinstance(thing, Thing)
        unsaid = sum(not self._said_there(thing, f, end) for f, end in facts)
        read_on = any(f.subject == var and f not in dict(facts) for f in self.puzzle.facts)
        if not (thing.url or read_on or unsaid == len(facts)):
            self._push(way.bound, way.base + NO_PAGE + NAMESAKE + UNSTATED_DOUBT * unsaid)

    def _namesakes(self, way: Way, page: PageRead) -> Generator[Action, Observation, float]:
        """The doubt about a page that was opened only by a thing's name. If the page mentions the
        things that led to it, the doubt is 0. If the page mentions none of the things that led to
        it, the search also queues other pages with the name."""
        var, name = way.unseen, page.thing.name
        near = [
            end
            for f in self.facts_of(var)
            if isinstance(
                end := self.known_end(f.subject if f.object == var else f.object, way.bound), Thing
            )
        ]
        if not near or any(
            self._said_there(thing, f, page.thing)
            for thing in near
            for f in self.facts_of(var)
            if f.object == var
        ):
            return 0.0
        observation = yield from self.call(
            f"The page of {page.title} does not speak of {near[0].name}. There may be others of that name.",
            "text_search",
            query=f"{name} {near[0].name}",
            top_k=10,
        )
        for thing, _ in self.hits(observation):
            if key(thing.title) == key(name) and thing.url != page.url:
                self._push(
                    {**way.bound, var: Bound(thing, way.bound[var].line)},
                    way.base,
                    unseen=var,
                    guess=0.2,
                )
        return 1.0

    def _may_stand(self, page: PageRead, var: str) -> bool:
        """Whether the page's thing is of a kind that fits the variable. A variable that stands for
        a person fits only a person; a variable that stands for a place fits no person."""
        ends = {f.relation.property for f in self.puzzle.facts if f.object == var and f.relation}
        if ends & with_object("person"):
            return is_person(page)
        return not (is_person(page) and ends & with_object("place"))

    def _said_there(self, thing: Thing, fact: Fact, known: Read | Const) -> bool:
        """Whether the page of the known thing names a candidate in a sentence that states the
        relation."""
        page = self.page_of(known if isinstance(known, Thing) else Thing(named(known)))
        return page is not None and any(same(c.value, thing) for c in self._subjects(page, fact))

    def _subjects(self, page: PageRead, fact: Fact) -> list[Candidate]:
        """Candidates for the subject of a fact on the object's page."""
        species = any(k.var == fact.subject and "taxon" in k.words for k in self.puzzle.kinds)
        return subjects(page, fact.relation, species=species)

    def _reverse(self, way: Way, fact: Fact) -> Actions:
        """Looks for possible subjects of a fact whose object is known. The candidates come from the
        object's page and from searches. The page of each candidate must confirm the fact."""
        assert isinstance(fact.subject, str)
        self.fail(
            f"what has {named(self.known_end(fact.object, way.bound))} as its {fact.relation.label if fact.relation else 'mention'}",
            way.bound,
        )
        for thing, line, guess in (yield from self._possible(fact, way.bound))[:MAX_REVERSE]:
            self._push(
                {**way.bound, fact.subject: Bound(thing, line)},
                way.base,
                unseen=fact.subject,
                guess=guess,
            )
        return None

    def _possible(
        self, fact: Fact, bound: Bindings
    ) -> Generator[Action, Observation, list[tuple[Thing, Line, float]]]:
        """Candidates for the subject of a fact, each with a guess of its doubt. The guess is lower
        if the text about a candidate confirms more of the question."""
        assert isinstance(fact.subject, str)
        var, known = fact.subject, self.known_end(fact.object, bound)
        facts = self._closed(var, bound)
        kind = article(self.puzzle, var)
        said: dict[Thing, set[int]] = {}
        lines: dict[Thing, Line] = {}
        for number, (other, end) in enumerate(facts):
            thing = Thing(end.text) if isinstance(end, Const) and end.kind == "thing" else end
            if (
                not isinstance(thing, Thing)
                or not other.relation
                or not cues_of(other.relation).object
            ):
                continue
            if other is not fact and key(thing.title) == thing.title:
                continue
            page = self.page_of(thing)
            if page is None or not page.visited:
                goal = (
                    goal_of(self.puzzle, other.object)
                    if isinstance(other.object, str)
                    else stated_of(other)
                )
                page = yield from self.visit(
                    thing,
                    goal,
                    self.manner.say(
                        "names it", a_kind=with_article(kind), kind=kind, name=thing.name
                    ),
                )
            for c in self._subjects(page, other) if page else []:
                if isinstance(c.value, Thing) and c.score >= SURE:
                    said.setdefault(c.value, set()).add(number)
                    lines.setdefault(c.value, c.line)
        thought = yield from self._broadly(kind)
        for query in self._queries(fact.subject, bound):
            observation = yield from self.call(
                thought
                or self.manner.say(
                    "tell apart",
                    a_kind=with_article(kind),
                    kind=kind,
                    said=words_of(fact, known, self.puzzle),
                ),
                "text_search",
                query=query,
                top_k=10,
            )
            thought = ""
            for hit, snippet in self.hits(observation):
                assert observation is not None
                for thing, text in [
                    (hit, f"{hit.title} {snippet}"),
                    *((t, t.title) for t in self._called_after(known, hit)),
                ]:
                    if not isinstance(known, Thing) or key(thing.title) != key(known.title):
                        it = next((t for t in said if same(t, thing)), thing)
                        lines.setdefault(it, Line(it.title, observation.turn))
                        said.setdefault(it, set()).update(
                            n for n, (_, end) in enumerate(facts) if says(text, bare(end))
                        )
        guesses = {
            t: 0.2 + 2.0 * (1 - len(said[t]) / len(facts)) + self._guess_of_kind(t, var)
            for t in said
        }
        return [(t, lines[t], guesses[t]) for t in sorted(said, key=lambda t: guesses[t])]

    def _broadly(self, kind: str) -> Generator[Action, Observation, str]:
        """Sometimes, at random, first searches only for a kind of thing ("bridge"), without further
        words. Returns a thought for the narrower search that comes next, or "" if there was no
        search."""
        if kind == "one" or not self.manner.strays(TOO_BROAD):
            return ""
        observation = yield from self.call(
            self.manner.say("broad", a_kind=with_article(kind), kind=kind),
            "text_search",
            query=kind,
            top_k=5,
        )
        hits = self.hits(observation)
        return self.manner.say("too broad", hit=hits[0][0].title) if hits else ""

    def _look_up(self, subject: Thing, label: str) -> Generator[Action, Observation, None]:
        """Sometimes, at random, searches for a thing's name before opening the thing's page. If the
        search by the name first finds another page, the oracle searches again with more words."""
        page = self.page_of(subject)
        if (page is not None and page.visited) or not self.manner.strays(LOOKED_UP):
            return
        # Snippets suffice to see whether the page exists.
        quick = "web_search" in self.tools
        observation = yield from self.call(
            self.manner.say("look up", name=subject.name),
            "web_search" if quick else "text_search",
            query=subject.name,
            **({} if quick else {"top_k": 5}),
        )
        hits = self.hits(observation)
        if hits and key(hits[0][0].title) != key(subject.title):
            observation = yield from self.call(
                self.manner.say("narrow", hit=hits[0][0].title, name=subject.name, label=label),
                "text_search",
                query=f"{subject.name} {label}",
                top_k=5,
            )
            self.hits(observation)

    def _guess_of_kind(self, thing: Thing, var: str) -> float:
        """A penalty for a thing if the text about it states another kind than the question does."""
        page = self.page_of(thing) or PageRead(thing.title, thing.url)
        kinds = [is_kind(page, k.words) for k in self.puzzle.kinds if k.var == var]
        return 2.0 if any(k <= -1 for k in kinds) else 0.4 if any(k < 0 for k in kinds) else 0.0

    def _called_after(self, known: Read | Const | None, hit: Thing) -> list[Thing]:
        """Finds things without a page that are named after the known thing ("Velm Philharmonic" for
        Velm). The names come from the text of a search hit."""
        page = self.page_of(hit)
        if page is None or page.visited or not isinstance(known, Thing):
            return []
        named_ = dict.fromkeys(t for line in page.sentences for _, t in names_in(line.text, page))
        return [
            t
            for t in named_
            if not t.url
            and key(t.title) != key(known.title)
            and says(t.title, known.name)
            and key(t.title) != key(hit.title)
        ]

    def _queries(self, var: str, bound: Bindings) -> Iterable[str]:
        """Makes search queries from the known facts about a variable. The queries are all names
        together, all facts in words, each plain value alone, and pairs of values."""
        kinds = [
            k.words[0]
            for k in self.puzzle.kinds
            if k.var == var and k.words and key(k.words[0]) not in ("human", "taxon")
        ]
        facts = self._closed(var, bound)
        queries = [
            [*kinds, *(named(e) for _, e in facts)],
            [*kinds, *(stated(f, e, self.puzzle) for f, e in facts)],
        ]
        queries += [[*kinds, bare(e)] for _, e in facts if len(facts) > 1 and is_plain(e)]
        queries += [
            [*kinds, *(bare(e) for e in pair)]
            for pair in itertools.combinations([e for _, e in facts], 2)
            if len(facts) > 2
        ]
        return dict.fromkeys(" ".join(dict.fromkeys(words)) for words in queries)

    # -- the end

    def _finish(self, way: Way) -> Actions:
        """Makes the remaining computations, then gives the answer. If the answer to a computation
        is a thing (such as the older of two bridges), the search goes on from this thing."""
        bound = way.bound
        if any(holds(order, bound) is False for order in self.puzzle.orders):
            self.fail("the comparison does not hold", bound)
            return None
        for needed in self.puzzle.sums:
            if needed.out in bound:
                continue
            done = yield from computed(self, needed, bound)
            if done is None:
                self.fail(f"compute {needed.op}", bound)
                return None
            bound = {**bound, needed.out: Bound(*done)}
        if self.puzzle.ask not in bound and self._next(bound) is not None:
            self._push(bound, way.base)
            return None
        if self.puzzle.ask not in bound:
            self.fail("nothing leads to what is asked", bound)
            return None
        answer = bound[self.puzzle.ask]
        text = answer_of(self.puzzle, answer.value)
        where = next(
            (
                p.title
                for p in self.pages.values()
                if any(line.text == answer.line.text for line in p.lines())
            ),
            "",
        )
        source = f"the page of {where} says" if where else "what I need is"
        thought = self.manner.say(
            "found",
            source=source,
            quote=quoted_line(answer.line.text),
            turn=answer.line.turn + 1,
            text=text,
        )
        return Ended(
            answer=text,
            thought=strip_protocol_tags(thought),
            turn=answer.line.turn,
            bound=names_of(bound),
        )


def _unsure(found: list[Candidate]) -> bool:
    return not found or found[0].score < SURE
