"""Computes the treewidth of a form's graph. The treewidth is 1 where branches never meet, and
larger where branches meet."""

from collections.abc import Iterable
from itertools import combinations

from questloom.records.form import Form, variables

MAX_EXACT = 14
"""Maximum number of variables for an exact width. The cost of the exact computation doubles with each variable."""


def treewidth(form: Form) -> int:
    """The treewidth of the graph that connects the variables of each clause.

    Up to `MAX_EXACT` variables the width is exact, by dynamic programming over sets of eliminated
    variables (Bodlaender et al., 2012, "On exact algorithms for treewidth"). For a graph with more
    variables, the result is an upper bound, found by the minimum-degree rule.
    """
    neighbours: dict[str, set[str]] = {}
    for clause in form.clauses:
        names = variables(clause)
        for name in names:
            neighbours.setdefault(name, set())
        for one, other in combinations(names, 2):
            neighbours[one].add(other)
            neighbours[other].add(one)
    return width_of(neighbours)


def width_of(neighbours: dict[str, set[str]]) -> int:
    """The treewidth of a graph given by its neighbours; -1 for an empty graph.

    >>> width_of({"a": {"b"}, "b": {"a", "c"}, "c": {"b"}})
    1
    >>> width_of({"a": {"b", "c"}, "b": {"a", "c"}, "c": {"a", "b"}})
    2
    """
    if len(neighbours) > MAX_EXACT:
        return _least_degree(neighbours)
    names = sorted(neighbours)
    ties = [sum(1 << names.index(n) for n in neighbours[name]) for name in names]
    everything = range(len(names))
    best = {0: -1}
    for size in everything:
        level: dict[int, int] = {}
        for done, width in best.items():
            for v in everything:
                if not done >> v & 1:
                    more = max(width, _seen(ties, done, v))
                    after = done | 1 << v
                    level[after] = min(level.get(after, size + len(names)), more)
        best = level
    return next(iter(best.values()))


def _seen(ties: list[int], done: int, start: int) -> int:
    """Number of remaining vertices that can be reached from a vertex over eliminated vertices
    alone."""
    reached, front, found = 1 << start, [start], 0
    while front:
        for v in _bits(ties[front.pop()] & ~reached):
            reached |= 1 << v
            if done >> v & 1:
                front.append(v)
            else:
                found += 1
    return found


def _bits(number: int) -> Iterable[int]:
    return (v for v in range(number.bit_length()) if number >> v & 1)


def _least_degree(neighbours: dict[str, set[str]]) -> int:
    left = {name: set(others) for name, others in neighbours.items()}
    width = -1
    while left:
        name = min(left, key=lambda n: (len(left[n]), n))
        others = left.pop(name)
        width = max(width, len(others))
        for one in others:
            left[one] |= others - {one}
            left[one].discard(name)
    return width
