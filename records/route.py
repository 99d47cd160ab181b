"""The price of a question: the fewest tool calls that single out its answer."""

from dataclasses import dataclass

from questloom.records.table import Record


@dataclass(frozen=True, kw_only=True)
class Route(Record):
    """The cheapest moves that single out the answer. `transforms/planning/route.py` computes routes."""

    calls: int
    """Number of tool calls."""
    depth: int
    """Calls in the longest chain in which each call needs the result of the call before."""
    pages: int
    """Number of pages that the solver opens."""
    looks: int
    """Calls of a visual tool: the search with the picture, and close looks at a picture."""
    moves: tuple[str, ...] = ()
    """The tool calls in order, each as "tool variable": "visit x1"."""
    most_selective: int = 0
    """Number of things that fit the most selective clause about a named thing or value; 0 where no
    clause names a thing or value."""
    names_exposed: int = 0
    """Number of hidden things whose name is part of a neighbour's name."""
    treewidth: int = 0
    """Treewidth of the graph of the form's variables: 1 for chains and trees, 2 where two branches meet."""
    exact: bool = True
    """Whether this route is the cheapest. The value is False if there were too many routes to
    compare, or if no route leads to the answer. The figures of an inexact route are those of a
    greedy route."""
