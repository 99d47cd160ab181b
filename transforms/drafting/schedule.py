"""The schedule of exploration: which ability a seed is to ask for, at which level (ODE 3.1: balanced over domain, ability profile and difficulty).

What is answered from the picture alone has no room for many steps: such questions are easy, or of medium level where small print must be read or the
reading must be computed with. Only a search makes a question hard.
"""

from bisect import bisect
from collections.abc import Mapping
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


def by_weight(weights: Mapping[str, float], recipe_seed: int, place: str, role: str) -> str:
    """One of the keys by their weights; "" where none has any."""
    if not any(weights.values()):
        return ""
    shares = list(accumulate(weights[key] for key in sorted(weights)))
    return sorted(weights)[
        bisect(shares, int(priority(recipe_seed, place, role)[:12], 16) / 16**12 * shares[-1])
    ]
