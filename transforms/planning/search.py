"""The search for a seed's plans: whole forms as its shape grows them, certified, the dearest first."""

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
"""Plans of a seed and shape: the dearest of six is rarely made cheaper by a page that says too much."""
FEW_OTHERS = {PLAIN: MAX_PLANS, DETAIL: 2, COMPUTATION: 2, LATER_PICTURE: 2, MID_CHAIN: 2}
"""Plans by kind of work where details and computations are wanted beside plain ones."""
ALL_ALIKE = dict.fromkeys(FEW_OTHERS, 12)
"""Plans by kind of work where the seed says which kind is wanted, and whatever cannot be worded must be replaced by its like."""
MAX_FORMS = 120
"""Whole forms of a seed that are looked at."""


@dataclass(frozen=True)
class Found:
    """A seed's plans, and what was refused."""

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
    """The plans among the forms that a shape grows.

    Args:
        at: the store and the rules.
        grown: whole forms, lazily.
        shape: its name.
        refusals: counts what is refused; the shape's bounds count in it, too.
        limits: plans by kind of work; the search ends where one kind has the most.
        off: why a certified plan is not what is wanted, None where it is.
    """
    plans: list[Plan] = []
    taken: Counter[str] = Counter()
    ways = set()
    for form, bindings, answer in islice(grown, MAX_FORMS):
        work = work_of(form)
        # Several ends of one way differ by their last claim only: of each kind of work one is enough.
        way = (work, tuple(sorted(key for var, key in bindings.items() if var[0] in "xy")))
        if way in ways or taken[work] == limits[work]:
            continue
        plan = certify_plan(at, form, bindings, answer, shape=shape, refusals=refusals)
        if plan is None:
            continue
        if reason := off(plan):
            refusals.add(reason)
            continue
        plans.append(fuzz(at, plan))
        taken[work] += 1
        ways.add(way)
        if taken[work] == max(limits.values()):
            break
    return Found(dearest_first(plans), refusals)


def dearest_first(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Plans by falling calls of their routes; among equals in the order in which they were found."""
    return tuple(sorted(plans, key=lambda plan: -plan.route.calls))
