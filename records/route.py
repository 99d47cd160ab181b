"""The price of a question: the cheapest way to single out its answer, in tool calls."""

from dataclasses import dataclass

from questloom.records.table import Record


@dataclass(frozen=True, kw_only=True)
class Route(Record):
    """The cheapest moves after which what was read singles out the answer (`transforms/planning/route.py`)."""

    calls: int
    """Tool calls."""
    depth: int
    """Calls in the longest chain of which each needs the result of the one before."""
    pages: int
    """Pages that are opened."""
    looks: int
    """Calls of a visual tool: the search with the picture, and close looks at one."""
    moves: tuple[str, ...] = ()
    """The calls in order, each as "tool variable"."""
    most_selective: int = 0
    """Things that the most selective clause about a named thing or value leaves alone; 0 where no clause names one."""
    names_exposed: int = 0
    """Hidden things whose name is in the name of a neighbour."""
    treewidth: int = 0
    """Of the graph of the form's variables: 1 for chains and trees, 2 where two branches meet."""
    exact: bool = True
    """Whether it is the cheapest way. Otherwise too many ways could not be compared, or none leads to the answer, and the figures are those of a greedy one."""
