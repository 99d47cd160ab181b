"""How the oracle solves a puzzle: depth first over what its observations say, one tool call at a time.

The search is a generator: it yields a `Step` (a thought and a call), is sent the `Seen` that answers it, and returns an `Ended`. It never
sees anything else. Ties go by the order of the observation, so a puzzle and a snapshot give one episode.
"""
import re
from collections.abc import Generator, Iterable

from agent.engines.oracle_desk import Bindings, Bound, Ended, Steps, names_of
from agent.engines.oracle_look import looking
from agent.engines.oracle_picture import Sights
from agent.engines.oracle_reading import Candidate, Line, Literal, PageRead, Read, Thing, candidates, key, listed_under, read_page, says, subjects
from agent.engines.oracle_said import (
    Seen,
    Step,
    article,
    asked_about,
    clean,
    found_by,
    goal_of,
    head_of,
    holds,
    is_kind,
    is_person,
    label_of,
    named,
    quoted_line,
    stated,
    stated_of,
    with_article,
)
from agent.engines.oracle_sums import computed
from agent.engines.oracle_task import Const, Fact
from agent.engines.oracle_words import OF_PERSONS, OF_PLACES, cues_of

MAX_LOOKED_AT = 8
"""Candidates of one reverse hop whose pages are opened."""
SHARE_FOR_PICTURE = 0.8
"""Of the calls that may go into finding out what the picture shows."""
MAX_BRANCHES = 4
"""Candidates of one forward hop that are followed."""
ENOUGH = 0.5
SURE = 3.0
"""Candidates with a lower score are looked at before they are taken: no cue points at them, or a weak one does."""


class Solver(Sights):
    """One episode's search."""

    def solve(self) -> Generator[Step, Seen, Ended]:
        """The whole episode."""
        for look in self.puzzle.looks:
            found = yield from looking(self, look, self._kind_of_look(look.var))
            if found is None:
                return self.gave_up(f"read {look.part or 'the text'} on the picture")
            self.looked = {**self.looked, look.var: Bound(*found)}
        ended = yield from self._from_picture()
        return ended or self.gave_up(self.failed[1])

    def _kind_of_look(self, var: str) -> str:
        if any(var in s.args for s in self.puzzle.sums):
            return "number"
        return "text" if self.puzzle.ask_type in ("string", "entity") else "number"

    # -- the thing in the picture

    def _from_picture(self) -> Steps:
        """Takes the thing in the picture for each candidate in turn, those first whose page shows the same picture."""
        var = self.puzzle.pictured
        if not self.facts_of(var):
            return (yield from self._extend(dict(self.looked), 0))
        shown_as = asked_about(self.puzzle)
        votes: dict[str, float] = {}
        unsure: list[tuple[Thing, Line]] = []
        for search in self.searches():
            if self.num_calls > self.max_calls * SHARE_FOR_PICTURE:
                break
            for rank, (thing, line) in enumerate((yield from search(shown_as))):
                votes[thing.title] = votes.get(thing.title, 0.0) + 1 / (1 + rank)
                known = self.page_of(thing)
                if (known is not None and known.visited) or not thing.url or "/File:" in thing.url:
                    continue
                page = yield from self.visit(thing, goal_of(self.puzzle, var), f"{thing.name} may be {shown_as}. I open its page to compare the pictures, "
                                             f"and to read about {label_of(self.puzzle, var)}.")
                if page is None:
                    continue
                if self.own & set(page.images):
                    ended = yield from self._with_picture(page, line)
                    if ended:
                        return ended
                elif is_kind(page, head_of(self.puzzle)) > 0 and self._may_be(page, var):
                    unsure.append((page.thing, line))
        self.fail(0, "identify the thing in the picture", self.looked)
        if any(isinstance(end, Const) and end.kind == "thing" for f in self.puzzle.facts for end in (f.subject, f.object)):
            ended = yield from self._extend(dict(self.looked), 0)  # from what the question names, towards the picture
            if ended:
                return ended
        for thing, line in sorted(unsure, key=lambda u: -votes[u[0].title])[:MAX_BRANCHES]:
            ended = yield from self._with_picture(self.pages[thing.title], line)
            if ended:
                return ended
        return None

    def _with_picture(self, page: PageRead, line: Line) -> Steps:
        return (yield from self._extend({**self.looked, self.puzzle.pictured: Bound(page.thing, line)}, 1))

    def _may_be(self, page: PageRead, var: str) -> bool:
        return all(self._check(page, f, self.known_end(f.object, {})) >= 0 for f in self.facts_of(var) if f.subject == var and not isinstance(f.object, str))

    # -- clauses

    def _is_open(self, fact: Fact, bound: Bindings) -> bool:
        return self.known_end(fact.subject, bound) is None or self.known_end(fact.object, bound) is None

    def _extend(self, bound: Bindings, depth: int) -> Steps:
        """Goes on from what is bound; the end, or None where there is no way."""
        if self.num_calls >= self.max_calls:
            self.fail(depth, "the calls are used up", bound)
            return None
        open_facts = [f for f in self.puzzle.facts if self._is_open(f, bound)]
        forward = next((f for f in open_facts if self.known_end(f.subject, bound) is not None), None)
        if forward is not None:
            return (yield from self._forward(forward, bound, depth))
        reverse = [f for f in open_facts if self.known_end(f.object, bound) is not None and isinstance(f.object, str)]
        reverse = reverse or [f for f in open_facts if isinstance(f.object, Const) and f.object.kind == "thing" and f.object.text != f.object.text.casefold()]
        if reverse:
            return (yield from self._reverse(reverse[0], bound, depth))
        return (yield from self._finish(bound, depth))

    def _forward(self, fact: Fact, bound: Bindings, depth: int) -> Steps:
        """From a thing to what stands at the other end."""
        assert isinstance(fact.object, str)
        subject = self.known_end(fact.subject, bound)
        if isinstance(subject, Const) and subject.kind == "thing":
            subject = Thing(subject.text)
        step = f"{fact.relation.label if fact.relation else 'mention'} of {named(subject)}"
        if not isinstance(subject, Thing):
            self.fail(depth, step, bound)
            return None
        label = fact.relation.label if fact.relation else "things that it mentions"
        page = yield from self.visit(subject, goal_of(self.puzzle, fact.subject) if isinstance(fact.subject, str) else label,
                                     f"I need the {label} of {subject.name}, so I open that page.")
        found = self._values(page, fact, bound) if page else []
        if page is None:
            found = yield from self._elsewhere(subject, fact)
            step += " (it has no page)"
        elif fact.relation and (not found or found[0].score < SURE) and not any(fact.relation.label in goal for goal in page.goals):
            again = yield from self._again(page, f"{fact.relation.label}: {found_by(fact.relation)}",
                                           f"What was shown of the page says nothing about the {fact.relation.label}. I ask it for just that.")
            found = self._values(again, fact, bound) if again else found
        self.fail(depth, step, bound)
        for candidate in found[:MAX_BRANCHES]:
            if candidate.score < SURE and isinstance(candidate.value, Thing) and not (yield from self._could_be(candidate.value, fact)):
                continue
            new = {**bound, fact.object: Bound(candidate.value, candidate.line)}
            if not (yield from self._fits(fact.object, new)):
                continue
            ended = yield from self._extend(new, depth + 1)
            if ended:
                return ended
        return None

    def _could_be(self, thing: Thing, fact: Fact) -> Steps:
        """Whether a thing that no cue points at is of the sort that stands at this end of the relation."""
        assert fact.relation is None or isinstance(fact.object, str)
        page = yield from self.visit(thing, goal_of(self.puzzle, str(fact.object)), f"The page does not say it in so many words. {thing.name} is named there, "
                                     "so I look what it is.")
        if page is None or fact.relation is None:
            return page is not None
        if any(is_kind(page, k.words) < 0 for k in self.puzzle.kinds if k.var == fact.object):
            return False
        return is_person(page) if fact.relation.property in OF_PERSONS else not (is_person(page) and fact.relation.property in OF_PLACES)

    def _elsewhere(self, subject: Thing, fact: Fact) -> Generator[Step, Seen, list[Candidate]]:
        """Values for a thing without a page, from what other pages say of it."""
        if fact.relation is None:
            return []
        seen = yield from self.call(f"{subject.name} has no page. Other pages may give the {fact.relation.label}, so I search for it with the name.",
                                    "text_search", query=f"{subject.name} {fact.relation.label}", top_k=10)
        kind, unit = self._kind_of(fact)
        found: list[Candidate] = []
        for hit, _ in self.hits(seen):
            page = self.page_of(hit)
            if page is None or not any(says(line.text, subject.name) for line in page.lines()):
                continue
            found += listed_under(page, fact.relation, subject) if kind == "thing" else []
            about = PageRead(subject.title, "", sentences=[line for line in page.sentences if _speaks_of(line, subject)], links=page.links)
            found += [c for c in candidates(about, fact.relation, kind=kind, unit=unit) if not isinstance(c.value, Thing) or c.value.title != page.title]
        return sorted(found, key=lambda c: -c.score)

    def _named_as_subject(self, page: PageRead, fact: Fact, thing: Thing) -> bool:
        return any(isinstance(c.value, Thing) and key(c.value.title) == key(thing.title) for c in subjects(page, fact.relation))

    def _again(self, page: PageRead, goal: str, thought: str) -> Generator[Step, Seen, PageRead | None]:
        seen = yield from self.call(thought, "visit", url=page.url, goal=goal)
        read = read_page(seen.text, seen.turn, seen.images) if seen else None
        if read is not None:
            self.remember(read)
        return self.pages[page.title] if read else None

    def _values(self, page: PageRead, fact: Fact, bound: Bindings) -> list[Candidate]:
        """Candidates for the object of a fact, those out that a bound neighbour or the question rules out."""
        assert isinstance(fact.object, str)
        kind, unit = self._kind_of(fact)
        found = candidates(page, fact.relation, kind=kind, unit=unit)
        if kind == "thing":
            named_in_question = {key(f.object.text) for f in self.puzzle.facts if isinstance(f.object, Const) and f.subject == fact.subject}
            found = [c for c in found if isinstance(c.value, Thing) and key(c.value.title) not in named_in_question]
        if kind == "date" and self.puzzle.precision == "day" and fact.object == self.puzzle.ask:
            found = [c for c in found if isinstance(c.value, Literal) and c.value.day] or found
        return found

    def _kind_of(self, fact: Fact) -> tuple[str, str]:
        datatype = fact.relation.datatype if fact.relation else "wikibase-item"
        if datatype == "time":
            return "date", ""
        if datatype == "quantity":
            return "amount", self.puzzle.unit if fact.object == self.puzzle.ask else ""
        return "thing", ""

    def _fits(self, var: str, bound: Bindings) -> Steps:
        """Whether a chosen thing may be `var`: what the question says of it, as far as its page is needed anyway."""
        value = bound[var].value
        if not isinstance(value, Thing):
            return all(holds(o, bound) is not False for o in self.puzzle.orders)
        mine = [f for f in self.facts_of(var) if f.subject == var and self.known_end(f.object, bound) is not None]
        if not mine:
            return True
        page = yield from self.visit(value, goal_of(self.puzzle, var), f"{value.name} may be the one. I check on its page what the question says of it.")
        return page is not None and self._shows(page, var) and all(self._check(page, f, self.known_end(f.object, bound)) >= 0 for f in mine)

    def _shows(self, page: PageRead, var: str) -> bool:
        """False where a page of what should be in the picture does not show the picture."""
        return var != self.puzzle.pictured or bool(self.own & set(page.images))

    def _reverse(self, fact: Fact, bound: Bindings, depth: int) -> Steps:
        """From a thing to those that stand in a relation to it: found on its page and by search, sifted by all that is said of them."""
        assert isinstance(fact.subject, str)
        var, known = fact.subject, self.known_end(fact.object, bound)
        step = f"what has {named(known)} as its {fact.relation.label if fact.relation else 'mention'}"
        ranked = yield from self._possible(fact, bound)
        self.fail(depth, step, bound)
        good: list[tuple[float, Thing, Line]] = []
        own = [f for f in self.facts_of(var) if f.subject == var and self.known_end(f.object, bound) is not None]
        for thing, line in ranked[:MAX_LOOKED_AT]:
            page = yield from self.visit(thing, goal_of(self.puzzle, var), f"{thing.name} may be the {article(self.puzzle, var)} that I look for. "
                                         f"I check on its page {label_of(self.puzzle, var)}.")
            if page is None:
                continue
            checks = [self._check(page, f, self.known_end(f.object, bound)) for f in own]
            kind = min((is_kind(page, k.words) for k in self.puzzle.kinds if k.var == var), default=0.0)
            link = checks[own.index(fact)]
            if min(checks) < 0 or kind <= -1 or not self._shows(page, var) or (link <= 0 and not self._said_there(page.thing, fact, known)):
                continue
            good.append((sum(checks) + kind, page.thing, line))
            if min(checks) >= ENOUGH and kind >= 0:
                break
        for _, thing, line in sorted(good, key=lambda g: -g[0])[:MAX_BRANCHES]:
            ended = yield from self._extend({**bound, var: Bound(thing, line)}, depth + 1)
            if ended:
                return ended
        return None

    def _said_there(self, thing: Thing, fact: Fact, known: Read | Const | None) -> bool:
        """Whether the known thing's page names the candidate in a sentence about the relation."""
        page = self.page_of(known) if isinstance(known, Thing) else None
        return page is not None and self._named_as_subject(page, fact, thing)

    def _possible(self, fact: Fact, bound: Bindings) -> Generator[Step, Seen, list[tuple[Thing, Line]]]:
        """Candidates for the subject of a fact, ranked by how much of the question what was shown of them says."""
        assert isinstance(fact.subject, str)
        var, known = fact.subject, self.known_end(fact.object, bound)
        scores: dict[Thing, float] = {}
        lines: dict[Thing, Line] = {}
        for other in self.facts_of(var):
            end = self.known_end(other.object, bound) if other.subject == var and other.relation else None
            thing = Thing(end.text) if isinstance(end, Const) and end.kind == "thing" else end
            if not isinstance(thing, Thing) or not cues_of(other.relation).object or (thing != known and key(thing.title) == thing.title):
                continue
            page = self.page_of(thing)
            if page is None or not page.visited:
                goal = goal_of(self.puzzle, other.object) if isinstance(other.object, str) else stated_of(other)
                page = yield from self.visit(thing, goal, f"I look for {with_article(article(self.puzzle, var))} and know {thing.name}. Its page may name it.")
            for c in subjects(page, other.relation) if page else []:
                if isinstance(c.value, Thing):
                    scores[c.value] = scores.get(c.value, 0.0) + 1.0 + c.score / 4
                    lines.setdefault(c.value, c.line)
        for query in self._queries(fact, bound):
            if len(scores) > 2 * MAX_LOOKED_AT:
                break
            seen = yield from self.call(f"I look for {with_article(article(self.puzzle, var))} that {stated(fact, known)}. "
                                        "I search for the words that tell it apart.",
                                        "text_search", query=query, top_k=10)
            for thing, snippet in self.hits(seen):
                assert seen is not None
                if isinstance(known, Thing) and key(thing.title) == key(known.title):
                    continue
                thing = next((t for t in scores if key(t.title) == key(thing.title) and not t.url), thing) if thing not in scores else thing
                scores.setdefault(thing, 0.0)
                lines.setdefault(thing, Line(thing.title, seen.turn))
                scores[thing] += self._fit(thing, snippet, var, bound)
        return [(t, lines[t]) for t in sorted(scores, key=lambda t: -scores[t])]

    def _fit(self, thing: Thing, snippet: str, var: str, bound: Bindings) -> float:
        """How much of what the question says of a variable stands in what a search shows of a page."""
        ends = [self.known_end(f.object, bound) for f in self.facts_of(var) if f.subject == var]
        score = sum(1.0 for e in ends if e is not None and says(snippet + " " + thing.title, named(e)))
        page = self.page_of(thing) or PageRead(thing.title, thing.url)
        return score / 2 + 2 * sum(is_kind(page, k.words) for k in self.puzzle.kinds if k.var == var)

    def _queries(self, fact: Fact, bound: Bindings) -> Iterable[str]:
        assert isinstance(fact.subject, str)
        kinds = [k.words[0] for k in self.puzzle.kinds if k.var == fact.subject and k.words and key(k.words[0]) not in ("human", "taxon")]
        facts = [(f, e) for f in self.facts_of(fact.subject) if f.subject == fact.subject and (e := self.known_end(f.object, bound)) is not None]
        yield " ".join(dict.fromkeys([*kinds, *(named(e) for _, e in facts)]))
        yield " ".join(dict.fromkeys([*kinds, *(stated(f, e) for f, e in facts)]))

    def _check(self, page: PageRead, fact: Fact, expected: Read | Const | None) -> float:
        """Whether a page says a fact: 1 in so many words, 0.5 by the name alone, 0 nothing, -1 something else."""
        if expected is None:
            return 0.0
        kind = {"thing": "thing", "text": "thing", "date": "date", "amount": "amount"}[expected.kind] if isinstance(expected, Const) else (
            "thing" if isinstance(expected, Thing) else "date" if expected.year is not None else "amount")
        found = candidates(page, fact.relation, kind=kind) if fact.relation else []
        if any(_same(c.value, expected) and c.score >= 1.5 for c in found):
            return 1.0
        if kind == "thing":
            if any(says(line.text, named(expected)) for line in page.lines()):
                return 0.5
            return -1.0 if any(c.score > 5 for c in found) else 0.0
        if any(_same(c.value, expected) for c in found):
            return 1.0
        return -1.0 if any(c.score > 5 for c in found) else 0.0

    # -- the end

    def _finish(self, bound: Bindings, depth: int) -> Steps:
        """Computes what is to be computed and answers."""
        for order in self.puzzle.orders:
            if holds(order, bound) is False:
                self.fail(depth, "the comparison does not hold", bound)
                return None
        for needed in self.puzzle.sums:
            done = yield from computed(self, needed, bound)
            if done is None:
                self.fail(depth, f"compute {needed.op}", bound)
                return None
            bound = {**bound, needed.out: Bound(*done)}
        if self.puzzle.ask not in bound:
            self.fail(depth, "nothing leads to what is asked", bound)
            return None
        answer = bound[self.puzzle.ask]
        text = self._answer(answer.value)
        where = next((p.title for p in self.pages.values() if any(line.text == answer.line.text for line in p.lines())), "")
        source = f"The page of {where} says" if where else "What I need is"
        thought = f"{source} {quoted_line(answer.line.text)}, as turn {answer.line.turn + 1} showed. So the answer is {text}."
        return Ended(answer=text, thought=clean(thought), turn=answer.line.turn, bound=names_of(bound))

    def _answer(self, value: Read) -> str:
        if isinstance(value, Thing):
            return value.name
        if self.puzzle.ask_type == "date" and self.puzzle.precision == "year" and value.year is not None:
            return str(value.year)
        if self.puzzle.ask_type == "quantity" and value.number is not None and not value.unit and self.puzzle.unit:
            return f"{value.number:.10g} {self.puzzle.unit}"
        return value.text


def _speaks_of(line: Line, thing: Thing) -> bool:
    """Whether a sentence begins with a thing or soon comes to it."""
    return says(line.text[:len(thing.name) + 40], thing.name)


def _same(value: Read, expected: Read | Const) -> bool:
    """Whether a value read is the expected one, as far as both say."""
    if isinstance(value, Thing):
        return isinstance(expected, Thing | Const) and key(value.title) == key(named(expected))
    if isinstance(expected, Thing):
        return False
    if value.year is not None:
        if isinstance(expected, Literal):
            return value.year == expected.year
        parts = [int(x) for x in expected.text.split("-") if x] if re.fullmatch(r"[\d-]+", expected.text) else []
        mine = [x for x in (value.year, value.month, value.day) if x is not None]
        return bool(parts) and all(a == b for a, b in zip(parts, mine, strict=False))
    if value.number is None:
        return False
    number = float(expected.text) if isinstance(expected, Const) and re.fullmatch(r"-?\d+(?:\.\d+)?", expected.text) else (
        expected.number if isinstance(expected, Literal) else None)
    return number is not None and abs(value.number - number) < 1e-6 * max(1.0, abs(number))

