"""The moves that a solver can make in one question, and the state after each move. `route.py`
states the price of each move."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from questloom.records.form import (
    ClaimClause,
    Clause,
    Compute,
    Form,
    Fuzzy,
    Image,
    Reads,
    SentenceClause,
)
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.certificate.execute import Binding
from questloom.transforms.facts.fuzzy import claims_behind
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.planning.named import (
    find_description,
    find_shown_text,
    name_holds,
    page_names,
    text_names,
)

IMAGE_SEARCH, TEXT_SEARCH, VISIT, LOOK, COMPUTE = (
    "image_search",
    "text_search",
    "visit",
    "crop",
    "python_interpreter",
)


@dataclass(frozen=True)
class State:
    """The state of a solver: terms with known names, open pages, confirmed clauses, texts that
    search hits showed, and the calls so far."""

    known: frozenset[str]
    opened: frozenset[str]
    seen: frozenset[Clause]
    shown: frozenset[tuple[str, str]] = frozenset()
    """Pairs of a term and the part of its page that a search has shown."""
    moves: tuple[str, ...] = ()

    @property
    def place(self) -> tuple:
        """The key by which two states are compared. The key does not contain the calls that led to
        a state."""
        return self.known, self.opened, self.seen, self.shown


class Moves:
    """The moves that a solver can make in one question."""

    def __init__(self, form: Form, binding: Binding, facts: Facts) -> None:
        self.form, self.binding, self.facts = form, binding, facts
        self.clauses = frozenset(form.clauses)
        self.claims = form.of(ClaimClause)
        self.reads = form.of(Reads)
        self.computes = form.of(Compute)
        self.sentences = form.of(SentenceClause)
        # What is said vaguely is seen to hold where the claims behind it are read; it gives no query.
        self.behind = {c: claims_behind(facts, c, binding) for c in form.of(Fuzzy)}
        self.things = {v: value.entity for v, value in binding.items() if value.kind == "entity"}
        self.constants = tuple(
            dict.fromkeys(
                term.entity
                for c in self.claims
                for term in (c.subject, c.object)
                if isinstance(term, Value) and term.kind == "entity"
            )
        )
        self.entities = {**self.things, **{entity: entity for entity in self.constants}}
        self._given: dict[object, tuple[frozenset[str], frozenset[Clause]]] = {}
        """The names and clauses that a reader learns from each page and each shown text. The names
        and clauses are kept in memory because most states need the same pages."""
        self.exposed = tuple(self._exposed())
        # Where the recipe requires no page that states a claim, a search for the claim stands for
        # any source.
        self.unsaid = {
            c.object
            for c in self.claims
            if isinstance(c.object, str)
            and c.object not in self.things
            and not page_names(facts, self.entities[self.end(c.subject)], binding[c.object])
        }

    def end(self, term: str | Value) -> str:
        """The name of a term in `State`: its variable, or the id of a thing that the words name."""
        return term if isinstance(term, str) else term.entity

    def value(self, term: str | Value) -> Value:
        return self.binding[term] if isinstance(term, str) else term

    def _exposed(self) -> Iterator[tuple[str, str, ClaimClause]]:
        """Pairs of neighbouring things, each with the claim between them: the name of the first
        thing contains the hidden name of the second."""
        for claim in self.claims:
            ends = (self.end(claim.subject), self.end(claim.object))
            for one, other in (ends, ends[::-1]):
                if (
                    one in self.entities
                    and other in self.things
                    and name_holds(self.facts, self.entities[one], self.entities[other])
                ):
                    yield one, other, claim

    def start(self) -> State:
        return self.settled(State(frozenset(self.constants), frozenset(), frozenset()))

    def settled(self, state: State) -> State:
        """The state after all moves without cost. A move without cost takes a name out of another
        name, or reads names and claims on an open page."""
        known, seen = set(state.known), set(state.seen)
        for page in state.opened:
            names, said = self._on_page(page)
            known |= names
            seen |= said
        for page, text in state.shown:
            names, said = self._in_text(page, text)
            known |= names
            seen |= said
        for _ in self.exposed:  # a name within a name may hold a third one
            for one, other, claim in self.exposed:
                if one in known:
                    known.add(other)
                    seen.add(claim)
        for vague, claims in self.behind.items():
            if seen.issuperset(claims):
                seen.add(vague)
        seen &= self.clauses
        read = (c.object for c in seen if isinstance(c, ClaimClause | SentenceClause))
        known.update(end for end in read if isinstance(end, str))
        return replace(state, known=frozenset(known), seen=frozenset(seen))

    def _on_page(self, page: str) -> tuple[frozenset[str], frozenset[Clause]]:
        """The variables and clauses that an open page names."""
        if page not in self._given:
            thing = self.entities[page]
            names, said = self._found(page, lambda value: page_names(self.facts, thing, value))
            written = (s for s in self.sentences if s.subject == page)
            self._given[page] = names, said.union(written)
        return self._given[page]

    def _in_text(self, page: str, text: str) -> tuple[frozenset[str], frozenset[Clause]]:
        """The variables and clauses that are named in the passages of a page that a search has
        shown."""
        if (page, text) not in self._given:
            names, said = self._found(page, lambda value: text_names(self.facts, text, value))
            written = (s for s in self.sentences if s.subject == page and s.text in text)
            self._given[page, text] = names, said.union(written)
        return self._given[page, text]

    def _found(
        self, page: str, is_named: Callable[[Value], bool]
    ) -> tuple[frozenset[str], frozenset[Clause]]:
        names = frozenset(v for v, thing in self.things.items() if is_named(entity_value(thing)))
        said: set[Clause] = set()
        for claim in (*self.claims, *chain.from_iterable(self.behind.values())):
            about, value = self.value(claim.subject), self.value(claim.object)
            if (self.end(claim.subject) == page and is_named(value)) or (
                value.kind == "entity" and self.end(claim.object) == page and is_named(about)
            ):
                said.add(claim)
        return names, frozenset(said)

    def following(self, state: State) -> Iterator[State]:
        """The states that a solver can reach with one more call."""
        anchor = self.form.anchor
        for image in self.form.of(Image):
            if image not in state.seen:
                said = (anchor, find_description(self.facts, self.things[anchor]))
                yield self._after(
                    state, IMAGE_SEARCH, anchor, known={anchor}, seen={image}, shown={said}
                )
        for var in self.binding:
            if var in state.known or (var not in self.things and var not in self.unsaid):
                continue
            if clauses := self._query(var, state):
                hit = self._hit(var, clauses)
                yield self._after(state, TEXT_SEARCH, var, known={var}, seen=clauses, shown=hit)
        for var in self.things:
            is_page = self.facts.article(self.things[var]) is not None
            if is_page and var in state.known and var not in state.opened:
                yield self._after(state, VISIT, var, opened={var})
        for thing in self.constants:
            if thing not in state.opened and self.facts.article(thing) is not None:
                found = self._after(state, TEXT_SEARCH, thing)
                yield self._after(found, VISIT, thing, opened={thing})
        for reads in self.reads:
            # A solver sees a later picture on the page that shows it.
            if reads not in state.seen and (reads.of == anchor or reads.of in state.opened):
                yield self._after(state, LOOK, reads.var, known={reads.var}, seen={reads})
        for compute in self.computes:
            if compute.out not in state.known and all(
                term in state.known
                for term in (*compute.args, *compute.keys)
                if isinstance(term, str)
            ):
                yield self._after(state, COMPUTE, compute.out, known={compute.out})

    def ends_of_query(self, var: str, state: State) -> set[str]:
        """The things at the other ends of the clauses that a search for a thing can use."""
        found = {self.end(t) for c in self._query(var, state) for t in (c.subject, c.object)}
        return found - {var}

    def _hit(self, var: str, clauses: Iterable[ClaimClause]) -> set[tuple[str, str]]:
        """The part of a thing's page that a search shows when the search finds the thing by the
        given clauses."""
        if var not in self.things:
            return set()
        others = {
            t if isinstance(t, Value) else self.binding[t]
            for c in clauses
            for t in (c.subject, c.object)
        }
        others.discard(self.binding[var])
        text = find_shown_text(self.facts, self.things[var], tuple(sorted(others, key=Value.key)))
        return {(var, text)} if text else set()

    def _query(self, var: str, state: State) -> set[ClaimClause]:
        """The clauses that a search for a thing can use. A search can use a clause if the clause's
        other end is known, or stands in the question's words."""
        found: set[ClaimClause] = set()
        for claim in self.claims:
            ends = (claim.subject, claim.object)
            if var in ends:
                other = ends[1] if ends[0] == var else ends[0]
                if isinstance(other, Value) or other in state.known:
                    found.add(claim)
        return found

    def _after(
        self,
        state: State,
        tool: str,
        what: str,
        *,
        known: Iterable[str] = (),
        opened: Iterable[str] = (),
        seen: Iterable[Clause] = (),
        shown: Iterable[tuple[str, str]] = (),
    ) -> State:
        return self.settled(
            State(
                state.known.union(known),
                state.opened.union(opened),
                state.seen.union(seen),
                state.shown.union(shown),
                (*state.moves, f"{tool} {what}"),
            )
        )

    def least_calls(self, state: State, needed: frozenset[Clause]) -> int:
        """A lower bound of the calls that confirm the given clauses and find the answer. A call
        confirms clauses about one thing only. A claim that a name within a name tells costs no
        call."""
        free = {claim for *_, claim in self.exposed}
        about = frozenset(self._about(c) for c in needed - state.seen if c not in free) - {()}
        asked = self.form.ask.var
        computes = asked not in state.known and any(c.out == asked for c in self.computes)
        return _fewest_of_all(about) + computes

    def _about(self, clause: Clause) -> tuple[str, ...]:
        """The terms of which one must be the object of a call that confirms a clause."""
        match clause:
            case ClaimClause():
                return self.end(clause.subject), self.end(clause.object)
            case SentenceClause():
                return (clause.subject,)
            case Image():
                return (clause.var,)
            case Reads():
                return (f"{LOOK} {clause.var}",)
        return ()


@lru_cache(65_536)
def _fewest_of_all(groups: frozenset[tuple[str, ...]]) -> int:
    """The smallest number of terms with at least one term of each group.

    >>> _fewest_of_all(frozenset({("a", "b"), ("b", "c"), ("d",)}))
    2
    """
    if not groups:
        return 0
    first = min(groups, key=len)
    return 1 + min(_fewest_of_all(frozenset(g for g in groups if t not in g)) for t in first)
