"""Orders the plans of each seed with regard to all seeds, so that no relation, thing or kind of
work appears in too many questions.

It would be a waste to pay for the words of questions that are dropped later. This module therefore
orders the plans of each seed before the plans are put into words. For each seed, the plan with the
least frequent parts comes first, and the other plans stay in reserve. If several seeds have plans
for the same question, only one seed keeps its plan.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from questloom.prompts.phrases import property_use
from questloom.records.form import ClaimClause
from questloom.records.plan import COMPUTATION, DETAIL, LATER_PICTURE, MID_CHAIN, PLAIN, Plan
from questloom.transforms.drafting.interest import ALIKE

NO_RELATION = "no relation"
"""Stands in place of the asked relation if the answer is computed, or read in a picture. For a plan
without an asked relation, only the share of its kind of work is limited."""
LOOKS = {DETAIL: 0.7, MID_CHAIN: 0.8, LATER_PICTURE: 0.5}
"""Factors for plans that read a picture. The setting `detail` times a factor is the maximum share
of plans of one kind. Plans that read a picture only at the end all sound alike, so they get the
smallest share. Plans that continue from a year in a later picture sound contrived."""
OF_FORM = 0.005
"""Maximum share of questions with the same form (the question as a query). Readers take two
questions with nearly the same words for the same question."""
CURIOUS = 0.25
"""Least factor on a relation's share. A relation of weight 1 has the factor 1, and a relation of
small weight has at least this factor."""


@dataclass(frozen=True)
class Offer:
    """The facts about a plan that decide its place in the order."""

    relations: tuple[str, ...]
    things: tuple[str, ...]
    asked: str
    """The relation that the plan asks for, or `NO_RELATION`."""
    work: str
    calls: int
    interest: float
    form: str = ""
    """The plan's form as text, if the plan has no asked relation. (If a plan has an asked relation,
    the share of the relation limits the plan's forms.) Equal forms mostly give the same words."""
    same: str = ""
    """A key that only one question may have: the plan's things with the answer, or the things of
    its computation."""


def as_offer(plan: Plan) -> Offer:
    """Makes an `Offer` of a plan: its relations, its things and its price."""
    form = plan.logical_form
    ends = (c.property for c in form.of(ClaimClause) if form.ask.var in (c.subject, c.object))
    asked = next(ends, NO_RELATION)
    return Offer(
        plan.relations,
        tuple(sorted({key for key in plan.bindings.values() if key.startswith("Q")})),
        asked,
        plan.work,
        plan.route.calls,
        plan.interest,
        json.dumps(plan.form, sort_keys=True) if asked == NO_RELATION else "",
        _same(plan),
    )


def _same(plan: Plan) -> str:
    """The key of a plan. The filter `duplicates` would drop all but one of several questions whose
    plans have the same key."""
    keys = sorted(set(plan.bindings.values()))
    if plan.work == PLAIN:
        return f"{plan.answer.value.key()}: {' '.join(keys)}"
    return " ".join(key for key in keys if key.startswith("Q"))


@dataclass(frozen=True)
class Shares:
    """The maximum shares of questions per relation, thing and kind of work; 1 sets no limit.

    Args:
        relation: share of questions with one relation of weight 1, on the path or asked for.
        thing: share of questions with the same thing.
        detail: limits the questions that read a picture; `LOOKS` has a factor on this share for
            each kind of such questions.
        computation: share of questions that need a computation.
    """

    relation: float
    thing: float
    detail: float
    computation: float

    def of_work(self, work: str) -> float:
        shares = {
            **{look: self.detail * part for look, part in LOOKS.items()},
            COMPUTATION: self.computation,
        }
        return shares.get(work, max(0.0, 1 - sum(shares.values())))

    def of_form(self, form: str) -> float:
        return OF_FORM if form and self.relation < 1 else 1.0

    def of_relation(self, property: str) -> float:
        if self.relation == 1:
            return 1.0
        return self.relation * max(CURIOUS, property_use(property).weight)

    def of_question(self, property: str) -> float:
        """The share of questions that may ask for a relation: half of the relation's whole
        share."""
        if property == NO_RELATION or self.relation == 1:
            return 1.0
        return self.of_relation(property) / 2


def order_plans(
    seeds: Iterable[tuple[str, str, tuple[Offer, ...]]], shares: Shares
) -> dict[str, tuple[int, ...]]:
    """The order of the plans of each seed.

    Args:
        seeds: (seed id, its rank in the random order, its plans).
        shares: the recipe's shares.

    Returns:
        Maps each seed id to the indices of its plans, the best plan first. Each plan is judged by
        one of its parts (relation, thing or kind of work): the part that has used up most of its
        share. A plan is within its shares if no part has more than its share of the seeds so far.
        Plans within their shares come first, and among them the dearest route. The other plans
        follow, those that exceed their shares least first. Interest decides between equal plans. If
        several plans give the same question, only the plan that comes earliest stays. The order of
        the seeds does not matter.
    """
    used: Counter[tuple[str, str]] = Counter()
    taken: set[str] = set()
    orders: list[tuple[str, list[int], tuple[Offer, ...]]] = []
    # The seeds with the fewest plans come first: they cannot give walk.
    in_turn = sorted(seeds, key=lambda s: (len(s[2]), s[1], s[0]))
    for num, (seed_id, _, offers) in enumerate(in_turn, 1):
        loads = [_loads(offer, used, shares) for offer in offers]
        # Nearly equal interest counts as equal: the random order in which the plans were found then
        # decides.
        order = sorted(
            range(len(offers)),
            key=lambda i: (
                max([num, *loads[i][:1]]),
                -offers[i].calls,
                loads[i],
                -round(offers[i].interest / ALIKE),
                i,
            ),
        )
        orders.append((seed_id, order, offers))
        first = next((i for i in order if offers[i].same not in taken), None)
        if first is not None:
            used.update(_parts(offers[first]))
            taken.update({offers[first].same} - {""})
            order.remove(first)
            order.insert(0, first)
    return _without_repeats(orders)


def _without_repeats(
    orders: list[tuple[str, list[int], tuple[Offer, ...]]],
) -> dict[str, tuple[int, ...]]:
    """Removes repeats: each question stays in the order of only one seed. All first plans are
    handled before any second plan."""
    taken: set[str] = set()
    kept: dict[str, list[int]] = {seed_id: [] for seed_id, _, _ in orders}
    for place in range(max((len(order) for _, order, _ in orders), default=0)):
        for seed_id, order, offers in orders:
            if place < len(order) and offers[order[place]].same not in taken:
                kept[seed_id].append(order[place])
                taken.update({offers[order[place]].same} - {""})
    return {seed_id: tuple(order) for seed_id, order in kept.items()}


def _parts(offer: Offer) -> list[tuple[str, str]]:
    return [
        *(("relation", r) for r in offer.relations),
        *(("thing", t) for t in offer.things),
        ("asked", offer.asked),
        ("work", offer.work),
        ("form", offer.form),
    ]


def _loads(offer: Offer, used: Counter[tuple[str, str]], shares: Shares) -> list[float]:
    """How far each part of a plan has used up its share: the number of questions with the part,
    divided by the share. The most used part comes first."""
    allowed = {
        "relation": shares.of_relation,
        "asked": shares.of_question,
        "thing": lambda _: shares.thing,
        "work": shares.of_work,
        "form": shares.of_form,
    }
    shared = [(part, allowed[part[0]](part[1])) for part in _parts(offer)]
    found = [
        (used[part] + 1) / share if share else float("inf") for part, share in shared if share < 1
    ]
    return sorted(found, reverse=True)
