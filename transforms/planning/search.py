"""Searches the plans of a seed (the item that a question starts from). A shape proposes questions,
each question is certified, and the plans are sorted by their number of calls, the highest first."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from questloom.records.outcomes import Reason
from questloom.records.plan import (
    COMPUTATION,
    DETAIL,
    LATER_PICTURE,
    MID_CHAIN,
    PLAIN,
    Plan,
    work_of,
)
from questloom.transforms.planning.finish import certify_plan
from questloom.transforms.planning.fuzz import fuzz
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.shapes.chain import Grown

MAX_PLANS = 6
"""Maximum number of plans that one shape gives for a seed. With six plans, at least one is usually
as hard as planned, although pages may make some of the plans easier."""
FEW_OTHERS = {PLAIN: MAX_PLANS, DETAIL: 2, COMPUTATION: 2, LATER_PICTURE: 2, MID_CHAIN: 2}
"""Maximum number of plans of each kind of work (such as a computation), if most plans of a seed
should be plain."""
ALL_ALIKE = dict.fromkeys(FEW_OTHERS, 12)
"""Maximum number of plans of each kind of work, if all plans of a seed should be of one kind. If a
plan cannot be worded, another plan of the same kind must replace it."""
MAX_FORMS = 120
"""Maximum number of questions (as queries) that are examined for one seed."""


@dataclass(frozen=True)
class Found:
    """The plans of a seed, and the counts of refusals."""

    plans: tuple[Plan, ...]
    refusals: Refusals


def search(
    at: Ground,
    grown: Iterable[Grown],
    *,
    shape: str,
    refusals: Refusals,
    limits: Mapping[str, int] = FEW_OTHERS,
    off: Callable[[Plan], Reason | None] = lambda plan: None,
) -> Found:
    """Finds plans among the questions (as queries) that a shape proposes.

    Args:
        at: the store, and the rules for planning.
        grown: the complete questions as queries, which are examined one after the other.
        shape: name of the shape.
        refusals: counts refusals by their reason, including refusals by the shape's own rules.
        limits: maximum number of plans of each kind of work. The search ends when one kind of work
            reaches its limit.
        off: gives the reason why a certified plan is not wanted; None where the plan is wanted.
    """
    plans: list[Plan] = []
    taken: Counter[str] = Counter()
    walks = set()
    for form, bindings, answer in islice(grown, MAX_FORMS):
        work = work_of(form)
        # The ends of one walk differ only by their last claim: one of each kind of work is enough.
        walk = (work, tuple(sorted(key for var, key in bindings.items() if var[0] in "xy")))
        if walk in walks or taken[work] == limits[work]:
            continue
        plan = certify_plan(at, form, bindings, answer, shape=shape, refusals=refusals)
        if plan is None:
            continue
        if reason := off(plan):
            refusals.add(reason)
            continue
        plans.append(fuzz(at, plan))
        taken[work] += 1
        walks.add(walk)
        if taken[work] == max(limits.values()):
            break
    return Found(dearest_first(plans), refusals)


def dearest_first(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Sorts plans by descending number of calls. Plans with equal numbers of calls keep the order
    in which they were found."""
    return tuple(sorted(plans, key=lambda plan: -plan.route.calls))
