"""What a store gives of each level, known before any word: the seeds with a plan, and which bound refused the others most."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from questloom.records.errors import InputError
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import PlannedSeed
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.schedule import apportion

FEW = 20
"""Of so few seeds chance may leave none with a plan."""


@dataclass
class Supply:
    """Of one level: its seeds, those with a plan, and how often each bound refused where there was none."""

    seeds: int = 0
    planned: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    lacks: Counter[str] = field(default_factory=Counter)
    """Seeds without a plan by what the store lacks for one (`questloom.transforms.planning.lacking`)."""

    @property
    def most(self) -> str:
        """The bound that refused the most seeds, in words."""
        return ", ".join(f"{reason} {n:,}" for reason, n in self.refused.most_common(2)) or "none"

    @property
    def lacking(self) -> str:
        """What the store lacks for most of them: "; lacking most: members Q515 23"."""
        found = ", ".join(f"{lack} {n:,}" for lack, n in self.lacks.most_common(2))
        return f"; lacking most: {found}" if found else ""


def supply_of(planned: Iterable[PlannedSeed], dropped: Iterable[Rejection]) -> dict[str, Supply]:
    """By level what planning gave; seeds that are not planned count as planned.

    Args:
        planned: the seeds that went on.
        dropped: those that did not; their evidence names the level. Errors of ours say nothing of the store.
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
    """Stops a run whose levels the store cannot give, before any word is paid for.

    Args:
        found: by level.
        rules: what the recipe wants.
        store: its path, for the message.

    Raises:
        InputError: a level has no plan at all, or fewer than are wanted where fewer are an error.
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
