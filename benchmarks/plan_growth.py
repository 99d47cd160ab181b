"""Measures whether planning a question from a seed takes more processor time in a larger store.

    python -m benchmarks.plan_growth SMALL LARGE [--things 40] [--warm 20] [--levels medium] [--recipe demo] [--set KEY=VALUE ...] [--profile]

A seed is the item that a question starts from. The script takes seeds that have an article, and
that have the same classes in both stores. Two invented worlds share such seeds if they were made
with the same random seed and only the number of regions differs (for example 5,000 and 19,820
articles). The stores need no pictures. The script plans questions from each seed, in each shape and
at each level. The script plans in the two stores in turn. The ratio of the two times has a
bootstrap interval over the seeds. Some queries happen only once per process, such as the query for
a class's most frequent value. The first `--warm` seeds make the queries that happen only once, and
have a row of their own.
"""

import argparse
import cProfile
import pstats
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice

import numpy as np

from benchmarks.plan_supply import METHOD_OF
from questloom.files.opened import Opened
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import make_ground
from questloom.records.identity import chance
from questloom.records.synthesis import Seed
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.planner import Shape, size_of
from questloom.transforms.planning.search import search
from questloom.transforms.stages.run_folder import RunFolder

LEVELS = ("easy", "medium", "hard")
NUM_RESAMPLED = 2_000


def shared_things(small: Ground, large: Ground, num: int) -> list[str]:
    """Returns the items that have an article, and the same classes in both stores.

    The order of the items depends only on the recipe's random seed.
    """
    things = [e.id for e in small.facts.facts.scan_entities() if e.classes]  # type: ignore[attr-defined]
    chance(small.recipe_seed, "things", "plan_growth").shuffle(things)
    return list(islice((t for t in things if _is_shared(small, large, t)), num))


def _is_shared(small: Ground, large: Ground, thing: str) -> bool:
    one, other = small.facts.entity(thing), large.facts.entity(thing)
    return (
        one is not None
        and other is not None
        and one.classes == other.classes
        and all(
            at.facts.article(thing) is not None and at.may_be_shown(thing) for at in (small, large)
        )
    )


def cpu_of(at: Ground, shape: Shape, level: str, thing: str) -> tuple[float, int]:
    """Plans questions that start from one item. Returns the seconds of processor time and the
    number of plans.
    """
    seed = Seed(
        entity_id=thing, method=METHOD_OF[shape], rule="pictured", level=level, domain="other"
    )
    refusals, started = Refusals(), time.process_time()
    draw = chance(at.recipe_seed, thing, f"{shape.name}:{level}")
    forms = shape.grow(at, seed, size_of(at, seed), draw, refusals)
    plans = search(at, forms, shape=shape.name, refusals=refusals).plans
    return time.process_time() - started, len(plans)


def ratio_line(name: str, took: np.ndarray, plans: np.ndarray) -> str:
    """Returns a line with the seconds per seed in each store, and the ratio of the two times.

    `took` and `plans` have one column for each store and one row for each seed.
    """
    draw = np.random.default_rng(0)
    rows = draw.integers(len(took), size=(NUM_RESAMPLED, len(took)))
    sums = took[rows].sum(1)
    low, high = np.quantile(sums[:, 1] / sums[:, 0], (0.025, 0.975))
    small, large = took.mean(0)
    return (
        f"| {name} | {small:.3f} s | {large:.3f} s | {large / small:.2f} [{low:.2f}, {high:.2f}] "
        f"| {plans[:, 0].sum()} and {plans[:, 1].sum()} |"
    )


def lines(
    recipe: Recipe, stores: tuple[str, str], num: int, num_warm: int, levels: Sequence[str]
) -> Iterator[str]:
    """Returns the table, with a row for each shape and level, and a last row for all."""
    with ExitStack() as opened:
        grounds = [
            replace(
                make_ground(Job(RunFolder("unused"), s, recipe, opened.enter_context(Opened()))),
                min_views=0,
            )
            for s in stores
        ]
        things = shared_things(grounds[0], grounds[1], num + num_warm)
        whole = np.zeros((max(0, len(things) - num_warm), 2))
        whole_plans = whole.astype(int)
        yield f"{len(things) - num_warm} seeds"
        yield "| shape, level | CPU a seed, small | large | ratio | plans |"
        yield "|---|---|---|---|---|"
        for shape in METHOD_OF:
            for level in levels:
                measured = [[cpu_of(at, shape, level, t) for at in grounds] for t in things]
                array = np.array(measured[num_warm:])
                took, plans = array[:, :, 0], array[:, :, 1].astype(int)
                whole, whole_plans = whole + took, whole_plans + plans
                if num_warm:
                    cold = np.array(measured[:num_warm])
                    name = f"{shape.name}, {level}, the {num_warm} before"
                    yield ratio_line(name, cold[:, :, 0], cold[:, :, 1].astype(int))
                yield ratio_line(f"{shape.name}, {level}", took, plans)
        yield ratio_line("all", whole, whole_plans)


def main() -> None:
    """Prints the table. With --profile, also prints the slowest functions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("small")
    parser.add_argument("large")
    parser.add_argument("--things", type=int, default=40)
    parser.add_argument("--warm", type=int, default=20, help="seeds before the clock counts")
    parser.add_argument("--levels", nargs="+", default=list(LEVELS), choices=LEVELS)
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    profile = cProfile.Profile(time.process_time)
    if given.profile:
        profile.enable()
    recipe = load_recipe(given.recipe, tuple(given.set))
    for line in lines(recipe, (given.small, given.large), given.things, given.warm, given.levels):
        print(line, flush=True)
    if given.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
