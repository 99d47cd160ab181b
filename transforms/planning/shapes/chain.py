"""Grows chains, which OpenSearch-VL calls paths (section 3.1 of the paper). A chain leads step by
step from the picture to the asked value.

The search goes depth first and takes the steps in random order, so it finds the first whole chain
in milliseconds. A chain is refused at once for a fault that no later step can repair.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from random import Random

from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Clause,
    Form,
    Image,
    SentenceClause,
)
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.effective import Step, alone, composed
from questloom.transforms.drafting.edges import Edge
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.said_class import find_descriptor_class
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
"""A complete question as a query, the value of each of its variables, and its answer."""
MAX_BRANCHES = 6
"""Maximum number of steps that are tried from one thing."""
MAX_READ_ON = 2
"""Maximum number of steps from one thing that lead through a year in the thing's picture. Steps
through a year are tried in addition to the usual steps. After a step through a year, only one
continuation of the walk is used."""


@dataclass(frozen=True)
class Walk:
    """A growing chain: the things from the pictured thing to the last thing, and the clauses
    between them."""

    things: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    clauses: tuple[Clause, ...] = (Image(var="x0"),)
    said: frozenset[str] = frozenset()
    """Ids and value keys in the walk's descriptors (clauses that single a thing out)."""
    sides: dict[str, str] = field(default_factory=dict)
    """Maps each variable for a year that is read in a picture to this year."""

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
    """Gives complete questions (as queries) that lead over a number of hops from the picture of a
    thing to the answer. The claim that the question asks for counts as a hop.

    Args:
        at: the store, and the rules for planning.
        anchor: the thing that the picture shows.
        hops: number of claims between variables that a solver must follow.
        draw: random generator for the order of steps.
        refusals: counts how often each bound (a rule for plans) refused.
    """
    for walk in _walks(at, Walk((anchor,)), hops, draw, refusals):
        if is_open_without_picture(at, walk.clauses, walk.bindings, walk.last, refusals):
            yield from _ends(at, walk, hops, draw)


def _ends(at: Ground, walk: Walk, hops: int, draw: Random) -> Iterator[Grown]:
    if len(walk.steps) == hops:
        if (itself := ask_last_thing(at, walk.clauses, walk.bindings, walk.last)) is not None:
            yield itself
        return
    before = f"x{len(walk.things) - 2}"
    told = {c.property for c in walk.clauses_of(ClaimClause) if c.subject == walk.last}
    for grown in ask_attributes(at, walk.clauses, walk.bindings, walk.last, draw):
        asked = next(c.property for c in grown[0].of(ClaimClause) if c.object == "a")
        # "A ship was launched in the year on this plaque. On what date was it launched?"
        if walk.said & {grown[1]["a"]} or asked in told & set(DATES):
            continue
        if len(walk.things) > 1:
            yield from count_years(at, grown[0], grown[1], before, draw)
        yield grown
    yield from ask_reading(at, walk.clauses, walk.bindings, walk.last)


def _walks(at: Ground, walk: Walk, hops: int, draw: Random, refusals: Refusals) -> Iterator[Walk]:
    """Gives the walks with `hops` - 1 steps. Also gives walks with `hops` steps if the last step is
    a reverse step, because a question can ask for the last thing itself."""
    if len(walk.steps) == hops - 1:
        yield walk
    if len(walk.steps) == hops:
        yield walk
        return
    longer_walks = read_on(at, walk, refusals)
    draw.shuffle(longer_walks)
    for longer in longer_walks[:MAX_READ_ON]:
        if len(longer.steps) <= hops:
            yield from islice(_walks(at, longer, hops, draw, refusals), 1)
    for longer in tell_on(at, walk, refusals)[:MAX_READ_ON]:
        yield from islice(_walks(at, longer, hops, draw, refusals), 1)
    found = steps_from(at.facts, walk.things[-1], at.draft.max_hub, at.certificate.stated)
    refusals.causes.append(partial(lacks_at, at.facts, walk.things[-1]))
    # A walk with as many steps as hops must end with a reverse step.
    if len(walk.steps) == hops - 1:
        found = tuple(e for e in found if e.reverse)
    for edge in shuffle_by_weight(found, at.draft.reverse_share, draw)[:MAX_BRANCHES]:
        for longer in extend(at, walk, edge, refusals):
            yield from _walks(at, longer, hops, draw, refusals)


def extend(at: Ground, walk: Walk, edge: Edge, refusals: Refusals) -> Iterator[Walk]:
    """Makes a walk longer by one step. Gives one walk for each description of the step's end, and no
    walk if the step makes a fault that no later step can repair."""
    facts, step = at.facts, (edge.property, edge.reverse)
    classes = {c for t in walk.things if (e := facts.entity(t)) for c in e.classes}
    if edge.target in walk.things or edge.target in classes or edge.target in walk.said:
        return
    if walk.steps and edge.repeats(walk.steps[-1][0]):
        return
    steps = (*walk.steps, step)
    if composed(steps) < len(steps):
        refusals.add(Reason.COLLAPSES)
        return
    if not edge.reverse and has_shorter_walk(facts, walk):
        refusals.add(Reason.COLLAPSES)
        return
    var, last = f"x{len(walk.things)}", walk.last
    things = (*walk.things, edge.target)
    if not edge.reverse:
        claim = ClaimClause(subject=last, property=edge.property, object=var)
        apart = separating_class(facts, walk.things[-1], edge.property, edge.target, var)
        yield Walk(things, steps, (*walk.clauses, claim, *apart), walk.said, walk.sides)
        return
    claim = ClaimClause(subject=var, property=edge.property, object=last)
    found = [
        d
        for d in describe_step_end(at, walk.things[-1], edge.property, edge.target)
        if _fits(d, walk)
    ]
    if not found:
        ends = walk.things[-1], edge.property, edge.target
        refusals.add(
            Reason.NO_DESCRIPTION, partial(lack_behind_step, facts, *ends, at.certificate.margin)
        )
        return
    for descriptor in found:
        yield Walk(
            things,
            steps,
            (*walk.clauses, claim, *in_words(descriptor.clauses, var)),
            walk.said | descriptor.ends,
            walk.sides,
        )


def read_on(at: Ground, walk: Walk, refusals: Refusals) -> list[Walk]:
    """Makes a walk longer by a thing whose date is the year in a picture of the last thing: "the
    ship that was launched in the year on this bridge's plaque"."""
    shown, found = len(walk.things) == 1, list[Walk]()
    for dated in dated_by(at, walk.things[-1], shown=shown):
        year, var, r = dated.detail.value.key(), f"x{len(walk.things)}", f"r{len(walk.sides)}"
        if dated.thing in walk.things or {dated.thing, year} & walk.said:
            continue
        look = () if shown else ((dated.detail.property, False),)
        steps = (*walk.steps, *look, (dated.property, True))
        more = (
            reads(r, walk.last, dated.detail),
            ClaimClause(subject=var, property=dated.property, object=r),
            ClassClause(var=var, class_id=dated.class_id),
        )
        longer = Walk(
            (*walk.things, dated.thing),
            steps,
            (*walk.clauses, *more),
            walk.said | {year},
            {**walk.sides, r: year},
        )
        if has_shorter_walk(at.facts, longer):
            refusals.add(Reason.COLLAPSES)
            continue
        found.append(longer)
    return found


def tell_on(at: Ground, walk: Walk, refusals: Refusals) -> list[Walk]:
    """Makes a walk longer by a thing that only a sentence of the last thing's page names. A walk
    has at most one such step."""
    if walk.clauses_of(SentenceClause):
        return []
    found, var = list[Walk](), f"x{len(walk.things)}"
    steps = (*walk.steps, ("", False))
    for fact in at.text_facts.get(walk.things[-1], ()):
        if fact.object in walk.things or fact.object in walk.said:
            continue
        told = SentenceClause(
            subject=walk.last,
            object=var,
            article_id=fact.article_id,
            revision=fact.revision,
            section=fact.section,
            start=fact.start,
            end=fact.end,
            text=fact.text,
            relation=fact.relation,
            target=fact.object,
            votes=fact.votes,
        )
        kind = ClassClause(var=var, class_id=find_descriptor_class(at.facts, fact.object))
        things, clauses = (*walk.things, fact.object), (*walk.clauses, told, kind)
        longer = Walk(things, steps, clauses, walk.said, walk.sides)
        if has_shorter_walk(at.facts, longer):
            refusals.add(Reason.COLLAPSES)
            continue
        found.append(longer)
    return found


def _fits(descriptor: Descriptor, walk: Walk) -> bool:
    """Whether a description contains no name that the walk hides, and no fact that the walk has
    already stated."""
    return not descriptor.ends & (frozenset(walk.things) | walk.said)


def has_shorter_walk(facts: Lookups, walk: Walk) -> bool:
    """Whether fewer steps from the picture also lead to the last thing, and to no other thing. If
    fewer steps suffice, a walk that goes on with a forward step also has a shorter walk, and no
    later step can repair this fault.

    Args:
        facts: the store.
        walk: a walk from a picture.
    """
    return any(
        walk.things[-1] in alone(facts, walk.things[0], k) for k in range(1, len(walk.steps))
    )
