"""Grows meets: two branches from the picture lead to the same thing, and neither branch alone
singles the thing out.

An example is "Which film was directed by this man's pupil and is set in his birthplace?" The graph
of a meet has a cycle. Cycles make questions harder: on questions without cycles, a strong agent's
score was better by a quarter (FORT-Searcher, arXiv 2606.12087).
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations
from random import Random

from questloom.records.form import Ask, ClaimClause, ClassClause, Clause, Form, Term
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.fitting import num_fitting
from questloom.transforms.certificate.singled_out import is_singled_out
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.planning.finish import ask_attributes, ask_last_thing, count_years
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.lacking import lacks_to_meet
from questloom.transforms.planning.looks import ask_reading
from questloom.transforms.planning.shapes.chain import Grown, Walk, extend
from questloom.transforms.planning.steps import steps_from

MAX_BRANCH = 2
"""Maximum number of steps from the picture before a branch takes its last step, to the thing where
the branches meet."""


def grow_meets(
    at: Ground, anchor: str, hops: int, draw: Random, refusals: Refusals
) -> Iterator[Grown]:
    """Gives complete questions (as queries) in which two branches from the picture of a thing meet.

    Args:
        at: the store, and the rules for planning.
        anchor: the thing that the picture shows.
        hops: number of claims between variables, including the asked claim; a meet has at least
            three.
        draw: random generator for the order.
        refusals: counts how often each bound (a rule for plans) refused.
    """
    if not at.draft.reverse_share:
        return  # branches meet by reverse steps
    branches = [
        b for n in range(MAX_BRANCH + 1) for b in _branches(at, Walk((anchor,)), n, refusals)
    ]
    ends = tuple(dict.fromkeys(branch.things[-1] for branch in branches))
    refusals.causes.append(partial(lacks_to_meet, at.facts, ends))
    found: dict[str, list[tuple[Walk, Edge]]] = {}
    for branch in branches:
        for edge in steps_from(
            at.facts, branch.things[-1], at.draft.max_hub, at.certificate.stated
        ):
            if edge.reverse and edge.target not in branch.things:
                found.setdefault(edge.target, []).append((branch, edge))
    things = sorted(found)
    draw.shuffle(things)
    for thing in things:
        pairs = list(combinations(found[thing], 2))
        draw.shuffle(pairs)
        for one, other in pairs:
            yield from _met(at, one, other, hops, draw, refusals)


def _branches(at: Ground, walk: Walk, steps: int, refusals: Refusals) -> Iterator[Walk]:
    """Gives the walks with exactly `steps` steps, all of which go from the subject of a claim to
    its value."""
    if not steps:
        yield walk
        return
    found = steps_from(at.facts, walk.things[-1], at.draft.max_hub, at.certificate.stated)
    for edge in found:
        if not edge.reverse:
            for longer in extend(at, walk, edge, refusals):
                yield from _branches(at, longer, steps - 1, refusals)


def _met(
    at: Ground,
    one: tuple[Walk, Edge],
    other: tuple[Walk, Edge],
    hops: int,
    draw: Random,
    refusals: Refusals,
) -> Iterator[Grown]:
    """Gives the forms of two branches whose last steps reach the same thing."""
    joined = join_walks(one[0], other[0])
    if joined is None:
        return
    walk, turn = joined
    num_claims = len(walk.clauses_of(ClaimClause)) + 2
    if num_claims not in (hops, hops - 1) or one[1].property == other[1].property:
        return
    # A reverse step leads only to a thing of a class whose members are known.
    kind = find_descriptor_class(at.facts, one[1].target)
    var = f"x{len(walk.things)}"
    clauses = (
        *walk.clauses,
        ClaimClause(subject=var, property=one[1].property, object=one[0].last),
        ClaimClause(subject=var, property=other[1].property, object=turn),
        ClassClause(var=var, class_id=kind),
    )
    met = Walk((*walk.things, one[1].target), clauses=clauses)
    if not _needs_both(at, met, (one[0].last, turn)):
        refusals.add(Reason.NOT_UNIQUE)
        return
    if num_claims == hops:
        if (itself := ask_last_thing(at, clauses, met.bindings, var)) is not None:
            yield itself
    else:
        for asked in ask_attributes(at, clauses, met.bindings, var, draw):
            yield from count_years(at, asked[0], asked[1], turn, draw)
            yield asked
        yield from ask_reading(at, clauses, met.bindings, var)


def join_walks(one: Walk, other: Walk) -> tuple[Walk, str] | None:
    """Joins two walks from the same picture, so that they use one set of variables.

    Args:
        one: the walk that keeps its variables.
        other: the walk that is added. If both walks begin with the same steps, the joined walk has
            these steps only once.

    Returns:
        The joined walk, and the variable at which the second walk ends. None if both walks end in the
        same thing, or meet before their ends.
    """
    if one.things[-1] == other.things[-1]:
        return None
    shared = 1  # the pictured thing
    while (
        shared < min(len(one.things), len(other.things))
        and one.things[shared] == other.things[shared]
        and one.steps[:shared] == other.steps[:shared]
    ):
        shared += 1
    names = {f"x{i}": f"x{i}" for i in range(shared)}
    names |= {f"x{i}": f"x{len(one.things) + i - shared}" for i in range(shared, len(other.things))}
    more = tuple(c for clause in other.clauses if (c := _over(clause, names)) not in one.clauses)
    things = (*one.things, *other.things[shared:])
    said = one.said | other.said
    if len(set(things)) < len(things) or said & set(things):
        return None
    return Walk(things, clauses=(*one.clauses, *more), said=said), names[other.last]


def _over(clause: Clause, names: dict[str, str]) -> Clause:
    """A clause of a branch with new names for its variables, and with the same constants."""

    def renamed(term: Term) -> Term:
        return names[term] if isinstance(term, str) else term

    match clause:
        case ClaimClause():
            return replace(clause, subject=renamed(clause.subject), object=renamed(clause.object))
        case ClassClause():
            return replace(clause, var=names[clause.var])
    return clause


def _needs_both(at: Ground, met: Walk, ends: tuple[str, str]) -> bool:
    """Whether both branches together single out the thing where they meet, with the required
    margin. Each branch alone must fit at least two things."""
    form = Form(clauses=met.clauses, ask=Ask(var=met.last, type="entity"))
    binding = {var: entity_value(thing) for var, thing in met.bindings.items()}
    description = next(d for d in descriptions(form, binding) if d.var == met.last)
    return is_singled_out(at.facts, description, binding[met.last], at.certificate.margin) and all(
        num_fitting(at.facts, description, end) != 1 for end in ends
    )
