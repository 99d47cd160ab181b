"""The treewidth: 1 of trees, 2 of cycles, more of cliques; exact for small graphs, bounded for large ones."""

from itertools import combinations

import pytest

from questloom.transforms.planning.treewidth import MAX_EXACT, width_of


def graph(*edges: tuple[int, int]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one, other in edges:
        found.setdefault(str(one), set()).add(str(other))
        found.setdefault(str(other), set()).add(str(one))
    return found


def cycle(number: int) -> dict[str, set[str]]:
    return graph(*((n, (n + 1) % number) for n in range(number)))


@pytest.mark.parametrize(
    ("of", "width"),
    [
        ({}, -1),
        ({"a": set()}, 0),
        (graph((0, 1), (1, 2), (1, 3), (3, 4)), 1),
        (cycle(5), 2),
        (graph(*combinations(range(5), 2)), 4),
        (graph(*((3 * r + c, 3 * r + c + 1) for r in range(3) for c in range(2)),
               *((3 * r + c, 3 * r + c + 3) for r in range(2) for c in range(3))), 3),
    ],
    ids=["empty", "one", "tree", "cycle", "clique", "grid"],
)  # fmt: skip
def test_known_widths(of, width):
    assert width_of(of) == width


def test_a_graph_too_large_for_the_exact_way_gets_the_bound_of_the_least_degree():
    long = MAX_EXACT + 6
    assert width_of(graph(*((n, n + 1) for n in range(long)))) == 1
    assert width_of(cycle(long)) == 2
    assert width_of(graph(*combinations(range(long), 2))) == long - 1
