"""The schedule of exploration: which ability a seed is to ask for, at which level (ODE 3.1: balanced over domain, ability profile and difficulty).

What is answered from the picture alone has no room for many steps: such questions are easy, or of medium level where small print must be read or the
reading must be computed with. Only a search makes a question hard.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from questloom.records.identity import priority
from questloom.records.knowledge import Detail, Entity
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.readings import sure_readings, year_readings

WRITTEN = "P1684"
"""Writing on a picture, which is read close up; parts are counted and colours seen at a glance."""
EASY, MEDIUM = "easy", "medium"
SEARCH = "search"
"""What an ability's name says where a page must be searched for."""
PERCEPTION, WITH_REASONING = "perception", "perception+reasoning"


def levels_of(facts: Facts, entity: Entity) -> dict[str, frozenset[str] | None]:
    """For each ability that a seed can have, the levels at which it can have it; None for any."""
    found: dict[str, frozenset[str] | None] = {
        "perception+search": None,
        "perception+search+reasoning": None,
    }
    seen = frozenset(level_of_reading(d) for d in sure_readings(facts, entity.id))
    if seen:
        found[PERCEPTION] = seen
    if year_readings(facts, entity.id):
        found[WITH_REASONING] = frozenset({MEDIUM})
    return found


def level_of_reading(detail: Detail) -> str:
    """The level of a question that asks for a detail of its picture."""
    return MEDIUM if detail.property == WRITTEN else EASY


def drawn(
    facts: Facts, entity: Entity, rules: SeedRules, recipe_seed: int, place: str
) -> tuple[str, str] | None:
    """The (ability, level) of a seed, each drawn by the recipe's weights among those that it can have; None where it can have none of them.

    Args:
        place: names the seed among those of the run.
    """
    possible = levels_of(facts, entity)
    ability = by_weight(
        {a: w for a, w in rules.abilities.items() if a in possible}, recipe_seed, place, "ability"
    )
    levels = possible.get(ability)
    level = (
        by_weight(
            {x: w for x, w in rules.levels.items() if levels is None or x in levels},
            recipe_seed,
            place,
            "level",
        )
        if ability
        else ""
    )
    return (ability, level) if level else None


def apportion(total: int, weights: Mapping[str, float]) -> dict[str, int]:
    """A number dealt out by weights, largest remainders first (ties by key).

    >>> apportion(7, {"easy": 0.4, "medium": 0.4, "hard": 0.2})
    {'easy': 3, 'hard': 1, 'medium': 3}
    """
    whole = sum(weights.values())
    exact = {key: total * weights[key] / whole for key in sorted(weights)}
    found = {key: int(share) for key, share in exact.items()}
    by_rest = sorted(exact, key=lambda key: (found[key] - exact[key], key))
    return found | {key: found[key] + 1 for key in by_rest[: total - sum(found.values())]}


@dataclass(frozen=True, order=True)
class Cell:
    """A place of the schedule."""

    topic: str
    ability: str
    level: str


def in_turn(supply: Mapping[Cell, int], rules: SeedRules, most: int) -> list[Cell]:
    """The cells from which seeds are taken, one after the other, so that every prefix holds the weights of all three axes.

    Next comes the cell whose most used place is used least for its weight, then its next most used one. A place that
    runs out leaves its share to the others of its axis.

    Args:
        supply: how many seeds each cell could give.
        rules: weights of abilities and levels; topics weigh alike.
        most: seeds that are taken.

    Returns:
        A cell for each seed, at most `most`.
    """
    left = {cell: number for cell, number in sorted(supply.items()) if number}
    shares = shares_of(left, rules)
    used: Counter[tuple[str, str]] = Counter()
    order: list[Cell] = []
    while left and len(order) < most:
        cell = min(
            left,
            key=lambda c: sorted(
                ((used[p] + 1) / shares[p] for p in vars(c).items()), reverse=True
            ),
        )
        order.append(cell)
        used.update(vars(cell).items())
        left[cell] -= 1
        if not left[cell]:
            del left[cell]
    return order


def shares_of(cells: Iterable[Cell], rules: SeedRules) -> dict[tuple[str, str], float]:
    """The wanted share of each place, by axis and name: of abilities and levels by their weights, of topics alike; each axis adds to 1.

    Args:
        cells: says which topics there are.
        rules: the weights.
    """
    topics = dict.fromkeys((cell.topic for cell in cells), 1.0)
    axes = {"ability": rules.abilities, "level": rules.levels, "topic": topics}
    return {
        (axis, place): weight / sum(weights.values())
        for axis, weights in axes.items()
        for place, weight in weights.items()
        if weight
    }


def by_weight(weights: Mapping[str, float], recipe_seed: int, place: str, role: str) -> str:
    """One of the keys by their weights; "" where none has any."""
    if not any(weights.values()):
        return ""
    shares = list(accumulate(weights[key] for key in sorted(weights)))
    return sorted(weights)[
        bisect(shares, int(priority(recipe_seed, place, role)[:12], 16) / 16**12 * shares[-1])
    ]
