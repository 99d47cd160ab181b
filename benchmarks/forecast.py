"""Measures how often the forecast from a small trial run (a pilot) is right: how often its interval
contains the true number of kept questions.

    python -m benchmarks.forecast RUN

The script draws many pilots from the seeds (things from which questions start) of a finished run.
For each pilot size, the script prints how often the interval is right (the goal is 90 %). The
script also prints the mean low, likely and high forecasts.
"""

import argparse
import random

from questloom.pipeline.plan import priors
from questloom.pipeline.plan.estimates import Range, exactly, share_of
from questloom.pipeline.settings import FilterRules
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Seed
from questloom.transforms.stages.run_folder import RunFolder, name_of

NUM_PILOTS = 300
SIZES = (12, 24, 50, 100)


def pilot(stages: list[str], fell_at: dict[str, str], seeds: list[str], num_seeds: int) -> Range:
    """Forecasts how many questions a run with `num_seeds` seeds keeps, from a pilot with the given
    seeds. `questloom plan` computes the same forecast.
    """
    items, left = exactly(num_seeds), len(seeds)
    for stage in stages:
        out = sum(fell_at.get(seed) == stage for seed in seeds)
        prior = priors.survival(stage, FilterRules()).range
        items = items * (
            share_of(left - out, left, prior) if left and prior.low != prior.high else prior
        )
        left -= out
    return items


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=RunFolder)
    run = parser.parse_args().run
    if not run.label("split"):
        parser.error(f"{run.path} is no finished run")
    drawn, *labels = run.labels()
    stages = [name_of(label) for label in labels]
    seeds = [s.id for s in run.read(drawn, "kept", Seed)]
    fell_at = {
        r.seed_id: r.stage for label in labels for r in run.read(label, "rejected", Rejection)
    }
    kept, draws = sum(s not in fell_at for s in seeds), random.Random(0)
    print(f"{len(seeds)} seeds, {kept} kept")
    for size in SIZES:
        made = [
            pilot(stages, fell_at, draws.sample(seeds, size), len(seeds)) for _ in range(NUM_PILOTS)
        ]
        covered = sum(r.low <= kept <= r.high for r in made) / NUM_PILOTS
        means = [
            sum(getattr(r, end) for r in made) / NUM_PILOTS for end in ("low", "likely", "high")
        ]
        print(
            f"pilot of {size:>3}: covered {covered:.0%}; on average {means[1]:.0f} ({means[0]:.0f}–{means[2]:.0f})"
        )


if __name__ == "__main__":
    main()
