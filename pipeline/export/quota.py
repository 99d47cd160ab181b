"""Balances the RL configuration by level: the largest set of questions with the recipe's easy:medium:hard (`export.level_ratio`).

A question over the ratio stays in the data set, in `tasks` only (use "tasks"). It is certified like the others. Its split does not change,
so a component still lies in one split. Which question is over is drawn by its id.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from questloom.records.identity import priority
from questloom.records.synthesis import Question

BENCHMARK_SPLIT, SURPLUS_USE = "test", "tasks"
Key = tuple[str, str, str]
"""(place, split, level) of a question: all that must be known of every question at once."""


@dataclass(frozen=True)
class Quota:
    """Where the draw ends for each (split, level) of RL; a level that is absent has no limit."""

    seed: int
    last: Mapping[tuple[str, str], str]

    def place_of(self, question: Question) -> tuple[str, str]:
        """(use, split): ("rl", "train"), ("sft", "validation"), ("tasks", "train"), ("benchmark", "test")."""
        if question.split == "benchmark":
            return "benchmark", BENCHMARK_SPLIT
        use, _, split = question.split.partition("/")
        over = use == "rl" and draw(self.seed, question.id) > self.last.get(
            (question.split, question.level), "~"
        )
        return (SURPLUS_USE if over else use), split


def draw(seed: int, question_id: str) -> str:
    """A question's place in the draw."""
    return priority(seed, question_id, "level_ratio")


def quota(keys: Iterable[Key], ratio: Mapping[str, float], seed: int) -> Quota:
    """The limits that leave the largest set with the ratio.

    Args:
        keys: of all questions of RL.
        ratio: level to its part; empty: no limits. Levels that have no question do not count; a level that is not named
            gets no place.
        seed: the recipe's.
    """
    if not ratio:
        return Quota(seed, {})
    drawn: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for place, split, level in keys:
        drawn[split][level].append(place)
    last = {}
    for split, levels in drawn.items():
        named = {level: places for level, places in levels.items() if ratio.get(level)}
        for level, places in levels.items():
            num = (
                int(
                    ratio[level] * min(len(found) / ratio[of] for of, found in named.items()) + 1e-9
                )
                if level in named
                else 0
            )
            last[split, level] = sorted(places)[num - 1] if num else ""
    return Quota(seed, last)
