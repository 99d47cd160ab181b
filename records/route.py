"""The price of a question: the smallest number of tool calls that determine its answer."""

from dataclasses import dataclass

from questloom.records.table import Record


@dataclass(frozen=True, kw_only=True)
class Route(Record):
    """The cheapest sequence of tool calls that determines the answer.
    `transforms/planning/route.py` computes routes."""

    calls: int
    """Number of tool calls."""
    depth: int
    """Number of calls in the longest chain in which each call needs the result of the call before
    it."""
    pages: int
    """Number of pages that the solver opens."""
    looks: int
    """Number of calls of visual tools: searches with the picture, and close looks at a picture."""
    moves: tuple[str, ...] = ()
    """The tool calls in order, each written as the tool and a variable ("visit x1")."""
    most_selective: int = 0
    """Number of things that fit the most selective of the question's clauses with a name or a
    value; 0 if no clause has one."""
    names_exposed: int = 0
    """Number of unnamed things in the question whose names could be guessed, because a neighbouring
    thing's name contains them."""
    treewidth: int = 0
    """Treewidth of the graph of the form's variables: 1 for a chain or a tree, 2 if two branches
    meet."""
    exact: bool = True
    """Whether this route is certainly the cheapest. False if there were too many routes to compare,
    or if no route leads to the answer; a greedy search then chose the route."""
