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
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, islice
from random import Random
from typing import TypeVar

from questloom.records.form import Ask, Clause, Form
from questloom.records.knowledge import entity_value, value_of_key
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.certify import given_by_picture, unclear_names
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.execute import TooLarge, answers
from questloom.transforms.certificate.fitting import constants_of, num_fitting
from questloom.transforms.certificate.guess import MOST_ANSWERS
from questloom.transforms.certificate.margin import margin_of
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.finish import (
    ask_attributes,
    certify_whole,
    count_years,
    is_open_without_picture,
)
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.lacking import (
    lack_behind_step,
    lack_to_describe,
    lacks_to_reach,
)
from questloom.transforms.planning.looks import ask_reading
from questloom.transforms.planning.shapes.chain import Grown, Walk, extend
from questloom.transforms.planning.steps import (
    MAX_CLUES,
    MAX_DESCRIPTORS,
    Descriptor,
    clue_sets,
    describe_step_end,
    ids_in,
    is_stated,
    shuffle_by_weight,
    shuffled_clues,
    steps_from,
)
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.form_edits import constants, describe_variable, hide_constant
from questloom.transforms.writing.graph.clues import class_clause, role_clauses
from questloom.transforms.writing.graph.expected_fit import ExpectedFit

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
MAX_HIDINGS = 40
"""Maximum number of descriptions that are tried as replacements for the names in one question."""
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
) -> Iterator[tuple["Tree", Answer]]:
    """Gives trees and their answers. The walk from the picture has at most `most_steps` steps."""
    roots = count()
    lengths = range(1, min(most_steps, MAX_STEPS) + 1)
    # The longest walk first: a short walk has too few names in its descriptors to hide.
    for steps in reversed(lengths):
        for walk in _walks_from_pictures(at, asked, steps, draw, refusals):
            if not is_open_without_picture(at, walk.clauses, walk.bindings, walk.last, refusals):
                continue
            for form, bindings, answer in _ends(at, walk, steps, draw):
                root = Tree(form, bindings, walk.said)
                if rounds == steps:
                    yield root, answer
                # To hide a name behind what singles its thing out changes no solution: what falls with all names in it falls without.
                elif certify_whole(at, form, bindings, answer, refusals) is not None:
                    if next(roots) == MAX_ROOTS:
                        return
                    trying = Trying(at, refusals, frozenset(bindings.values()))
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


@dataclass(frozen=True)
class Tree:
    """A question (as a query) in which some names are already hidden behind descriptions."""

    form: Form
    bindings: dict[str, str]
    """The values of the first form's variables."""
    said: frozenset[str]
    """Ids and value keys in the tree's descriptors (clauses that single a thing out)."""
    sides: dict[str, str] = field(default_factory=dict)
    """Maps variables to the hidden things."""
    shorter: "Tree | None" = None
    """The tree before the last name was hidden."""


@dataclass
class Trying:
    """Hides names of one question behind descriptions. At most `MAX_HIDINGS` descriptions are
    tried.

    Args:
        at: the store, and the rules for planning.
        refusals: counts how often each bound (a rule for plans) refused.
        things: ids and value keys of the things and values on the walk. No description may contain
            an id or key from this set.
    """

    at: Ground
    refusals: Refusals
    things: frozenset[str]
    left: int = MAX_HIDINGS
    needed: dict[str, int] = field(default_factory=dict)
    """Maps each name to the number of answers that fit the question if the name may stand for
    anything. Each number is computed only once, since hiding other names does not change the
    solutions."""

    def hide(self, tree: Tree, num: int, kept: frozenset[str] = frozenset()) -> Iterator[Tree]:
        """Gives the trees with `num` more hidden names. Names whose removal leaves the most
        possible answers are hidden first.

        Args:
            tree: the tree from which the new trees grow.
            num: number of names to hide.
            kept: names that are not hidden here, because another call tries to hide them.
        """
        if not num:
            yield tree
            return
        names = [n for n in constants(tree.form) if n not in kept and self._may_be_hidden(tree, n)]
        for name in sorted(names, key=lambda n: -self.needed[n]):
            trees = [_hiding(tree, name, d) for d in self._descriptors(tree, name)]
            for longer in sorted(trees, key=lambda t: -self._num_open(t, kept) if num > 1 else 0):
                if not self.left:
                    return
                self.left -= 1
                yield from self.hide(longer, num - 1, kept)
            kept |= {name}

    def _num_open(self, tree: Tree, kept: frozenset[str]) -> int:
        return sum(n not in kept and self._may_be_hidden(tree, n) for n in constants(tree.form))

    def _descriptors(self, tree: Tree, name: str) -> list[Descriptor]:
        said = self.things | tree.said | frozenset(tree.sides.values())
        return [d for d in describe_thing(self.at, name) if not d.ends & said]

    def _may_be_hidden(self, tree: Tree, name: str) -> bool:
        """Whether the name has a description, and a solver would need the description."""
        if not self._descriptors(tree, name):
            self.refusals.add(Reason.NO_DESCRIPTION, partial(lack_to_describe, self.at.facts, name))
            return False
        if name not in self.needed:
            self.needed[name] = num_left_open(self.at.facts, tree, name)
            if self.needed[name] < 2:
                self.refusals.add(Reason.DECORATION)
        return self.needed[name] > 1


def num_left_open(facts: Lookups, tree: Tree, name: str) -> int:
    """Number of answers that fit the question if a name in it may stand for anything, counted up to
    `MOST_ANSWERS`. If only one answer remains, a solver would not need a description of the
    name."""
    form = hide_constant(tree.form, name, "free", ())
    binding = {var: value_of_key(key) for var, key in tree.bindings.items()}
    try:
        return len(answers(form, facts, given_by_picture(form, binding), most=MOST_ANSWERS))
    except TooLarge:
        return MOST_ANSWERS


def _hiding(tree: Tree, name: str, descriptor: Descriptor) -> Tree:
    var = f"y{len(tree.sides)}"
    return replace(
        tree,
        form=hide_constant(tree.form, name, var, descriptor.clauses),
        said=(tree.said - {name}) | descriptor.ends,
        sides={**tree.sides, var: name},
        shorter=tree,
    )


def describe_thing(at: Ground, thing: str) -> tuple[Descriptor, ...]:
    """Descriptions that single out a thing without its name and without a step to the thing. A
    description is a relation to a named thing that no other thing has, or the thing's class with
    clues.

    Returns:
        At most `MAX_DESCRIPTORS` descriptors. Each descriptor contains a name.
    """
    return _describe_thing(
        at.facts, thing, at.certificate.margin, at.certificate.stated, at.recipe_seed
    )


@remembered()
def _describe_thing(
    facts: Lookups, thing: str, margin: int, stated: bool, recipe_seed: int
) -> tuple[Descriptor, ...]:
    entity = facts.entity(thing)
    kind = class_clause(facts, entity) if entity is not None else None
    # A genus or family has the class "taxon" like a species, and would be called a species.
    if entity is None or kind is None or facts.num_subjects("P171", thing):
        return ()
    avoid = frozenset({thing})
    pointing = [
        c
        for _, c in sorted(role_clauses(facts, entity, avoid), key=lambda w: -w[0])
        if not stated or is_stated(facts, c, thing)
    ]
    candidates: list[tuple[Clause, ...]] = [(c,) for c in pointing]
    if nearly_complete(facts, kind.class_id):
        fits = ExpectedFit(facts, facts.num_members(kind.class_id), 0)
        clues = shuffled_clues(facts, entity, avoid, frozenset(), stated, recipe_seed, thing)
        candidates += [c for c in clue_sets(clues, MAX_CLUES) if c and fits(c)]
    found = []
    for clauses in candidates:
        if _singles_out(facts, thing, (kind, *clauses), margin):
            found.append(Descriptor((kind, *clauses), ids_in(clauses)))
            if len(found) == MAX_DESCRIPTORS:
                break
    return tuple(found)


def _singles_out(facts: Lookups, thing: str, clauses: tuple[Clause, ...], margin: int) -> bool:
    """Whether the clauses single out one thing with the required margin. At least one of the things
    that the clauses name must be needed to single out the thing."""
    form = describe_variable(Form(clauses=(), ask=Ask(var="y", type="entity")), "y", clauses)
    if unclear_names(form, facts):
        return False
    description = descriptions(form, {"y": entity_value(thing)})[0]
    measured = margin_of(facts, description, entity_value(thing), margin, exact=False)
    if measured.margin < (1 if facts.trust.complete else margin):
        return False
    named = tuple(dict.fromkeys(constants_of(description)))
    return bool(named) and any(num_fitting(facts, description, end) != 1 for end in named)
