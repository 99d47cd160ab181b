"""Searches the plans of a seed: takes whole forms from a shape, certifies them, and sorts the plans
with the dearest first."""

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
"""Maximum number of plans that one shape gives for a seed. Six plans are enough: a page that states
too much can make a plan cheaper than it looked, but rarely the dearest of six."""
FEW_OTHERS = {PLAIN: MAX_PLANS, DETAIL: 2, COMPUTATION: 2, LATER_PICTURE: 2, MID_CHAIN: 2}
"""Maximum number of plans of each kind of work, for seeds that want plain plans and also plans with
details and computations."""
ALL_ALIKE = dict.fromkeys(FEW_OTHERS, 12)
"""Maximum number of plans of each kind of work, for seeds that want one kind. If a plan cannot be
worded, another plan of the same kind must replace it."""
MAX_FORMS = 120
"""Maximum number of whole forms of a seed that are examined."""


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
    """Finds the plans among the forms that a shape grows.

    Args:
        at: the store, and the rules for planning.
        grown: the whole forms, one at a time.
        shape: name of the shape.
        refusals: counts refusals, including those by the shape's bounds.
        limits: maximum number of plans of each kind of work. The search ends when one kind reaches
            its limit.
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
    """Sorts plans by descending number of calls. Plans with equal numbers keep the order in which
    they were found."""
    return tuple(sorted(plans, key=lambda plan: -plan.route.calls))
