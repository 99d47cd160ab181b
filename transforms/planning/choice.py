"""Orders the plans of each seed over all seeds, so that no relation, thing or kind of work appears
in too many questions.

Rules that drop questions at the end waste the words and models that were paid for. This module
drops no questions but orders each seed's plans. The plan that takes least from scarce shares comes
first, and the others stay in reserve. Plans that would give the same question belong to one seed.
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
"""Stands for the asked relation if the answer is computed, or read in a picture. A plan without an
asked relation is limited by the share of its kind of work."""
LOOKS = {DETAIL: 0.7, MID_CHAIN: 0.8, LATER_PICTURE: 0.5}
"""Shares of readings relative to the recipe's share of details. Plans that only read at the end all
sound alike, so they get the smallest share. Plans that go on from a year in a picture in mid-chain
sound contrived."""
OF_FORM = 0.005
"""Maximum share of questions with one form. Readers take two questions with the same words for one."""
CURIOUS = 0.25
"""Factor on the share of a relation with the least weight, compared with a relation of weight 1."""


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
    """The plan's form as text, if no asked relation keeps the form rare. Equal forms mostly give the same words."""
    same: str = ""
    """A key that no other question may share: the plan's things and answer, or the things of its computation."""


def as_offer(plan: Plan) -> Offer:
    """The relations, things and price of a plan."""
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
    """The key by which the filter `duplicates` recognises equal questions, without their words and pictures."""
    keys = sorted(set(plan.bindings.values()))
    if plan.work == PLAIN:
        return f"{plan.answer.value.key()}: {' '.join(keys)}"
    return " ".join(key for key in keys if key.startswith("Q"))


@dataclass(frozen=True)
class Shares:
    """The maximum shares of questions per relation, thing and kind of work; 1 sets no limit.

    Args:
        relation: share of one relation of weight 1, on the path or asked for.
        thing: share of one thing.
        detail: share of questions that read a detail of their picture; the share for a picture in
            mid-chain follows from it.
        computation: share of questions that compute.
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
        """The share of a relation that questions ask for: half of its whole share."""
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
        Seed id to indices of its plans, the best first. Each plan has a most used part, relative to
        the part's share. The plan whose most used part is used least is the best. Ties go to the
        dearest route, then to the most interesting answer. Of plans for the same question only one
        stays, in the seed where it comes earliest. The result is the same for any order of the
        seeds.
    """
    used: Counter[tuple[str, str]] = Counter()
    taken: set[str] = set()
    orders: list[tuple[str, list[int], tuple[Offer, ...]]] = []
    # The seeds with the fewest plans come first: they cannot give way.
    for seed_id, _, offers in sorted(seeds, key=lambda s: (len(s[2]), s[1], s[0])):
        loads = [_loads(offer, used, shares) for offer in offers]
        # Nearly equal interest counts as equal: the random order in which the plans were found then
        # decides.
        order = sorted(
            range(len(offers)),
            key=lambda i: (loads[i], -offers[i].calls, -round(offers[i].interest / ALIKE), i),
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
    """The orders without repeats: each question stays in one order. The first plan of every seed is
    served before any second plan."""
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
    """How much of its share each part of a plan has used, as a number of questions, the most used part first."""
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
