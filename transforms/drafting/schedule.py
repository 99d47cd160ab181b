"""Plans the seeds of the method "exploration": which ability each question demands, and its level.

The seeds are balanced over topics, abilities and levels, as in ODE (3.1).

A question about the picture alone is easy; if it needs small print or a computation, it is medium.
Only a question that needs a search can be hard.
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
"""The property for writing in a picture. Writing must be read from close up, but colours and the
number of parts are seen at a glance."""
EASY, MEDIUM = "easy", "medium"
SEARCH = "search"
"""Abilities that need a search for pages have this word in their names."""
PERCEPTION, WITH_REASONING = "perception", "perception+reasoning"


def levels_of(facts: Facts, entity: Entity) -> dict[str, frozenset[str] | None]:
    """The abilities that a question from this seed can demand. For each ability, the levels that it
    allows; None if it allows any level."""
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
    """The level of a question that asks for a detail in its own picture."""
    return MEDIUM if detail.property == WRITTEN else EASY


def drawn(
    facts: Facts, entity: Entity, rules: SeedRules, recipe_seed: int, place: str
) -> tuple[str, str] | None:
    """The (ability, level) of a seed, drawn at random. The draw uses the recipe's weights for the
    possible abilities and levels. The result is None if no ability or no level is possible.

    Args:
        place: a name for this seed that no other seed of the run has.
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
    """Splits a number in proportion to weights. What is left after rounding goes to the keys with
    the largest remainders. Ties are decided by key.

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
    """A cell of the schedule: a topic, an ability and a level."""

    topic: str
    ability: str
    level: str


def in_turn(supply: Mapping[Cell, int], rules: SeedRules, most: int) -> list[Cell]:
    """The order in which the cells give seeds. However many seeds are taken, they have the wanted
    shares of topics, abilities and levels.

    Each cell has three values: a topic, an ability and a level. How much a value has been used is
    measured relative to its weight. A cell is judged by its most used value alone; the cell whose
    most used value has the least use comes next. If cells tie, their second most used values are
    compared. If a value runs out of seeds, its share goes to the other values of the same kind.

    Args:
        supply: how many seeds each cell has.
        rules: the weights of abilities and levels. All topics have the same weight.
        most: maximum number of seeds to take.

    Returns:
        The cell of each seed, in order; at most `most` seeds.
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
    """The wanted share of each topic, ability and level. The shares of abilities and levels follow
    their weights. All topics have the same share. The shares of all topics add up to 1, and so do
    those of abilities and of levels.

    Args:
        cells: cells in which every topic occurs.
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
    """One key, drawn at random by weight; "" if all weights are 0."""
    if not any(weights.values()):
        return ""
    shares = list(accumulate(weights[key] for key in sorted(weights)))
    return sorted(weights)[
        bisect(shares, int(priority(recipe_seed, place, role)[:12], 16) / 16**12 * shares[-1])
    ]
