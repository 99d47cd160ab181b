"""Grows ladders. A ladder is one tree at several sizes: the picture and the answer stay the same, and
each size hides more names. Trainers compare a policy's success on questions that differ only in
their depth.

Each size is a question of its own with a seed of its own. All seeds of a ladder grow the same tree,
and each seed takes the size of its level.
"""

from collections.abc import Iterator, Sequence
from random import Random

from questloom.transforms.planning.finish import certify_whole, names_leak
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.hiding import Tree
from questloom.transforms.planning.shapes.chain import Grown
from questloom.transforms.planning.shapes.tree import trees


def grow_ladders(
    at: Ground,
    asked: str,
    sizes: Sequence[int],
    size: int,
    draw: Random,
    refusals: Refusals,
) -> Iterator[Grown]:
    """Gives the question (as a query) of one size of a ladder: of the first tree that has a
    certificate at every size.

    Args:
        at: the store, and the rules for planning.
        asked: the thing whose attribute is asked for.
        sizes: the number of rounds of each question of the ladder.
        size: the size to give, one of `sizes`.
        draw: random generator for the order of steps, the same for all sizes.
        refusals: counts how often each bound (a rule for plans) refused.
    """
    # The smallest size hides the things of the walk only, so the walk has no more steps.
    for tree, answer in trees(at, asked, max(sizes), min(sizes), draw, refusals):
        rungs = {n: _of_size(tree, max(sizes) - n) for n in sizes}
        grown = {n: (rung.form, rung.bindings | rung.sides, answer) for n, rung in rungs.items()}
        if all(
            not names_leak(at, *rung) and certify_whole(at, *rung, refusals)
            for rung in grown.values()
        ):
            yield grown[size]
            return


def _of_size(tree: Tree, num_less: int) -> Tree:
    """The tree before its last `num_less` names were hidden."""
    for _ in range(num_less):
        assert tree.shorter is not None, "a ladder starts with the walk"
        tree = tree.shorter
    return tree
