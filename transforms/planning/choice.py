"""Choice over all seeds: which of its plans each seed asks, so that no relation, thing or kind of work is on too many questions.

Rules that drop at the end throw away what words and models were paid for. Here each seed's plans are put into an order,
the one that takes least from what is scarce first, and the others stay as its reserves. What would be the same question
belongs to one seed.
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
"""What is asked is computed, or read in a picture: the share of its work limits it."""
LOOKS = {DETAIL: 0.8, MID_CHAIN: 1.2, LATER_PICTURE: 0.25}
"""Shares of looks for one of details: fewer plans have a picture in mid-chain, so those go first; ends that only read all sound alike."""
OF_FORM = 0.005
"""What share one form may have: readers take two questions in the same words for one."""
CURIOUS = 0.25
"""What a relation of the least weight may have of the share of one of weight 1."""


@dataclass(frozen=True)
class Offer:
    """A plan as choice sees it."""

    relations: tuple[str, ...]
    things: tuple[str, ...]
    asked: str
    """The relation that is asked, or `NO_RELATION`."""
    work: str
    calls: int
    interest: float
    form: str = ""
    """Its form as text, where no relation is asked, which would keep it rare: equal forms are mostly the same words."""
    same: str = ""
    """What no other question may have as well: its things and answer, or the things that it computes with."""


def as_offer(plan: Plan) -> Offer:
    """A plan's relations, things and price."""
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
    """As the filter `duplicates` takes two questions for one, but for their words and pictures."""
    keys = sorted(set(plan.bindings.values()))
    if plan.work == PLAIN:
        return f"{plan.answer.value.key()}: {' '.join(keys)}"
    return " ".join(key for key in keys if key.startswith("Q"))


@dataclass(frozen=True)
class Shares:
    """The largest share of questions that each may be on; 1 is no limit.

    Args:
        relation: of one relation of weight 1, on the way or asked.
        thing: of one thing.
        detail: what share is to read a detail of its picture, and what share a picture in mid-chain.
        computation: what share is to compute.
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
        """Of a relation that is asked for: half of what it may have on the way and asked together."""
        if property == NO_RELATION or self.relation == 1:
            return 1.0
        return self.of_relation(property) / 2


def order_plans(
    seeds: Iterable[tuple[str, str, tuple[Offer, ...]]], shares: Shares
) -> dict[str, tuple[int, ...]]:
    """For each seed the order of its plans.

    Args:
        seeds: (seed id, its rank in the random order, its plans).
        shares: the recipe's.

    Returns:
        Seed id to indices of its plans, the best first: the one whose most used part is used least as yet, for its
        share; among equals the dearest route, then the most interesting answer. Of plans that are the same question
        one is left, of the seed that has it earliest. The same for any order of the seeds.
    """
    used: Counter[tuple[str, str]] = Counter()
    taken: set[str] = set()
    orders: list[tuple[str, list[int], tuple[Offer, ...]]] = []
    # The seeds with the fewest plans first: they cannot give way.
    for seed_id, _, offers in sorted(seeds, key=lambda s: (len(s[2]), s[1], s[0])):
        loads = [_loads(offer, used, shares) for offer in offers]
        # Nearly the same interest is the same: there the order in which they were found decides, which is a random one.
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
    """The orders, each question in one of them: the first place of each seed is served before any second one."""
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
    """How much of its share each part of a plan has taken, as a number of questions, the most used first."""
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
