"""Reports the cells of the schedule (ability, level, topic) that a store could not fill. A line
compares the share of questions with the wanted weight, and names the bound that refused most
seeds."""

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
"""A share counts as reached if it differs from its weight by at most this much."""
FEW = 3
"""A shortage of at most this number of questions is not reported, however small the share is."""


@dataclass(frozen=True)
class Outcome:
    """The result of a scheduled seed."""

    cell: Cell
    reason: str
    """The reason why the seed gave no question; "" if the seed gave a question."""


def outcomes(job: Job) -> list[Outcome]:
    """The results of all scheduled seeds of a finished run. Seeds that wait are left out."""
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
    """A line for each ability, level and topic with too small a share of the questions.

    Args:
        found: the results of the seeds.
        rules: the weights of the schedule.
        own: the filters' own reasons, each with its sentence.
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
    """The cell of ability and level that lost most seeds, and the reason that refused most of these
    seeds; names decide between equal numbers."""
    lost = Counter((o.cell.ability, o.cell.level) for o in fallen)
    cell = min(lost, key=lambda c: (-lost[c], c))
    reasons = Counter(o.reason for o in fallen if (o.cell.ability, o.cell.level) == cell)
    most = min(reasons, key=lambda r: (-reasons[r], r))
    drawn = sum((o.cell.ability, o.cell.level) == cell for o in ended)
    return f"{' at '.join(cell)} lost {lost[cell]:,} of {drawn:,} seeds: {because([(most, reasons[most])], own)}"
