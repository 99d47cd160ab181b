"""Grows chains (the paths of OpenSearch-VL 3.1). A chain leads step by step from the picture to the
asked value.

The search goes depth first and takes the steps in random order, so it finds the first whole chain
in milliseconds. A chain is refused at once for a fault that no later step can repair.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from random import Random

from questloom.records.form import ClaimClause, ClassClause, Clause, Form, Image
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.effective import Step, alone, composed
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.finish import (
    ask_attributes,
    ask_last_thing,
    count_years,
    is_open_without_picture,
)
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.lacking import lack_behind_step, lacks_at
from questloom.transforms.planning.looks import DATES, ask_reading, dated_by, reads
from questloom.transforms.planning.steps import (
    Descriptor,
    describe_step_end,
    in_words,
    separating_class,
    shuffle_by_weight,
    steps_from,
)

Grown = tuple[Form, dict[str, str], Answer]
"""A whole form, its bindings, and its answer."""
MAX_BRANCHES = 6
"""Maximum number of steps that are tried from one thing."""
MAX_READ_ON = 2
"""Maximum number of steps from one thing that lead through a year in the thing's picture. Steps
through a year are tried in addition to the usual steps, and each is continued in one way only."""


@dataclass(frozen=True)
class Way:
    """A growing chain: the things from the pictured thing to the last thing, and the clauses
    between them."""

    things: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    clauses: tuple[Clause, ...] = (Image(var="x0"),)
    said: frozenset[str] = frozenset()
    """Ids and value keys in the way's descriptors (clauses that single a thing out)."""
    sides: dict[str, str] = field(default_factory=dict)
    """Values of the other variables of the way, which are years read in pictures."""

    @property
    def bindings(self) -> dict[str, str]:
        return {f"x{i}": thing for i, thing in enumerate(self.things)} | self.sides

    @property
    def last(self) -> str:
        return f"x{len(self.things) - 1}"

    def clauses_of(self, kind: type) -> tuple:
        """The clauses of the given type, in order."""
        return tuple(c for c in self.clauses if isinstance(c, kind))


def grow_chains(
    at: Ground, anchor: str, hops: int, draw: Random, refusals: Refusals
) -> Iterator[Grown]:
    """Gives whole forms that lead from the picture of a thing over the given number of hops,
    including the claim that the question asks for.

    Args:
        at: the store, and the rules for planning.
        anchor: the thing that the picture shows.
        hops: number of claims between variables that a solver must follow.
        draw: random generator for the order of steps.
        refusals: counts how often each bound (a rule for plans) refused.
    """
    for way in _ways(at, Way((anchor,)), hops, draw, refusals):
        if is_open_without_picture(at, way.clauses, way.bindings, way.last, refusals):
            yield from _ends(at, way, hops, draw)


def _ends(at: Ground, way: Way, hops: int, draw: Random) -> Iterator[Grown]:
    if len(way.steps) == hops:
        if (itself := ask_last_thing(at, way.clauses, way.bindings, way.last)) is not None:
            yield itself
        return
    before = f"x{len(way.things) - 2}"
    told = {c.property for c in way.clauses_of(ClaimClause) if c.subject == way.last}
    for grown in ask_attributes(at, way.clauses, way.bindings, way.last, draw):
        asked = next(c.property for c in grown[0].of(ClaimClause) if c.object == "a")
        # "A ship was launched in the year on this plaque. On what date was it launched?"
        if way.said & {grown[1]["a"]} or asked in told & set(DATES):
            continue
        if len(way.things) > 1:
            yield from count_years(at, grown[0], grown[1], before, draw)
        yield grown
    yield from ask_reading(at, way.clauses, way.bindings, way.last)


def _ways(at: Ground, way: Way, hops: int, draw: Random, refusals: Refusals) -> Iterator[Way]:
    """Gives the ways with `hops` - 1 steps. Also gives ways with `hops` steps if the last step is a
    reverse step, because a form can ask for the thing at its end."""
    if len(way.steps) == hops - 1:
        yield way
    if len(way.steps) == hops:
        yield way
        return
    longer_ways = read_on(at, way, refusals)
    draw.shuffle(longer_ways)
    for longer in longer_ways[:MAX_READ_ON]:
        if len(longer.steps) <= hops:
            yield from islice(_ways(at, longer, hops, draw, refusals), 1)
    found = steps_from(at.facts, way.things[-1], at.draft.max_hub, at.certificate.stated)
    refusals.causes.append(partial(lacks_at, at.facts, way.things[-1]))
    # A way with as many steps as hops must end with a reverse step.
    if len(way.steps) == hops - 1:
        found = tuple(e for e in found if e.reverse)
    for edge in shuffle_by_weight(found, at.draft.reverse_share, draw)[:MAX_BRANCHES]:
        for longer in extend(at, way, edge, refusals):
            yield from _ways(at, longer, hops, draw, refusals)


def extend(at: Ground, way: Way, edge: Edge, refusals: Refusals) -> Iterator[Way]:
    """Makes a way longer by one step. Gives one way for each description of the step's end, and no
    way if the step makes a fault that no later step can repair."""
    facts, step = at.facts, (edge.property, edge.reverse)
    classes = {c for t in way.things if (e := facts.entity(t)) for c in e.classes}
    if edge.target in way.things or edge.target in classes or edge.target in way.said:
        return
    if way.steps and edge.repeats(way.steps[-1][0]):
        return
    steps = (*way.steps, step)
    if composed(steps) < len(steps):
        refusals.add(Reason.COLLAPSES)
        return
    if not edge.reverse and _has_shorter_way(facts, way):
        refusals.add(Reason.COLLAPSES)
        return
    var, last = f"x{len(way.things)}", way.last
    things = (*way.things, edge.target)
    if not edge.reverse:
        claim = ClaimClause(subject=last, property=edge.property, object=var)
        apart = separating_class(facts, way.things[-1], edge.property, edge.target, var)
        yield Way(things, steps, (*way.clauses, claim, *apart), way.said, way.sides)
        return
    claim = ClaimClause(subject=var, property=edge.property, object=last)
    found = [
        d
        for d in describe_step_end(at, way.things[-1], edge.property, edge.target)
        if _fits(d, way)
    ]
    if not found:
        ends = way.things[-1], edge.property, edge.target
        refusals.add(
            Reason.NO_DESCRIPTION, partial(lack_behind_step, facts, *ends, at.certificate.margin)
        )
        return
    for descriptor in found:
        yield Way(
            things,
            steps,
            (*way.clauses, claim, *in_words(descriptor.clauses, var)),
            way.said | descriptor.ends,
            way.sides,
        )


def read_on(at: Ground, way: Way, refusals: Refusals) -> list[Way]:
    """Makes a way longer by a thing whose date is the year in a picture of the last thing: "the
    ship that was launched in the year on this bridge's plaque"."""
    shown, found = len(way.things) == 1, list[Way]()
    for dated in dated_by(at, way.things[-1], shown=shown):
        year, var, r = dated.detail.value.key(), f"x{len(way.things)}", f"r{len(way.sides)}"
        if dated.thing in way.things or {dated.thing, year} & way.said:
            continue
        look = () if shown else ((dated.detail.property, False),)
        steps = (*way.steps, *look, (dated.property, True))
        if any(dated.thing in alone(at.facts, way.things[0], k) for k in range(1, len(steps))):
            refusals.add(Reason.COLLAPSES)
            continue
        more = (
            reads(r, way.last, dated.detail),
            ClaimClause(subject=var, property=dated.property, object=r),
            ClassClause(var=var, class_id=dated.class_id),
        )
        found.append(
            Way(
                (*way.things, dated.thing),
                steps,
                (*way.clauses, *more),
                way.said | {year},
                {**way.sides, r: year},
            )
        )
    return found


def _fits(descriptor: Descriptor, way: Way) -> bool:
    """Whether a description contains no name that the way hides, and no fact that the way has
    already stated."""
    return not descriptor.ends & (frozenset(way.things) | way.said)


def _has_shorter_way(facts: Lookups, way: Way) -> bool:
    """Whether fewer steps also lead to the last thing, and to no other thing. A forward step from
    such a thing would also have a shorter way, and no later step could repair this fault."""
    return any(way.things[-1] in alone(facts, way.things[0], k) for k in range(1, len(way.steps)))
