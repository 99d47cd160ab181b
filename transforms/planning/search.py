"""The search for a seed's plans: whole forms as its shape grows them, certified, the dearest first."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from questloom.records.plan import PLAIN, Plan, work_of
from questloom.transforms.planning.finish import certify_plan
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.shapes.chain import Grown

MAX_PLANS = 6
"""Plans of a seed: the dearest of six is rarely made cheaper by a page that says too much."""
MAX_OTHER = 2
"""Plans of a seed with a detail, and with a computation."""
MAX_FORMS = 120
"""Whole forms of a seed that are looked at."""


@dataclass(frozen=True)
class Found:
    """A seed's plans, and how often each bound refused one."""

    plans: tuple[Plan, ...]
    refused: dict[str, int]


def search(
    at: Ground,
    grown: Iterable[Grown],
    *,
    shape: str,
    refusals: Refusals,
    max_plans: int = MAX_PLANS,
) -> Found:
    """The plans among the forms that a shape grows.

    Args:
        at: the store and the rules.
        grown: whole forms, lazily.
        shape: its name.
        refusals: counts what is refused; the shape's bounds count in it, too.
        max_plans: plain plans after which the search ends.
    """
    plans: list[Plan] = []
    taken: Counter[str] = Counter()
    ways = set()
    for form, bindings, answer in islice(grown, MAX_FORMS):
        work = work_of(form)
        # Several ends of one way differ by their last claim only: of each kind of work one is enough.
        way = (work, tuple(sorted(key for var, key in bindings.items() if var[0] in "xy")))
        if way in ways or taken[work] == (max_plans if work == PLAIN else MAX_OTHER):
            continue
        plan = certify_plan(at, form, bindings, answer, shape=shape, refusals=refusals)
        if plan is not None:
            plans.append(plan)
            taken[work] += 1
            ways.add(way)
            if taken[PLAIN] == max_plans:
                break
    ranked = sorted(range(len(plans)), key=lambda i: (-plans[i].route.calls, i))
    return Found(tuple(plans[i] for i in ranked), dict(sorted(refusals.reasons.items())))
