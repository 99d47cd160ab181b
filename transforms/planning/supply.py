"""Counts the supply of plans at each difficulty level before any question is worded: how many seeds
have a plan, and which bound refused most of the others."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from questloom.records.errors import InputError
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import PlannedSeed
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.schedule import apportion

FEW = 20
"""Number of seeds. If a level has at most this number of seeds, it may be chance that none of them
has a plan."""


@dataclass
class Supply:
    """The supply of one level: the number of its seeds, the number of seeds with a plan, and how
    often each bound refused the other seeds."""

    seeds: int = 0
    planned: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    lacks: Counter[str] = field(default_factory=Counter)
    """Number of seeds without a plan, by the facts that the store lacks (`questloom.transforms.planning.lacking`)."""

    @property
    def most(self) -> str:
        """The bound that refused the most seeds, in words."""
        return ", ".join(f"{reason} {n:,}" for reason, n in self.refused.most_common(2)) or "none"

    @property
    def lacking(self) -> str:
        """Names the missing facts that left the most seeds without a plan: "; lacking most: members
        Q515 23"."""
        found = ", ".join(f"{lack} {n:,}" for lack, n in self.lacks.most_common(2))
        return f"; lacking most: {found}" if found else ""


def supply_of(planned: Iterable[PlannedSeed], dropped: Iterable[Rejection]) -> dict[str, Supply]:
    """The supply of plans at each level. Seeds for which the method needs no plan are counted as if
    they had a plan.

    Args:
        planned: the seeds that went on to the writer.
        dropped: the rejected seeds. The evidence of a rejection has the level (easy, medium, hard)
            that the seed asked for. Rejections for errors in our own code are not counted.
    """
    found: dict[str, Supply] = {}
    for one in planned:
        level = found.setdefault(one.seed.level, Supply())
        level.seeds += 1
        level.planned += 1
    for rejection in dropped:
        if rejection.reason == Reason.ERROR.value:
            continue
        assert isinstance(rejection.evidence, dict)
        level = found.setdefault(rejection.evidence["level"], Supply())
        level.seeds += 1
        level.refused[rejection.reason] += 1
        level.lacks.update(rejection.evidence.get("lacks", {}).keys())
    return found


def check_supply(found: Mapping[str, Supply], rules: SeedRules, store: str) -> None:
    """Stops a run if the store cannot supply a level. The run stops before it pays for any words.

    Args:
        found: supply by level.
        rules: the recipe's settings for seeds.
        store: the store's path, for the message.

    Raises:
        InputError: a level has no plan, or fewer plans than wanted if the recipe makes this an
            error.
    """
    wanted = apportion(rules.accepted, rules.levels)
    for level in sorted({*found, *wanted}):
        supply = found.get(level, Supply())
        least = wanted.get(level, 0) if rules.on_exhausted == "error" else 0
        if supply.planned < max(least, supply.seeds > FEW):
            raise InputError(
                store,
                f"of the {supply.seeds:,} seeds of the level {level} {supply.planned:,} have a plan"
                f"{f', and {least:,} questions are wanted' if least else ''} "
                f"(refused most: {supply.most}{supply.lacking})",
                f"Draw more seeds (--set seeds.count=N), leave the level out (--set seeds.levels.{level}=0), "
                "or ingest what the store lacks.",
            )
