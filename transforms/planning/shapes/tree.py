"""Grows trees, as the iterative injection of VSearcher does (section 2.2 of the paper). A tree is a
question about a thing. Each round of growth hides one more name of the question.

First, the asked thing is hidden behind the walk that leads to it from a picture: each step is a
round. Then names in the descriptions along the walk are hidden behind further descriptions: each
name is a round. The number of rounds is therefore the number of hidden things, without the pictured
thing. A tree grows backward from the asked thing to pictured things, then forward along each walk
that was found. The rules for the steps of a chain also hold for a tree.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count, islice
from random import Random
from typing import TypeVar

from questloom.records.form import ClaimClause
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.finish import (
    ask_attributes,
    certify_whole,
    count_years,
    is_open_without_picture,
)
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.hiding import Tree, Trying
from questloom.transforms.planning.lacking import (
    lack_behind_step,
    lacks_to_reach,
)
from questloom.transforms.planning.looks import ask_reading
from questloom.transforms.planning.shapes.chain import Grown, Walk, extend
from questloom.transforms.planning.steps import (
    describe_step_end,
    shuffle_by_weight,
    steps_from,
)
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.form_edits import unsayable

Item = TypeVar("Item")

MAX_STEPS = 3
"""Maximum number of steps of the walk from the picture. Further rounds hide names in the
descriptions along the walk."""
MAX_CHAINS = 24
"""Maximum number of chains of things, from a thing with a picture to the asked thing, that are
tried."""
WAYS_OF_A_CHAIN = 4
"""Maximum number of walks that are tried for one chain of things; the walks differ in the
descriptions of the things."""
TREES_OF_A_FORM = 2
"""Maximum number of trees that grow from one form. Each tree starts with a different hidden
name."""
MAX_ROOTS = 24
"""Maximum number of questions of a seed in which names are hidden."""
MAX_BACK = 8
"""Maximum number of things that are tried as the thing before a given thing, on the walk back to a
picture."""


def grow_trees(
    at: Ground, asked: str, rounds: int, draw: Random, refusals: Refusals
) -> Iterator[Grown]:
    """Gives complete questions (as queries) that ask for an attribute of a thing. Each question
    hides `rounds` things, including the asked thing.

    Args:
        at: the store, and the rules for planning.
        asked: the thing whose attribute is asked for.
        rounds: number of rounds, which is the number of things to hide.
        draw: random generator for the order of steps.
        refusals: counts how often each bound (a rule for plans) refused.
    """
    for tree, answer in trees(at, asked, rounds, rounds, draw, refusals):
        yield tree.form, tree.bindings | tree.sides, answer


def trees(
    at: Ground, asked: str, rounds: int, most_steps: int, draw: Random, refusals: Refusals
) -> Iterator[tuple[Tree, Answer]]:
    """Gives trees and their answers. The walk from the picture has at most `most_steps` steps. Names
    that the answer does not need are hidden only where the recipe allows it and no tree does
    without."""
    found = False
    for idle in (False, True)[: 1 + at.draft.idle_rounds]:
        for grown in _trees(at, asked, rounds, most_steps, draw, refusals, idle=idle):
            found = True
            yield grown
        if found:
            return


def _trees(
    at: Ground,
    asked: str,
    rounds: int,
    most_steps: int,
    draw: Random,
    refusals: Refusals,
    *,
    idle: bool,
) -> Iterator[tuple[Tree, Answer]]:
    roots = count()
    lengths = range(1, min(most_steps, MAX_STEPS) + 1)
    # The longest walk first: a short walk has too few names in its descriptors to hide.
    for steps in reversed(lengths):
        for walk in _walks_from_pictures(at, asked, steps, draw, refusals):
            if not is_open_without_picture(at, walk.clauses, walk.bindings, walk.last, refusals):
                continue
            for form, bindings, answer in _ends(at, walk, steps, draw):
                if unsayable(form.of(ClaimClause)):
                    refusals.add(Reason.NO_WORDING)
                    continue
                root = Tree(form, bindings, walk.said)
                if rounds == steps:
                    yield root, answer
                    continue
                trying = Trying(at, refusals, frozenset(bindings.values()), idle)
                # Most walks name nothing that can be hidden: their certificates would be in vain.
                if not trying.names(root):
                    continue
                # To hide a name behind what singles its thing out changes no solution: what falls with all names in it falls without.
                if certify_whole(at, form, bindings, answer, refusals) is not None:
                    if next(roots) == MAX_ROOTS:
                        return
                    found = islice(trying.hide(root, rounds - steps), TREES_OF_A_FORM)
                    yield from ((tree, answer) for tree in found)


def _ends(at: Ground, walk: Walk, steps: int, draw: Random) -> Iterator[Grown]:
    for form, bindings, answer in ask_attributes(at, walk.clauses, walk.bindings, walk.last, draw):
        if bindings["a"] not in walk.said:
            yield from count_years(at, form, bindings, f"x{steps - 1}", draw)
            yield form, bindings, answer
    yield from ask_reading(at, walk.clauses, walk.bindings, walk.last)


def _walks_from_pictures(
    at: Ground, asked: str, steps: int, draw: Random, refusals: Refusals
) -> Iterator[Walk]:
    """Gives the walks of exactly `steps` steps that lead from a thing with a picture to the asked
    thing."""
    chains = _back(at, asked, steps, frozenset({asked}), draw, refusals)
    for edges in islice(chains, MAX_CHAINS):
        yield from islice(_along(at, edges, refusals), WAYS_OF_A_CHAIN)


def _along(at: Ground, edges: tuple[tuple[str, Edge], ...], refusals: Refusals) -> Iterator[Walk]:
    walks = iter([Walk((edges[0][0],))])
    for _, edge in edges:
        walks = _each_extended(at, walks, edge, refusals)
    return walks


def _each_extended(
    at: Ground, walks: Iterator[Walk], edge: Edge, refusals: Refusals
) -> Iterator[Walk]:
    for walk in walks:
        yield from extend(at, walk, edge, refusals)


def _back(
    at: Ground, thing: str, steps: int, met: frozenset[str], draw: Random, refusals: Refusals
) -> Iterator[tuple[tuple[str, Edge], ...]]:
    """Gives chains from a thing whose picture a question may show to the given thing, in random
    order. A chain has `steps` pairs (thing, step from the thing). The last steps alternate."""
    if not steps:
        if at.is_pictured(thing) and at.may_be_shown(thing):
            yield ()
        return
    refusals.causes.append(partial(lacks_to_reach, at.facts, thing))
    found = shuffle_by_weight(
        steps_to(at.facts, thing, at.draft.max_hub, at.certificate.stated),
        at.draft.reverse_share,
        draw,
        back=True,
    )
    yield from by_turns(
        _back_over(at, thing, back, steps, met, draw, refusals)
        for back in found[:MAX_BACK]
        if back.target not in met
    )


def _back_over(
    at: Ground,
    thing: str,
    back: Edge,
    steps: int,
    met: frozenset[str],
    draw: Random,
    refusals: Refusals,
) -> Iterator[tuple[tuple[str, Edge], ...]]:
    """Gives the chains that end with a given step. The argument `back` is this step in the opposite
    direction."""
    forward = Edge(
        property=back.property, target=thing, reverse=not back.reverse, weight=back.weight
    )
    for number, earlier in enumerate(
        _back(at, back.target, steps - 1, met | {back.target}, draw, refusals)
    ):
        # Only where some picture leads there: to describe a thing costs more than to look for pictures.
        if (
            not number
            and forward.reverse
            and not describe_step_end(at, back.target, back.property, thing)
        ):
            refusals.add(
                Reason.NO_DESCRIPTION,
                partial(
                    lack_behind_step,
                    at.facts,
                    back.target,
                    back.property,
                    thing,
                    at.certificate.margin,
                ),
            )
            return
        yield (*earlier, (back.target, forward))


def by_turns(streams: Iterable[Iterator[Item]]) -> Iterator[Item]:
    """Takes one item of each stream in turn, until all streams are empty.

    >>> list(by_turns([iter("abc"), iter("x")]))
    ['a', 'x', 'b', 'c']
    """
    waiting = deque(streams)
    while waiting:
        stream = waiting.popleft()
        for item in islice(stream, 1):
            yield item
            waiting.append(stream)


@remembered()
def steps_to(facts: Lookups, thing: str, max_hub: int, stated: bool) -> tuple[Edge, ...]:
    """The steps by which a plan can reach a thing. Each result describes such a step in the
    opposite direction, as a step away from the thing."""
    neighbours = {
        c.value.entity for c in facts.claims(thing) if c.best and c.value.kind == "entity"
    } | {c.subject for c in facts.claims_into(thing, limit=200)}
    return tuple(
        Edge(property=e.property, target=other, reverse=not e.reverse, weight=e.weight)
        for other in sorted(neighbours)
        for e in steps_from(facts, other, max_hub, stated, thing)
    )
