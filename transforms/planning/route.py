"""The route: the cheapest way to single out a question's answer, in tool calls, exact on the frozen store.

A question is as hard as its cheapest solution (FORT-Searcher, arXiv 2606.12087). With a form and a frozen store that
is computed: a shortest path over what is in hand, what pages are open and which clauses were seen to hold, until some
set of clauses that alone singles out the answer was seen to hold.

| move | calls |
|---|---|
| name the pictured thing | 1, a search with the picture |
| find a described thing by a query of the clauses whose other ends are in hand | 1 |
| open the page of a thing that a search or an open page has given | 1 |
| open the page of a thing that the question names | 2, a search and the visit |
| look closely at a picture | 1 |
| compute | 1 |
| read a claim, or a later thing's name, on an open page | 0 |
| take a name from a name that holds it | 0 |

Where the moves are generous (a query always finds what it describes, of several named things the right one is taken),
the price is a lower bound: no way of solving costs less.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Clause,
    Compare,
    Compute,
    Form,
    Image,
    Reads,
    SentenceClause,
    variables,
)
from questloom.records.knowledge import Value
from questloom.records.route import Route
from questloom.transforms.certificate.execute import Binding, TooLarge, answers, coarsen_to_ask
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import best_values
from questloom.transforms.facts.within import num_within
from questloom.transforms.planning.named import name_holds, page_names
from questloom.transforms.planning.treewidth import treewidth

MAX_SETS = 64
"""Sets of clauses that single out the answer, beyond which the smaller ones are not looked for."""
MAX_STATES = 4_000
"""States beyond which the search for the shortest path gives up, and a greedy way is taken."""

IMAGE_SEARCH, TEXT_SEARCH, VISIT, LOOK, COMPUTE = (
    "image_search",
    "text_search",
    "visit",
    "crop",
    "python_interpreter",
)


@dataclass(frozen=True)
class State:
    """What a solver has: terms whose name is in hand, open pages, clauses seen to hold, calls made."""

    known: frozenset[str]
    opened: frozenset[str]
    seen: frozenset[Clause]
    moves: tuple[str, ...] = ()

    @property
    def place(self) -> tuple:
        """What two states are compared by: the ways to them differ."""
        return self.known, self.opened, self.seen


def find_route(form: Form, binding: Binding, facts: Facts) -> Route:
    """The cheapest way to single out the answer of a form.

    Args:
        form: with its picture.
        binding: the intended value of every variable.
        facts: the store.

    Returns:
        Its price and what it is made of.
    """
    solver = _Moves(form, binding, facts)
    wanted, all_sets = selecting_sets(form, binding, facts)
    best, exact = _cheapest(solver, wanted)
    return Route(
        calls=len(best.moves),
        depth=_depth(solver, best.moves),
        pages=sum(m.startswith(VISIT) for m in best.moves),
        looks=sum(m.startswith((IMAGE_SEARCH, LOOK)) for m in best.moves),
        moves=best.moves,
        most_selective=most_selective(form, facts),
        names_exposed=len(solver.exposed),
        treewidth=treewidth(form),
        exact=exact and all_sets,
    )


def selecting_sets(
    form: Form, binding: Binding, facts: Facts
) -> tuple[tuple[frozenset[Clause], ...], bool]:
    """The smallest sets of clauses that single out the answer, and whether none is missing.

    Classes and comparisons are in the words and cost nothing, so they belong to every set. The search goes down
    from all clauses by leaving out one at a time: what a set selects, a larger one selects too.
    """
    priced: tuple[Clause, ...] = tuple(
        c for c in form.clauses if not isinstance(c, ClassClause | Compare | Compute)
    )
    level, smallest, num = {frozenset(priced)}, list[frozenset[Clause]](), 0
    while level and num < MAX_SETS:
        below: set[frozenset[Clause]] = set()
        for chosen in sorted(level, key=lambda s: [c in s for c in priced]):
            num += 1
            smaller = [
                rest
                for clause in priced
                if clause in chosen
                and ((rest := chosen - {clause}) in below or _selects(form, rest, binding, facts))
            ]
            below.update(smaller)
            if not smaller:
                smallest.append(chosen)
            if num >= MAX_SETS:
                break
        level = below
    # Of what was left unexplored the sets themselves still single out the answer.
    return (*smallest, *level), not level


def _selects(form: Form, chosen: frozenset[Clause], binding: Binding, facts: Facts) -> bool:
    """Whether so many of a form's clauses single out its answer."""
    free = (ClassClause, Compare, Compute)
    kept = [c for c in form.clauses if c in chosen or isinstance(c, free)]
    reached = {form.ask.var}
    while more := {v for c in kept if reached & set(variables(c)) for v in variables(c)} - reached:
        reached |= more
    kept = [c for c in kept if set(variables(c)) <= reached]
    bound = {v for c in kept if not isinstance(c, Compare | ClassClause) for v in variables(c)}
    kept = [c for c in kept if not isinstance(c, Compare) or set(variables(c)) <= bound]
    if form.ask.var not in bound | {c.var for c in kept if isinstance(c, ClassClause)}:
        return False
    shown = any(isinstance(c, Image) for c in kept)
    given = {form.anchor: binding[form.anchor]} if shown else {}
    if (
        not shown
        and form.anchor in bound
        and (kind := find_descriptor_class(facts, binding[form.anchor].entity))
    ):
        kept.append(ClassClause(var=form.anchor, class_id=kind))
    for clause in form.of(Reads):
        if clause in kept and (shown or clause.of != form.anchor):
            given[clause.var] = binding[clause.var]
    try:
        found = answers(Form(clauses=tuple(kept), ask=form.ask), facts, given, most=2)
    except (TooLarge, KeyError):
        return False
    wanted = coarsen_to_ask(binding[form.ask.var], form.ask).key()
    return [v.key() for v in found] == [wanted]


def most_selective(form: Form, facts: Facts) -> int:
    """How many things the most selective clause about something named leaves alone; 0 where none names anything."""
    found = []
    for clause in form.of(ClaimClause):
        if isinstance(clause.object, Value) and isinstance(clause.subject, str):
            found.append(num_within(facts, clause.property, clause.object))
        elif isinstance(clause.subject, Value):
            found.append(len(best_values(facts, clause.subject.entity, clause.property)))
    return min(found, default=0)


class _Moves:
    """The moves that a solver has in one question."""

    def __init__(self, form: Form, binding: Binding, facts: Facts) -> None:
        self.form, self.binding, self.facts = form, binding, facts
        self.claims = form.of(ClaimClause)
        self.reads = form.of(Reads)
        self.computes = form.of(Compute)
        self.sentences = form.of(SentenceClause)
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
        self.exposed = tuple(self._exposed())
        # Where the recipe asks for no page that says a claim, a search for it stands for whatever says it.
        self.unsaid = {
            c.object
            for c in self.claims
            if isinstance(c.object, str)
            and c.object not in self.things
            and not page_names(facts, self.entities[self.end(c.subject)], binding[c.object])
        }

    def end(self, term: str | Value) -> str:
        """A term's name among those in hand: its variable, or the id of the thing that the words name."""
        return term if isinstance(term, str) else term.entity

    def value(self, term: str | Value) -> Value:
        return self.binding[term] if isinstance(term, str) else term

    def _exposed(self) -> Iterator[tuple[str, str]]:
        """Neighbours of which the first one's name holds that of the second, a hidden one."""
        for claim in self.claims:
            ends = (self.end(claim.subject), self.end(claim.object))
            for one, other in (ends, ends[::-1]):
                if (
                    one in self.entities
                    and other in self.things
                    and name_holds(self.facts, self.entities[one], self.entities[other])
                ):
                    yield one, other

    def start(self) -> State:
        return self.settled(State(frozenset(), frozenset(), frozenset()))

    def settled(self, state: State) -> State:
        """The state with all that costs nothing: names in names, names and claims on open pages."""
        known, seen = set(state.known), set(state.seen)
        for page in state.opened:
            for var, thing in self.things.items():
                value = Value(kind="entity", entity=thing)
                if var not in known and page_names(self.facts, self.entities[page], value):
                    known.add(var)
        changed = True
        while changed:
            changed = False
            for one, other in self.exposed:
                if (one in known or one in self.constants) and other not in known:
                    known.add(other)
                    changed = True
        for said in self.sentences:
            if said.subject in state.opened:
                seen.add(said)
                known.add(self.end(said.object))
        for claim in self.claims:
            if claim not in seen and self._read(claim, state.opened, known):
                seen.add(claim)
                if isinstance(claim.object, str) and claim.object not in self.things:
                    known.add(claim.object)
        return State(frozenset(known), state.opened, frozenset(seen), state.moves)

    def _read(self, claim: ClaimClause, opened: frozenset[str], known: set[str]) -> bool:
        """Whether an open page, or a name, says a claim."""
        subject, object = self.end(claim.subject), self.end(claim.object)
        value = self.value(claim.object)
        if subject in opened and page_names(self.facts, self.entities[subject], value):
            return True
        if value.kind != "entity":
            return False
        about = self.value(claim.subject)
        if object in opened and page_names(self.facts, value.entity, about):
            return True
        return any(
            {one, other} == {subject, object} and (one in known or one in self.constants)
            for one, other in self.exposed
        )

    def following(self, state: State) -> Iterator[State]:
        """The states one call further."""
        anchor = self.form.anchor
        images = self.form.of(Image)
        if images and images[0] not in state.seen:
            yield self._after(state, IMAGE_SEARCH, anchor, known={anchor}, seen=set(images))
        for var in self.binding:
            if var in state.known or (var not in self.things and var not in self.unsaid):
                continue
            if clauses := self._query(var, state):
                yield self._after(state, TEXT_SEARCH, var, known={var}, seen=clauses)
        for var in self.things:
            is_page = self.facts.article(self.things[var]) is not None
            if is_page and var in state.known and var not in state.opened:
                yield self._after(state, VISIT, var, opened={var})
        for thing in self.constants:
            if thing not in state.opened and self.facts.article(thing) is not None:
                found = self._after(state, TEXT_SEARCH, thing)
                yield self._after(found, VISIT, thing, opened={thing})
        for reads in self.reads:
            if reads not in state.seen and (reads.of == anchor or reads.of in state.known):
                yield self._after(state, LOOK, reads.var, known={reads.var}, seen={reads})
        for compute in self.computes:
            if compute.out not in state.known and all(
                term in state.known
                for term in (*compute.args, *compute.keys)
                if isinstance(term, str)
            ):
                yield self._after(state, COMPUTE, compute.out, known={compute.out})

    def ends_of_query(self, var: str, state: State) -> set[str]:
        """The other ends of the clauses by which a thing can be searched for."""
        found = {self.end(t) for c in self._query(var, state) for t in (c.subject, c.object)}
        return found - {var}

    def _query(self, var: str, state: State) -> set[ClaimClause]:
        """The clauses by which a thing can be searched for: those whose other ends are in hand or in the words."""
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
    ) -> State:
        return self.settled(
            State(
                state.known.union(known),
                state.opened.union(opened),
                state.seen.union(seen),
                (*state.moves, f"{tool} {what}"),
            )
        )

    def is_solved(self, state: State, wanted: tuple[frozenset[Clause], ...]) -> bool:
        """Whether the answer is in hand, and a set of clauses that singles it out was seen to hold."""
        answered = self.form.ask.var in state.known
        return answered and any(clauses <= state.seen for clauses in wanted)


def _cheapest(moves: _Moves, wanted: tuple[frozenset[Clause], ...]) -> tuple[State, bool]:
    """The cheapest solved state, and whether nothing cheaper can have been missed (Dijkstra, 1959)."""
    start = moves.start()
    queue, order, best = [(0, 0, start)], 0, {start.place: 0}
    num_states = 0
    while queue and num_states < MAX_STATES:
        calls, _, state = heappop(queue)
        if calls > best[state.place]:
            continue
        if moves.is_solved(state, wanted):
            return state, True
        num_states += 1
        for after in moves.following(state):
            if len(after.moves) < best.get(after.place, len(after.moves) + 1):
                best[after.place] = len(after.moves)
                order += 1
                heappush(queue, (len(after.moves), order, after))
    return _greedy(moves, wanted), False


def _greedy(moves: _Moves, wanted: tuple[frozenset[Clause], ...]) -> State:
    """Where the shortest way was not found: a way that takes the move that sees most at each step, whether or not it ends solved."""
    state = moves.start()
    while not moves.is_solved(state, wanted):
        ways = list(moves.following(state))
        if not ways:
            break  # some claim is on no page: no way leads to the answer
        state = max(
            ways, key=lambda s: (len(s.seen) + len(s.known) + 0.1 * len(s.opened), -len(s.moves))
        )
    return state


def _depth(moves: _Moves, made: tuple[str, ...]) -> int:
    """The calls in the longest chain of which each needs what the one before it gave."""
    state, level, deepest = moves.start(), dict.fromkeys(moves.start().known, 0), 0
    for move in made:
        tool, what = move.split(" ")
        needed = [level.get(what, 0)] if tool == VISIT else [0]
        if tool == LOOK:
            of = next(reads.of for reads in moves.reads if reads.var == what)
            needed = [level.get(of, 0) if of != moves.form.anchor else 0]
        if tool == TEXT_SEARCH and what in moves.binding:
            ends = moves.ends_of_query(what, state)
            needed = [level.get(e, 0) for e in ends]
        if tool == COMPUTE:
            compute = next(c for c in moves.computes if c.out == what)
            needed = [level.get(t, 0) for t in (*compute.args, *compute.keys) if isinstance(t, str)]
        at = 1 + max(needed, default=0)
        if tool == TEXT_SEARCH and what in moves.constants:
            level[what] = at
            continue
        state = next(
            s
            for s in moves.following(State(state.known, state.opened, state.seen))
            if s.moves[-1] == move
        )
        deepest = max(deepest, at)
        for name in state.known:
            level.setdefault(name, at)
    return deepest
