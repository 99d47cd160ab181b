"""Computes the route: the cheapest solution of a question, counted in tool calls. The computation
is exact, since the store does not change.

A question is as hard as its cheapest solution (FORT-Searcher, arXiv 2606.12087). The route is a
shortest path over states. A state holds known terms, open pages and confirmed clauses. The path
ends when enough clauses are confirmed to single out the answer.

| move | calls |
|---|---|
| name the pictured thing | 1, a search with the picture |
| find a described thing by a query of the clauses whose other ends are known | 1 |
| open the page of a thing that a search or an open page has named | 1 |
| open the page of a thing that the question names | 2, a search and the visit |
| look closely at the question's picture, or at one that an open page shows | 1 |
| compute | 1 |
| read a claim, or a later thing's name, on an open page | 0 |
| read it in the text of a search: the passages of the found thing with the words of the search, or the description of the pictured thing | 0 |
| take a name from a name that holds it | 0 |

The computation is generous: a query always finds what it describes, and the solver always picks the
right thing of several. The price is therefore a lower bound: no solution costs less.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from heapq import heappop, heappush
from itertools import count

from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Clause,
    Compare,
    Compute,
    Form,
    Fuzzy,
    Image,
    variables,
)
from questloom.records.knowledge import Value
from questloom.records.route import Route
from questloom.transforms.certificate.execute import Binding, coarsen_to_ask, only_answer
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import best_values
from questloom.transforms.facts.within import num_within
from questloom.transforms.planning import moves as tools
from questloom.transforms.planning.moves import (
    IMAGE_SEARCH,
    LOOK,
    TEXT_SEARCH,
    VISIT,
    Moves,
    State,
)
from questloom.transforms.planning.treewidth import treewidth

FREE = (ClassClause, Compare, Compute)
"""Clauses that the question itself states, so that no call confirms them."""
MAX_STATES = 4_000
"""Maximum number of states that the search for the shortest path visits. If the search has visited
this number of states without an end, a greedy path is taken in place of the shortest path."""


def find_route(form: Form, binding: Binding, facts: Facts) -> Route:
    """The cheapest way to single out the answer of a form.

    Args:
        form: the question as a query, with its picture.
        binding: the intended value of every variable.
        facts: the store.

    Returns:
        The price and the moves of the cheapest solution.
    """
    moves, needed = Moves(form, binding, facts), needed_clauses(form, binding, facts)
    priced = {c for c in form.clauses if not isinstance(c, FREE)}

    @cache
    def selects(seen: frozenset[Clause]) -> bool:
        return priced <= seen or _selects(form, seen, binding, facts)

    def is_solved(state: State) -> bool:
        return form.ask.var in state.known and needed <= state.seen and selects(state.seen)

    best, exact = _cheapest(moves, needed, is_solved)
    return Route(
        calls=len(best.moves),
        depth=_depth(moves, best.moves),
        pages=sum(m.startswith(VISIT) for m in best.moves),
        looks=sum(m.startswith((IMAGE_SEARCH, LOOK)) for m in best.moves),
        moves=best.moves,
        most_selective=most_selective(form, facts),
        names_exposed=len(moves.exposed),
        treewidth=treewidth(form),
        exact=exact,
    )


def needed_clauses(form: Form, binding: Binding, facts: Facts) -> frozenset[Clause]:
    """The clauses that a solver must confirm: without one of them, the others do not single out the
    answer. The question itself states classes and comparisons, which need no call."""
    priced = frozenset(c for c in form.clauses if not isinstance(c, FREE))
    return frozenset(c for c in priced if not _selects(form, priced - {c}, binding, facts))


def _selects(form: Form, chosen: frozenset[Clause], binding: Binding, facts: Facts) -> bool:
    """Whether the chosen clauses of a form single out its answer. If a set of clauses does, every
    larger set does too."""
    kept = [c for c in form.clauses if c in chosen or isinstance(c, FREE)]
    reached = {form.ask.var}
    while more := {v for c in kept if reached & set(variables(c)) for v in variables(c)} - reached:
        reached |= more
    kept = [c for c in kept if set(variables(c)) <= reached]
    tests = (ClassClause, Compare, Fuzzy)
    bound = {v for c in kept if not isinstance(c, tests) for v in variables(c)}
    kept = [c for c in kept if not isinstance(c, Compare) or set(variables(c)) <= bound]
    shown = any(isinstance(c, Image) for c in kept)
    given = {form.anchor: binding[form.anchor]} if shown else {}
    if (
        not shown
        and form.anchor in bound
        and (kind := find_descriptor_class(facts, binding[form.anchor].entity))
    ):
        kept.append(ClassClause(var=form.anchor, class_id=kind))
    for clause in form.shown_reads if shown else ():
        if clause in kept:
            given[clause.var] = binding[clause.var]
    found = only_answer(Form(clauses=tuple(kept), ask=form.ask), facts, given)
    wanted = coarsen_to_ask(binding[form.ask.var], form.ask)
    return found is not None and found.key() == wanted.key()


def most_selective(form: Form, facts: Facts) -> int:
    """Number of things that fit the most selective clause about a named thing or value; 0 where no
    clause names a thing or value."""
    found = []
    for clause in form.of(ClaimClause):
        if isinstance(clause.object, Value) and isinstance(clause.subject, str):
            found.append(num_within(facts, clause.property, clause.object))
        elif isinstance(clause.subject, Value):
            found.append(len(best_values(facts, clause.subject.entity, clause.property)))
    return min(found, default=0)


def _cheapest(
    moves: Moves, needed: frozenset[Clause], is_solved: Callable[[State], bool]
) -> tuple[State, bool]:
    """Of all states found that solve the question, the one with the fewest calls. The second result
    says whether no cheaper solution can exist. A state's rank is its number of calls, plus a lower
    bound of the calls to come (A*; Hart, Nilsson and Raphael, 1968)."""
    queue, order = list[tuple[int, int, int, State]](), count()
    fewest = dict[tuple, int]()

    def reach(states: Iterable[State]) -> None:
        for state in states:
            calls = len(state.moves)
            if state.place not in fewest or calls < fewest[state.place]:
                fewest[state.place] = calls
                rank = calls + moves.least_calls(state, needed)
                heappush(queue, (rank, -calls, next(order), state))

    first = [moves.start()]
    if any(isinstance(clause, Image) for clause in needed):
        # Whoever needs the picture may search for it first: what it tells stays known.
        first = [s for s in moves.following(first[0]) if s.moves[0].startswith(IMAGE_SEARCH)]
    reach(first)
    for _ in range(MAX_STATES):
        if not queue:
            break
        *_, state = heappop(queue)
        if is_solved(state):
            return state, True
        reach(moves.following(state))
    return _greedy(moves, is_solved), False


def _greedy(moves: Moves, is_solved: Callable[[State], bool]) -> State:
    """A greedy path, for the case that no shortest path was found. Each step makes the move that
    confirms most clauses. The path may end without a solution."""
    state = moves.start()
    while not is_solved(state):
        walks = list(moves.following(state))
        if not walks:
            break  # some claim is on no page: no path leads to the answer
        state = max(walks, key=lambda s: (len(s.seen), len(s.known), len(s.opened), -len(s.moves)))
    return state


def _depth(moves: Moves, made: tuple[str, ...]) -> int:
    """Number of calls in the longest chain of calls that depend on each other: each call needs the
    result of the call before."""
    state = moves.start()
    level, opened, deepest = dict.fromkeys(state.known, 0), dict[str, int](), 0
    for move in made:
        tool, what = move.split(" ")
        needed: list[int] = []
        match tool:
            case tools.VISIT:
                needed = [level[what]]
            case tools.LOOK:
                of = next(reads.of for reads in moves.reads if reads.var == what)
                needed = [opened[of]] if of != moves.form.anchor else []
            case tools.COMPUTE:
                compute = next(c for c in moves.computes if c.out == what)
                needed = [level[t] for t in (*compute.args, *compute.keys) if isinstance(t, str)]
            case tools.TEXT_SEARCH if what in moves.binding:
                needed = [level[end] for end in moves.ends_of_query(what, state) if end in level]
        at = max(needed, default=0) + 1
        if tool == TEXT_SEARCH and what in moves.constants:
            level[what] = at
            continue
        if tool == VISIT:
            opened[what] = at
        state = next(s for s in moves.following(replace(state, moves=())) if s.moves[-1] == move)
        deepest = max(deepest, at)
        for name in state.known:
            level.setdefault(name, at)
    return deepest
