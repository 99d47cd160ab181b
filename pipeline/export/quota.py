"""Limits how many easy, medium and hard questions the configuration `rl` holds. Of all sets of
questions in the recipe's ratio easy:medium:hard (`export.level_ratio`), the quota chooses the
largest.

A question that exceeds the ratio stays in the data set, but only in the configuration `tasks` (with
the use "tasks"). A question that exceeds the ratio is certified like every other question, and
keeps its split. Which questions exceed the ratio depends on a random number, which is made from the
question's id.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from questloom.records.identity import priority
from questloom.records.synthesis import Question

BENCHMARK_SPLIT, SURPLUS_USE = "test", "tasks"
Key = tuple[str, str, str]
"""What the quota must know about a question: (random number, split, level)."""


@dataclass(frozen=True)
class Quota:
    """For each pair (split, level), the highest random number with which a question stays in the
    configuration `rl`. A pair that is not listed has no limit."""

    seed: int
    last: Mapping[tuple[str, str], str]

    def place_of(self, question: Question) -> tuple[str, str]:
        """The pair (use, split) to which a question belongs, such as ("rl", "train"), ("sft",
        "validation"), ("tasks", "train") or ("benchmark", "test")."""
        if question.split == "benchmark":
            return "benchmark", BENCHMARK_SPLIT
        use, _, split = question.split.partition("/")
        over = use == "rl" and draw(self.seed, question.id) > self.last.get(
            (question.split, question.level), "~"
        )
        return (SURPLUS_USE if over else use), split


def draw(seed: int, question_id: str) -> str:
    """A question's random number, made from the recipe's seed and the question's id."""
    return priority(seed, question_id, "level_ratio")


def quota(keys: Iterable[Key], ratio: Mapping[str, float], seed: int) -> Quota:
    """The limits with which the set of questions has the given ratio and is as large as possible.

    Args:
        keys: the keys of all RL questions.
        ratio: the part of each level in the ratio; an empty ratio sets no limits. Levels without
            questions are ignored. Questions of a level that the ratio does not name are left out.
        seed: the recipe's seed.
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
