"""The search for a seed's plans: whole forms as its shape grows them, certified, the dearest first."""

from collections.abc import Iterable
from dataclasses import dataclass

from questloom.transforms.planning.finish import certified
from questloom.transforms.planning.plan import Ground, Plan, Refusals
from questloom.transforms.planning.shapes.chain import Grown

MAX_PLANS = 6
"""Plans of a seed: the dearest of six is rarely made cheaper by a page that says too much."""
MAX_FORMS = 90
"""Whole forms of a seed that are tried."""


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
        max_plans: plans after which the search ends.
    """
    plans: list[Plan] = []
    tails = set()
    for number, (form, bindings, answer) in enumerate(grown):
        if number == MAX_FORMS or len(plans) == max_plans:
            break
        # Several ends of one way differ by their last clause only: one of them is enough.
        way = tuple(sorted(key for var, key in bindings.items() if var.startswith("x")))
        if way in tails:
            continue
        plan = certified(
            at,
            form,
            bindings,
            answer,
            shape=shape,
            anchor=bindings[form.anchor],
            refusals=refusals,
        )
        if plan is not None:
            plans.append(plan)
            tails.add(way)
    ranked = sorted(range(len(plans)), key=lambda i: (-plans[i].route.calls, i))
    return Found(tuple(plans[i] for i in ranked), dict(sorted(refusals.reasons.items())))
