"""Hides names of a question behind descriptions. Each hidden name is one round of a tree."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from questloom.records.form import Ask, ClaimClause, Clause, Form
from questloom.records.knowledge import entity_value, value_of_key
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certify import given_by_picture, unclear_names
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.execute import TooLarge, answers
from questloom.transforms.certificate.fitting import constants_of, num_fitting
from questloom.transforms.certificate.guess import MOST_ANSWERS
from questloom.transforms.certificate.margin import margin_of
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.lacking import lack_to_describe
from questloom.transforms.planning.steps import (
    MAX_CLUES,
    MAX_DESCRIPTORS,
    Descriptor,
    clue_sets,
    ids_in,
    is_stated,
    shuffled_clues,
)
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.form_edits import (
    constants,
    describe_variable,
    hide_constant,
    unsayable,
)
from questloom.transforms.writing.graph.clues import class_clause, role_clauses
from questloom.transforms.writing.graph.expected_fit import ExpectedFit

MAX_HIDINGS = 40
"""Maximum number of descriptions that are tried as replacements for the names in one question."""


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
        idle: whether names may be hidden that the answer does not need.
    """

    at: Ground
    refusals: Refusals
    things: frozenset[str]
    idle: bool = False
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
        for name in self.names(tree, kept):
            trees = list(filter(self._is_sayable, self._hidden(tree, name)))
            for longer in sorted(trees, key=lambda t: self._room(t, kept) if num > 1 else ()):
                if not self.left:
                    return
                self.left -= 1
                yield from self.hide(longer, num - 1, kept)
            kept |= {name}

    def _hidden(self, tree: Tree, name: str) -> Iterator[Tree]:
        return (_hiding(tree, name, d) for d in self._descriptors(tree, name))

    def _is_sayable(self, tree: Tree) -> bool:
        if unsayable(tree.form.of(ClaimClause)):
            self.refusals.add(Reason.NO_WORDING)
            return False
        return True

    def names(self, tree: Tree, kept: frozenset[str] = frozenset()) -> list[str]:
        """The names that may be hidden: idle ones last. Things of a new kind come first, since a
        text with three towns can hardly tell which town it means; then the names needed most."""
        names = [n for n in constants(tree.form) if n not in kept and self._may_be_hidden(tree, n)]
        told = self._kinds({*tree.bindings.values(), *tree.sides.values()})
        return sorted(
            names, key=lambda n: (self.needed[n] < 2, self._kinds({n}) <= told, -self.needed[n])
        )

    def _kinds(self, things: Iterable[str]) -> set[str]:
        return {find_descriptor_class(self.at.facts, t) for t in things if t.startswith("Q")}

    def _room(self, tree: Tree, kept: frozenset[str]) -> tuple[int, int]:
        """A rank for a tree: the more names it leaves to hide, of more kinds, the lower."""
        names = self.names(tree, kept)
        told = self._kinds({*tree.bindings.values(), *tree.sides.values()})
        return -len(self._kinds(names) - told), -len(names)

    def _descriptors(self, tree: Tree, name: str) -> list[Descriptor]:
        said = self.things | tree.said | frozenset(tree.sides.values())
        return [d for d in describe_thing(self.at, name) if not d.ends & said]

    def _may_be_hidden(self, tree: Tree, name: str) -> bool:
        """Whether the name has a description, and a solver would need the description (or idle names
        may be hidden)."""
        if not self._descriptors(tree, name):
            self.refusals.add(Reason.NO_DESCRIPTION, partial(lack_to_describe, self.at.facts, name))
            return False
        if name not in self.needed:
            self.needed[name] = num_left_open(self.at.facts, tree, name)
            if self.needed[name] < 2 and not self.idle:
                self.refusals.add(Reason.DECORATION)
        return self.needed[name] > 1 or self.idle


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
