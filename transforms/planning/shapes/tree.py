"""Trees (iterative injection, VSearcher 2.2): a question about a thing in which each round hides one more name.

A thing is hidden behind the way that leads to it from a picture, one round a step; what the steps' descriptors name is
hidden behind descriptions of its own, one round a name. So a tree of so many rounds hides as many things beside the
pictured one. It is grown from what is asked: backward to pictured things, then forward along each way found, under the
bounds of a chain.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from questloom.records.form import Ask, ClaimClause, Clause, Form
from questloom.records.knowledge import Value, entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.margin import constants_of, margin_of, num_fitting
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.finish import ask_attributes, count_years
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.shapes.chain import Grown, Way, extend
from questloom.transforms.planning.steps import (
    MAX_CLUES,
    MAX_DESCRIPTORS,
    Descriptor,
    clue_sets,
    ids_in,
    is_stated,
    shuffle_by_weight,
    shuffled_clues,
    steps_from,
)
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.form_edits import describe_variable, hide_constant
from questloom.transforms.writing.graph.clues import class_clause, role_clauses
from questloom.transforms.writing.graph.expected_fit import ExpectedFit

MAX_STEPS = 3
"""Steps of the way from the picture; further rounds hide what its descriptors name."""
MAX_WAYS = 24
"""Ways back to a picture that are followed."""
MAX_BACK = 8
"""Things before one thing that are tried on the way back."""


def grow_trees(
    at: Ground, asked: str, rounds: int, draw: Random, refusals: Refusals
) -> Iterator[Grown]:
    """Whole forms that ask for an attribute of a thing and hide so many things, the asked one included.

    Args:
        at: the store and the rules.
        asked: the thing.
        rounds: of injection.
        draw: for the order of steps.
        refusals: counts what the bounds refuse.
    """
    lengths = list(range(1, min(rounds, MAX_STEPS) + 1))
    # The longest way first: a short one needs more names to hide than its descriptors have.
    for steps in reversed(lengths):
        for way in _ways_from_pictures(at, asked, steps, draw, refusals):
            for bushy in _with_hidden_names(at, way, rounds - steps, draw, refusals):
                for form, bindings, answer in ask_attributes(
                    at, bushy.clauses, bushy.bindings, bushy.last, draw
                ):
                    if bindings["a"] in bushy.said:
                        continue
                    before = f"x{steps - 1}"
                    yield from count_years(at, form, bindings, before, draw)
                    yield form, bindings, answer


def _ways_from_pictures(
    at: Ground, asked: str, steps: int, draw: Random, refusals: Refusals
) -> Iterator[Way]:
    """The ways of so many steps from things with a picture to one thing."""
    shown = (
        edges
        for edges in _back(at, asked, steps, frozenset({asked}), draw)
        if at.is_pictured(edges[0][0]) and at.may_be_shown(edges[0][0])
    )
    for edges in islice(shown, MAX_WAYS):
        start, _ = edges[0]
        ways = [Way((start,))]
        for _, edge in edges:
            ways = [longer for way in ways for longer in extend(at, way, edge, refusals)]
        yield from ways


def _back(
    at: Ground, thing: str, steps: int, met: frozenset[str], draw: Random
) -> Iterator[tuple[tuple[str, Edge], ...]]:
    """Chains of so many (thing, step from it) that end at a thing, in random order."""
    if not steps:
        yield ()
        return
    found = shuffle_by_weight(
        steps_to(at.facts, thing, at.draft.max_hub, at.certificate.stated),
        at.draft.reverse_share,
        draw,
        back=True,
    )
    for back in found[:MAX_BACK]:
        if back.target in met:
            continue
        forward = Edge(
            property=back.property, target=thing, reverse=not back.reverse, weight=back.weight
        )
        for earlier in _back(at, back.target, steps - 1, met | {back.target}, draw):
            yield (*earlier, (back.target, forward))


@remembered()
def steps_to(facts: Lookups, thing: str, max_hub: int, stated: bool) -> tuple[Edge, ...]:
    """The steps of a plan that lead to a thing, each as the step back."""
    neighbours = {
        c.value.entity for c in facts.claims(thing) if c.best and c.value.kind == "entity"
    } | {c.subject for c in facts.claims_into(thing, limit=200)}
    return tuple(
        Edge(property=e.property, target=other, reverse=not e.reverse, weight=e.weight)
        for other in sorted(neighbours)
        for e in steps_from(facts, other, max_hub, stated)
        if e.target == thing
    )


def _with_hidden_names(
    at: Ground, way: Way, num: int, draw: Random, refusals: Refusals
) -> Iterator[Way]:
    """The way with so many of its named things hidden behind descriptions, the last named first."""
    if not num:
        yield way
        return
    for name in _named(way)[::-1]:
        found = [
            d
            for d in describe_thing(at, name)
            if not d.ends & (frozenset(way.bindings.values()) | way.said)
        ]
        if not found:
            refusals.add(Reason.NO_DESCRIPTION)
        for descriptor in found:
            yield from _with_hidden_names(
                at, _hiding(way, name, descriptor), num - 1, draw, refusals
            )


def _named(way: Way) -> list[str]:
    """The things that a way names, in order."""
    return list(
        dict.fromkeys(
            term.entity
            for clause in way.clauses
            if isinstance(clause, ClaimClause)
            for term in (clause.subject, clause.object)
            if isinstance(term, Value) and term.kind == "entity"
        )
    )


def _hiding(way: Way, name: str, descriptor: Descriptor) -> Way:
    var = f"y{len(way.sides)}"
    hidden = hide_constant(
        Form(clauses=way.clauses, ask=Ask(var=way.last, type="entity")),
        name,
        var,
        descriptor.clauses,
    )
    return replace(
        way,
        clauses=hidden.clauses,
        said=(way.said - {name}) | descriptor.ends,
        sides={**way.sides, var: name},
    )


def describe_thing(at: Ground, thing: str) -> tuple[Descriptor, ...]:
    """How a thing can be told without its name and without a step to it: by a named thing that points at it alone, or by its class and clues.

    Returns:
        At most `MAX_DESCRIPTORS`, each naming something.
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
    # A genus or family has the class "taxon" as a species has, and would be called a species.
    if entity is None or kind is None or facts.num_subjects("P171", thing):
        return ()
    avoid = frozenset({thing})
    pointing = [
        c
        for _, c in sorted(role_clauses(facts, entity, avoid), key=lambda w: -w[0])
        if not stated or is_stated(facts, c, thing)
    ]
    candidates: list[tuple[Clause, ...]] = [(c,) for c in pointing[: MAX_DESCRIPTORS * 2]]
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
    """Whether clauses describe one thing with the margin, and need one of the things that they name."""
    form = describe_variable(Form(clauses=(), ask=Ask(var="y", type="entity")), "y", clauses)
    description = descriptions(form, {"y": entity_value(thing)})[0]
    measured = margin_of(facts, description, entity_value(thing), margin, exact=False)
    if measured.margin < (1 if facts.trust.complete else margin):
        return False
    named = tuple(dict.fromkeys(constants_of(description)))
    return bool(named) and any(num_fitting(facts, description, end) != 1 for end in named)
