"""Grows clusters: questions that explore what is near one picture, as in section 3.1 of the paper
on ODE. A cluster reads the picture, follows chains from the picture, and computes with the values
found.

The ability of a seed decides its plan:

* perception: the question asks for something that can be read in the picture.
* perception+reasoning: the question asks for the number of years between the year in the picture
  and a turn of the century.
* perception+search: the question follows a meet (two branches that lead to one thing) or a chain,
  and computes nothing.
* perception+search+reasoning: the question compares values of two things that are reached from the
  picture.

A comparison of two things uses their dates, their measures, or the year in the picture. The
question asks for the computed value, or for an attribute of the winning thing: "Of this bridge and
the church by the same architect, who opened the older one?" For an ability with a search, the
difficulty level sets the number of claims, and every claim must be needed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from random import Random

from questloom.language.date_words import years_in
from questloom.records.form import ClaimClause, Clause, Compute, Form, Image, Reads
from questloom.records.knowledge import Detail, Value
from questloom.records.outcomes import Reason
from questloom.records.periods import YEAR
from questloom.records.plan import Plan
from questloom.records.synthesis import Seed
from questloom.transforms.certificate.compute import compute
from questloom.transforms.certificate.evidence import is_named
from questloom.transforms.drafting.schedule import SEARCH, level_of_reading
from questloom.transforms.facts.readings import sure_readings, year_readings
from questloom.transforms.facts.values import best_values
from questloom.transforms.planning.finish import ask_attributes, ask_last_thing
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.lacking import lacks_at
from questloom.transforms.planning.reasoning import (
    CHOOSES,
    PLACE_OF,
    Observation,
    Reasoning,
    alike,
    observations,
    reason_over,
)
from questloom.transforms.planning.shapes.chain import Grown, Walk, extend, has_shorter_walk
from questloom.transforms.planning.shapes.meet import grow_meets, join_walks
from questloom.transforms.planning.shapes.tree import steps_to
from questloom.transforms.planning.steps import (
    separating_class,
    shuffle_by_weight,
    steps_from,
)
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.graph.clues import answerable
from questloom.transforms.writing.graph.graph_writer import ask_for, belong_together

MAX_STEPS = 3
"""Maximum number of steps from the picture to a compared thing."""
MAX_WAYS = 60
"""Maximum number of walks that are kept for each number of steps. The kept walks are drawn at
random."""
MAX_EDGES = 12
"""Maximum number of further steps that are tried after the last thing of one walk."""
MAX_NEIGHBOURS = 4
"""Maximum number of neighbours of the seed that are tried as the pictured thing in place of the
seed. A step must lead from the neighbour to the seed."""
MAX_FORMS = 3
"""Maximum number of forms for one walk, or for one pair of things."""
MAX_TRIED = 150
"""Maximum number of meets that are examined for each number of steps."""


def grow_clusters(
    at: Ground, seed: Seed, claims: int, draw: Random, refusals: Refusals
) -> Iterator[Grown]:
    """Gives complete questions (as queries) that have the seed's thing at their centre and need the
    abilities that the seed names.

    Args:
        at: the store, and the rules for planning.
        seed: gives the thing, the ability and the level.
        claims: for an ability with a search, the number of claims of a question, including its
            clues and the claim that it asks for.
        draw: random generator for the order.
        refusals: counts how often each bound (a rule for plans) refused.
    """
    match seed.ability:
        case "perception":
            yield from _read(at, seed, draw)
        case "perception+reasoning":
            yield from _count_from_reading(at, seed, draw)
        case ability:
            grow = _search if ability == "perception+search" else _reason
            for start in _starts(at, seed, draw, refusals):
                yield from grow(at, start, claims, draw, refusals)


def off_cluster(at: Ground, seed: Seed, plan: Plan) -> Reason | None:
    """The reason why a certified plan does not fit its seed's ability and level.

    Args:
        at: the store, and the rules for planning.
        seed: gives the ability and the level.
        plan: a plan of a cluster.

    Returns:
        The bound that refuses the plan, or None where the plan fits.
    """
    if SEARCH not in seed.ability:
        return None
    needed = Form.from_json(plan.certificate.smallest_part).of(ClaimClause)
    if len(needed) < at.draft.explore.claims[seed.level]:
        return Reason.OFF_LEVEL
    if plan.answer.text in {_text(at, d.value) for d in sure_readings(at.facts, plan.anchor)}:
        return Reason.ANSWERED_WITHOUT_TOOLS
    return None


def _text(at: Ground, value: Value) -> str:
    answer = answer_of(at.facts, value)
    return answer.text if answer else ""


# ---------------------------------------------------------------- the picture alone


def _seen(thing: str, details: Iterable[Detail]) -> list[Observation]:
    """What can be read in the pictures of a thing."""
    return [
        Observation(node=thing, property=d.property, part=d.part, value=d.value, seen=True)
        for d in details
    ]


def _read(at: Ground, seed: Seed, draw: Random) -> Iterator[Grown]:
    """Forms that ask for something in the picture that is as hard to read as the seed's level."""
    found = sure_readings(at.facts, seed.entity_id)
    details = [d for d in found if level_of_reading(d) == seed.level]
    draw.shuffle(details)
    for seen in _seen(seed.entity_id, details):
        answer = answer_of(at.facts, seen.value)
        if answer is not None and len(answer.text.split()) <= at.draft.max_answer_words:
            form = Form(clauses=(Image(var="x0"), _reads(seen)), ask=ask_for("r", answer))
            yield form, {"x0": seen.node, "r": seen.value.key()}, answer


def _count_from_reading(at: Ground, seed: Seed, draw: Random) -> Iterator[Grown]:
    """Forms that ask for the number of years from a year in the picture to the nearest turn of a
    century. To count to any other date, a solver would need a search."""
    details = year_readings(at.facts, seed.entity_id)
    draw.shuffle(details)
    for seen in _seen(seed.entity_id, details):
        assert seen.value.year is not None, "a reading of a year"
        century = (seen.value.year + 50) // 100
        turn = Value(kind="time", time=f"+{century:02d}00-00-00T00:00:00Z", precision=YEAR)
        result = compute("difference", (seen.value, turn)) if century > 0 else None
        if result is not None and result.number:
            walk, unit = Walk((seed.entity_id,)), years_in(at.facts.language)
            yield _computed(at, walk, (_reads(seen),), {"r": seen.value}, ("r", turn), result, unit)


def _reads(seen: Observation) -> Reads:
    return Reads(var="r", of="x0", property=seen.property, part=seen.part)


# ---------------------------------------------------------------- a search


def _starts(at: Ground, seed: Seed, draw: Random, refusals: Refusals) -> Iterator[list[Walk]]:
    """Where walks can start: first the seed's own picture, then the pictures of neighbours from
    which a step leads to the seed."""
    yield [Walk((seed.entity_id,))]
    back = list(steps_to(at.facts, seed.entity_id, at.draft.max_hub, at.certificate.stated))
    draw.shuffle(back)
    shown = (e for e in back if at.may_be_shown(e.target) and at.is_pictured(e.target))
    for edge in islice(shown, MAX_NEIGHBOURS):
        start = Walk((edge.target,))
        there = replace(edge, target=seed.entity_id, reverse=not edge.reverse)
        if longer := list(extend(at, start, there, refusals)):
            yield [start, draw.choice(longer)]


def _search(
    at: Ground, start: list[Walk], claims: int, draw: Random, refusals: Refusals
) -> Iterator[Grown]:
    """Gives meets and chains with the given number of claims."""
    if len(start) == 1:
        for hops in (claims, claims - 1):
            met = islice(grow_meets(at, start[0].things[0], hops, draw, refusals), MAX_TRIED)
            fit = (g for g in met if len(g[0].of(ClaimClause)) == claims)
            yield from islice(fit, MAX_FORMS)
    walks = _walks(at, start, draw, refusals)
    draw.shuffle(walks)
    for walk in walks:
        num = len(walk.clauses_of(ClaimClause))
        if (
            num == claims
            and walk.steps[-1][1]
            and (itself := ask_last_thing(at, walk.clauses, walk.bindings, walk.last)) is not None
        ):
            yield itself
        if num == claims - 1:
            asked = ask_attributes(at, walk.clauses, walk.bindings, walk.last, draw)
            fit = (g for g in asked if g[1]["a"] not in walk.said)
            yield from islice(fit, MAX_FORMS)


def _walks(at: Ground, start: list[Walk], draw: Random, refusals: Refusals) -> list[Walk]:
    """The walks at the start, and all longer walks that lead to things which no shorter walk
    reaches."""
    level, found = start[-1:], list(start)
    for _ in range(MAX_STEPS):
        longer = []
        for walk in level:
            edges = steps_from(at.facts, walk.things[-1], at.draft.max_hub, at.certificate.stated)
            refusals.causes.append(partial(lacks_at, at.facts, walk.things[-1]))
            for edge in shuffle_by_weight(edges, at.draft.reverse_share, draw)[:MAX_EDGES]:
                if ends := list(extend(at, walk, edge, refusals)):
                    longer.append(draw.choice(ends))
        draw.shuffle(longer)
        level = [walk for walk in longer if not _is_near(at, walk, refusals)][:MAX_WAYS]
        found += level
    return found


def _is_near(at: Ground, walk: Walk, refusals: Refusals) -> bool:
    if near := has_shorter_walk(at.facts, walk):
        refusals.add(Reason.COLLAPSES)
    return near


# ---------------------------------------------------------------- a search and a computation


@dataclass(frozen=True)
class _Pair:
    """Two things at the ends of two walks from the same picture. The two walks are joined into one,
    in which a variable stands for each thing."""

    walk: Walk
    one: str
    other: str
    longest: int
    """Number of steps of the longer walk."""

    @property
    def ends(self) -> tuple[str, str]:
        return self.walk.bindings[self.one], self.walk.bindings[self.other]

    @property
    def links(self) -> frozenset[str]:
        """The relations of claims that connect the two things directly."""
        ends = {self.one, self.other}
        return frozenset(
            c.property for c in self.walk.clauses_of(ClaimClause) if {c.subject, c.object} == ends
        )

    def var(self, thing: str) -> str:
        return self.one if thing == self.ends[0] else self.other


def _reason(
    at: Ground, start: list[Walk], claims: int, draw: Random, refusals: Refusals
) -> Iterator[Grown]:
    """Gives forms that compare two things. Each of the two things is the pictured thing, or the end
    of a walk from the pictured thing."""
    pairs = []
    for one, other in combinations(_walks(at, start, draw, refusals), 2):
        joined = join_walks(one, other)
        # A comparison adds one claim to the walk where the other value is read, else two, and three
        # with an asked attribute.
        if joined and claims - 3 <= len(joined[0].clauses_of(ClaimClause)) <= claims - 1:
            longest = max(len(one.steps), len(other.steps))
            pairs.append(_Pair(joined[0], one.last, joined[1], longest))
    draw.shuffle(pairs)
    # Two short walks are easier to word than one long walk.
    for pair in sorted(pairs, key=lambda p: p.longest > 2):
        found = list(_compared(at, pair, claims, draw))
        draw.shuffle(found)
        yield from found[:MAX_FORMS]


def _compared(at: Ground, pair: _Pair, claims: int, draw: Random) -> Iterator[Grown]:
    """Gives forms that compare one pair of things."""
    one, other = (at.facts.entity(thing) for thing in pair.ends)
    if one is None or other is None:
        return
    same_kind = alike(at.facts, one.id, other.id)
    linked = any(belong_together(one, other, link) for link in pair.links)
    is_place = "location" in (one.domain, other.domain)
    num = claims - len(pair.walk.clauses_of(ClaimClause))
    # The year on a picture is compared with a date of a similar thing: nobody counts from a
    # portrait to a treaty.
    reads = num == 1 and pair.one == "x0"
    is_like = same_kind or (reads and one.domain == other.domain)
    found = reason_over(
        at.facts,
        _seen(one.id, year_readings(at.facts, one.id)) if reads else _said(at, one.id),
        _said(at, other.id),
        counts=linked or is_like,
        compares=same_kind,
        links=pair.links,
    )
    for r in found:
        if is_place and r.first.value.kind == "time":
            continue  # sources mean different events by the founding of a town
        if (num == 2 and r.op not in CHOOSES) or reads:
            yield _result(at, pair, r)
        if num == 3 and r.op in CHOOSES:
            yield from _winner(at, pair, r, draw)


def _said(at: Ground, thing: str) -> list[Observation]:
    """The dates and measures of a thing that a question may mention."""
    most, stated = at.draft.max_answer_words, at.certificate.stated
    return observations(at.facts, thing, most, stated=stated)


def _observed(pair: _Pair, r: Reasoning) -> tuple[tuple[Clause, ...], dict[str, Value]]:
    """The clauses that state both observed values, and a map from variables to these values. The
    value that the computation takes first comes first."""
    clauses: tuple[Clause, ...] = ()
    values = {}
    for name, o in (("b", r.first), ("c", r.second)):
        var = "r" if o.seen else name
        clauses += (
            _reads(o)
            if o.seen
            else ClaimClause(subject=pair.var(o.node), property=o.property, object=var),
        )
        values[var] = o.value
    return clauses, values


def _result(at: Ground, pair: _Pair, r: Reasoning) -> Grown:
    """The form that asks for the value computed from two observed values."""
    clauses, values = _observed(pair, r)
    unit = years_in(at.facts.language) if r.first.value.kind == "time" else ""
    return _computed(at, pair.walk, clauses, values, tuple(values), r.result, unit, r.op)


def _computed(
    at: Ground,
    walk: Walk,
    clauses: tuple[Clause, ...],
    values: dict[str, Value],
    args: tuple[str | Value, ...],
    result: Value,
    unit: str,
    op: str = "difference",
) -> Grown:
    answer = answer_of(at.facts, result, unit_label=unit)
    assert answer is not None, "a number is an answer"
    form = Form(
        clauses=(*walk.clauses, *clauses, Compute(out="n", op=op, args=args)),
        ask=ask_for("n", answer),
    )
    keys = {var: value.key() for var, value in values.items()}
    return form, {**walk.bindings, **keys, "n": result.key()}, answer


def _winner(at: Ground, pair: _Pair, r: Reasoning, draw: Random) -> Iterator[Grown]:
    """Gives forms that ask for an attribute of the thing that wins the comparison. The other thing
    must have a different value of this attribute, or a solver would not need the comparison."""
    clauses, values = _observed(pair, r)
    winner = at.facts.entity(r.result.entity)
    assert winner is not None, "what is compared is in the store"
    loser = next(thing for thing in pair.ends if thing != winner.id)
    compared = Compute(out="w", op=r.op, args=(pair.one, pair.other), keys=tuple(values))
    taken = {r.first.property, PLACE_OF.get(r.first.property, ""), *pair.links}
    avoid = frozenset(pair.walk.bindings.values()) | pair.walk.said
    found = answerable(at.facts, winner, at.draft.max_answer_words, avoid)
    for _, claim, answer in sorted(found, key=lambda f: (-f[0] * draw.random(), f[1].id)):
        others = {v.key() for v in best_values(at.facts, loser, claim.property)}
        if claim.property in taken or not others or claim.value.key() in others:
            continue
        if at.certificate.stated and not is_named(at.facts, claim):
            continue
        target = claim.value.entity
        form = Form(
            clauses=(
                *pair.walk.clauses,
                *clauses,
                compared,
                ClaimClause(subject="w", property=claim.property, object="a"),
                *(
                    separating_class(at.facts, winner.id, claim.property, target, "a")
                    if target
                    else ()
                ),
            ),
            ask=ask_for("a", answer),
        )
        keys = {var: value.key() for var, value in values.items()}
        yield form, {**pair.walk.bindings, **keys, "w": winner.id, "a": claim.value.key()}, answer
        return
