"""The schedule of exploration: the ability and the level of each seed (ODE 3.1: balanced over
domain, ability profile and difficulty).

A question about the picture alone has no room for many steps. A question about the picture alone is
easy, or of medium level if it needs small print or a computation. A question is hard only if it
needs a search.
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
"""Writing on a picture, which needs a close look. Parts can be counted and colours seen at a glance."""
EASY, MEDIUM = "easy", "medium"
SEARCH = "search"
"""The word "search" in the name of an ability that needs a search for pages."""
PERCEPTION, WITH_REASONING = "perception", "perception+reasoning"


def levels_of(facts: Facts, entity: Entity) -> dict[str, frozenset[str] | None]:
    """For each ability that a seed can have, the levels that this ability allows; None for any level."""
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
    """The (ability, level) of a seed. The recipe's weights decide the draw among the possible
    abilities and levels; None where nothing is possible.

    Args:
        place: name of the seed among the seeds of the run.
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
    """Splits a number by weights, largest remainders first (ties by key).

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
    """A cell of the schedule: one topic, one ability and one level."""

    topic: str
    ability: str
    level: str


def in_turn(supply: Mapping[Cell, int], rules: SeedRules, most: int) -> list[Cell]:
    """The cells that give seeds, in order. Every prefix of the order keeps the weights of topics,
    abilities and levels.

    Each cell has a most used value (topic, ability or level), relative to its weight. The cell
    whose most used value has the lowest use comes next; ties compare the next value. A value that
    runs out leaves its share to the other values of its axis.

    Args:
        supply: how many seeds each cell can give.
        rules: weights of abilities and levels. All topics weigh the same.
        most: maximum number of seeds to take.

    Returns:
        One cell for each seed, at most `most`.
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
    """The wanted share of each value, by axis and name. Abilities and levels follow their weights;
    topics are equal. The shares of each axis add up to 1.

    Args:
        cells: cells that contain all topics.
        rules: the weights of abilities and levels.
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
    """One key drawn by weight; "" where no key has a weight."""
    if not any(weights.values()):
        return ""
    shares = list(accumulate(weights[key] for key in sorted(weights)))
    return sorted(weights)[
        bisect(shares, int(priority(recipe_seed, place, role)[:12], 16) / 16**12 * shares[-1])
    ]
