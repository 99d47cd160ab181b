"""The price of a question: the smallest number of tool calls that determine its answer."""

from dataclasses import dataclass

from questloom.records.table import Record


@dataclass(frozen=True, kw_only=True)
class Route(Record):
    """The cheapest sequence of moves that determines the answer. `transforms/planning/route.py` computes routes."""

    calls: int
    """Number of tool calls."""
    depth: int
    """Number of calls in the longest chain in which each call needs the result of the call before."""
    pages: int
    """Number of pages that the solver opens."""
    looks: int
    """Number of calls of a visual tool: the search with the picture, and close looks at a picture."""
    moves: tuple[str, ...] = ()
    """The tool calls in order, each as "tool variable": "visit x1"."""
    most_selective: int = 0
    """Number of things that fit the most selective clause about a named thing or value; 0 if no clause names one."""
    names_exposed: int = 0
    """Number of hidden things whose name is contained in a neighbour's name."""
    treewidth: int = 0
    """Treewidth of the graph of the form's variables: 1 for chains and trees, 2 if two branches meet."""
    exact: bool = True
    """Whether this route is known to be the cheapest. The value is False if there were too many routes to compare, or
    if no route leads to the answer. If the route is not exact, its figures are those of a greedy route."""
