"""The seed schedule asks for a share of questions in each cell (an ability, a level and a topic).
This module reports the cells that a store could not fill. Each line of the report compares a share
of questions with the share that was asked for, and names the most frequent reason for which seeds
were refused.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from questloom.files.parquet import read_records
from questloom.pipeline.runners.stage_words import because
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_stages import synth_stages
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question, Seed
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.schedule import Cell, shares_of
from questloom.transforms.drafting.seeds import EXPLORATION

NEAR = 0.05
"""A share counts as reached if it differs from the wanted share by at most this much (0 to 1)."""
FEW = 3
"""If at most this number of questions is missing, the shortage is not reported, however small the
share is."""


@dataclass(frozen=True)
class Outcome:
    """What became of a seed in the schedule."""

    cell: Cell
    reason: str
    """Why the seed gave no question; "" if it gave a question."""


def outcomes(job: Job) -> list[Outcome]:
    """What became of each scheduled seed of a finished run. Seeds that still wait for a service or
    for budget are left out."""
    run, stages = job.run, synth_stages(job)
    seeds = {
        s.id: Cell(s.topic or s.domain, s.ability, s.level)
        for path in run.shards(stages[0].label, "kept")
        for s in read_records(path, Seed)
        if s.method == EXPLORATION
    }
    ends = {
        r.seed_id: r.reason
        for stage in stages[1:]
        for path in run.shards(stage.label, "rejected")
        for r in read_records(path, Rejection)
    }
    for path in run.shards(stages[-1].label, "kept"):
        ends |= {q.seed_id: "" for q in read_records(path, Question)}
    return [Outcome(cell, ends[seed]) for seed, cell in sorted(seeds.items()) if seed in ends]


def describe_shortages(
    found: Iterable[Outcome], rules: SeedRules, own: Mapping[str, str]
) -> Iterator[str]:
    """Yields a line for each ability, level or topic whose share of the questions is too small.

    Args:
        found: what became of the seeds.
        rules: the rules of the schedule, with the weights.
        own: the reasons that individual filters define themselves, each with a sentence that
            explains it.
    """
    ended = list(found)
    kept = Counter(place for o in ended if not o.reason for place in vars(o.cell).items())
    num = sum(not o.reason for o in ended)
    for (axis, place), share in sorted(shares_of((o.cell for o in ended), rules).items()):
        if share * num - kept[axis, place] > max(NEAR * num, FEW):
            got = kept[axis, place] / num
            fallen = [o for o in ended if getattr(o.cell, axis) == place and o.reason]
            yield (
                f"{axis} {place}: {got:.0%} of {num:,} questions for {share:.0%} wanted; "
                + (
                    _worst(fallen, ended, own)
                    if fallen
                    else f"only {kept[axis, place]:,} seeds were there"
                )
            )


def _worst(fallen: list[Outcome], ended: list[Outcome], own: Mapping[str, str]) -> str:
    """Names the pair of ability and level that lost most seeds, and the reason that refused most of
    these seeds. If two pairs or reasons have equal numbers, the first in the alphabet counts."""
    lost = Counter((o.cell.ability, o.cell.level) for o in fallen)
    cell = min(lost, key=lambda c: (-lost[c], c))
    reasons = Counter(o.reason for o in fallen if (o.cell.ability, o.cell.level) == cell)
    most = min(reasons, key=lambda r: (-reasons[r], r))
    drawn = sum((o.cell.ability, o.cell.level) == cell for o in ended)
    return f"{' at '.join(cell)} lost {lost[cell]:,} of {drawn:,} seeds: {because([(most, reasons[most])], own)}"
