"""Plans some of a store's seeds before any word is written: which plans they have, and what the
store lacks for more. `questloom gather --complete` reads the table of what is lacking."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questloom.files.opened import Opened
from questloom.files.parquet import write_whole
from questloom.pipeline.plan.seed_forecast import find_candidates
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.runners.run_log import path_error
from questloom.pipeline.synth.id_files import words_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.lacking import Lacking, list_lacking, table_of
from questloom.pipeline.synth.question_stages import make_ground
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.plan import PlannedSeed
from questloom.transforms.drafting.seeds import choose
from questloom.transforms.planning.lacking import CLAIMS, MEMBERS, VALUES
from questloom.transforms.planning.moves import TEXT_SEARCH
from questloom.transforms.planning.planner import plan_seed
from questloom.transforms.planning.supply import Supply, supply_of

MAX_SEEDS = 200
"""Number of seeds that are planned. One seed takes about a third of a second."""
SHOWN = 5
"""Number of sentences about missing data that the text has."""


@dataclass(frozen=True)
class PlanSupply:
    """The plans of some seeds of a store.

    Args:
        by_level: the seeds with and without a plan.
        kinds: the number of seeds by (level, shape, hops) of their dearest plan.
        hops: the number of hops in these plans.
        queries: the number of text searches in the cheapest routes through these plans. A text
            search finds one hidden thing; the other hops are read on pages.
        lacking: what the store lacks for more plans.
        file: the table of what is lacking.
    """

    by_level: dict[str, Supply]
    kinds: dict[tuple[str, str, int], int]
    hops: int
    queries: int
    lacking: tuple[Lacking, ...]
    file: str

    @property
    def num_classes(self) -> int:
        """The number of classes that are not known to be complete and whose members would help."""
        return sum(one.lack.kind == MEMBERS for one in self.lacking)

    @property
    def num_claims(self) -> int:
        """The number of rivals' missing claims that would help."""
        missing = (one for one in self.lacking if one.lack.kind == CLAIMS)
        return sum((one.total or 0) - one.held for one in missing)

    @property
    def num_relations(self) -> int:
        """The number of pairs of a class and a relation whose values the store does not hold."""
        return sum(one.lack.kind == VALUES for one in self.lacking)

    def as_json(self) -> dict[str, Any]:
        """The supply for programs."""
        return {
            "levels": {
                level: {"seeds": supply.seeds, "planned": supply.planned, "refused": supply.refused}
                for level, supply in sorted(self.by_level.items())
            },
            "plans": [
                {"level": level, "shape": shape, "hops": hops, "seeds": number}
                for (level, shape, hops), number in sorted(self.kinds.items())
            ],
            "hops": self.hops,
            "queries": self.queries,
            "incomplete_classes": self.num_classes,
            "missing_claims": self.num_claims,
            "missing_values": self.num_relations,
            "lacking": [one.words for one in self.lacking],
            "file": self.file,
        }

    def as_text(self) -> str:
        """The supply for people."""
        lines = [f"plans of {sum(s.seeds for s in self.by_level.values()):,} seeds:"]
        for level, supply in sorted(self.by_level.items()):
            kinds = ", ".join(
                f"{shape} of {hops} {'hop' if hops == 1 else 'hops'} {number:,}"
                for (of, shape, hops), number in sorted(self.kinds.items())
                if of == level
            )
            refused = f"; refused most: {supply.most}" if supply.refused else ""
            told = f" ({kinds})" if kinds else ""
            lines.append(
                f"  {level}: {supply.planned:,} of {supply.seeds:,} have a plan{told}{refused}"
            )
        lines.append(
            f"  hops of the dearest plans: {self.hops:,}; a text search finds {self.queries:,} of them, "
            "pages and pictures show the others"
        )
        if not self.lacking:
            return "\n".join([*lines, "nothing that could be fetched is lacking"])
        return "\n".join(
            [
                *lines,
                f"lacking: members of {self.num_classes:,} classes, {self.num_claims:,} claims of rivals, "
                f"values of {self.num_relations:,} relations",
                *(f"  {one.words}" for one in self.lacking[:SHOWN]),
                f"  {len(self.lacking):,} such lines: {self.file}",
                f"Next: questloom gather --out SLICE --complete {self.file}; then ingest SLICE again",
            ]
        )


def measure_supply(
    recipe: Recipe,
    store: str,
    file: str,
    opened: Opened,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> PlanSupply:
    """Plans at most `MAX_SEEDS` of the seeds that a run would take, and writes what the store lacks
    into a file.

    Args:
        recipe: the settings.
        store: an ingested store.
        file: path of the table to write; a table without rows has only its head.
        opened: keeps the objects that this process opens.
        progress: called with (step, number done, total).

    Raises:
        InputError: the store cannot be read, it has no seeds, or the file cannot be written.
    """
    job = Job.at(recipe, run="", store=store, opened=opened)
    excluded = words_of(recipe.seeds.exclude, "seeds.exclude")
    pool, _ = find_candidates(recipe, job.store, job.lookups, excluded)
    seeds = choose(pool, recipe.seeds)[:MAX_SEEDS]
    if not seeds:
        raise InputError(
            store, "has no seeds, so nothing can be planned", "See the forecast of the seeds."
        )
    ground = make_ground(job)
    made: list[PlannedSeed | Rejection] = []
    for number, seed in enumerate(seeds):
        progress("planning seeds", number, len(seeds))
        made.append(plan_seed(ground, seed))
    progress("planning seeds", len(seeds), len(seeds))
    planned = [one for one in made if isinstance(one, PlannedSeed)]
    dropped = [one for one in made if isinstance(one, Rejection)]
    lacking = list_lacking(seeds, dropped, job.lookups)
    try:
        write_whole(Path(file), table_of(lacking))
    except OSError as error:
        raise path_error(error, Path(file)) from error
    dearest = [(one.seed.level, one.plans[0]) for one in planned if one.plans]
    return PlanSupply(
        by_level=supply_of(planned, dropped),
        kinds=dict(
            Counter((level, plan.shape, plan.certificate.nominal_hops) for level, plan in dearest)
        ),
        hops=sum(plan.certificate.nominal_hops for _, plan in dearest),
        queries=sum(
            move.startswith(f"{TEXT_SEARCH} ") for _, plan in dearest for move in plan.route.moves
        ),
        lacking=tuple(lacking),
        file=file,
    )
