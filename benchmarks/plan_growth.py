"""Measures whether planning a question from a seed takes more work in a larger store.

    python -m benchmarks.plan_growth SMALL LARGE [--things 40] [--warm 20] [--levels medium] [--shapes chain] [--recipe demo] [--set KEY=VALUE ...]
        [--count] [--profile]

A seed is the item that a question starts from. The script takes seeds that have an article, and
that have the same classes in both stores. Two invented worlds share such seeds if they were made
with the same random seed and only the number of regions differs (for example 5,000 and 19,820
articles). The stores need no pictures. The script plans questions from each seed, in each shape and
at each level. The script plans in the two stores in turn. The ratio of the two times has a
bootstrap interval over the seeds. Some queries happen only once per process, such as the query for
a class's most frequent value. The first `--warm` seeds make the queries that happen only once, and
have a row of their own.

A busy machine disturbs times. The script therefore also counts the look-ups in the store and the
rows that they return; with `--count`, it counts calls of functions in place of seconds.
"""

import argparse
import cProfile
import gc
import pstats
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.plan_supply import METHOD_OF
from questloom.files.opened import Opened
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.runners.forked_worker import YOUNG
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import make_ground
from questloom.records.identity import chance
from questloom.records.synthesis import Seed
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.planner import Shape, size_of
from questloom.transforms.planning.search import search
from questloom.transforms.stages.run_folder import RunFolder

LEVELS = ("easy", "medium", "hard")
NUM_RESAMPLED = 2_000


class Counted:
    """A store that counts the look-ups in it, and the rows that they return.

    Args:
        facts: the store.
    """

    def __init__(self, facts: Any) -> None:
        self._facts, self.lookups, self.rows = facts, 0, 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._facts, name)
        return self._counting(found) if callable(found) else found

    def _counting(self, look_up: Callable) -> Callable:
        def counted(*asked: Any, **named: Any) -> Any:
            self.lookups += 1
            found = look_up(*asked, **named)
            if isinstance(found, Iterator):
                return self._each(found)
            self.rows += len(found) if isinstance(found, tuple) else found is not None
            return found

        return counted

    def _each(self, found: Iterator) -> Iterator:
        for row in found:
            self.rows += 1
            yield row


class Calls:
    """A clock that counts the calls of functions, written in Python or C, in place of seconds."""

    def __init__(self) -> None:
        self._num = 0
        sys.setprofile(self._count)

    def _count(self, frame: object, event: str, arg: object) -> None:
        self._num += event in ("call", "c_call")

    def __call__(self) -> float:
        return self._num


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


def work_of(
    at: Ground, shape: Shape, level: str, thing: str, clock: Callable[[], float]
) -> tuple[float, int, int, int]:
    """Plans questions that start from one item. Returns what the clock measured (seconds of
    processor time, or calls), the number of look-ups, that of rows, and that of plans.
    """
    counted: Any = at.facts.facts
    looked_up, rows = counted.lookups, counted.rows
    seed = Seed(
        entity_id=thing, method=METHOD_OF[shape], rule="pictured", level=level, domain="other"
    )
    refusals, started = Refusals(), clock()
    draw = chance(at.recipe_seed, thing, f"{shape.name}:{level}")
    forms = shape.grow(at, seed, size_of(at, seed), draw, refusals)
    plans = search(at, forms, shape=shape.name, refusals=refusals).plans
    took = clock() - started
    return took, counted.lookups - looked_up, counted.rows - rows, len(plans)


def ratio_lines(name: str, unit: str, work: np.ndarray) -> Iterator[str]:
    """Gives a line for each measure of work: its mean per seed in each store, and the ratio of the
    two.

    Args:
        name: the shape and level.
        unit: what the clock measures.
        work: an array with an axis for seeds, one for the two stores, and one for the results of
            `work_of`.
    """
    rows = np.random.default_rng(0).integers(len(work), size=(NUM_RESAMPLED, len(work)))
    plans = work[:, :, -1].sum(0).astype(int)
    for number, measure in enumerate((unit, "look-ups", "rows")):
        amount = work[:, :, number]
        sums = amount[rows].sum(1)
        low, high = np.quantile(sums[:, 1] / sums[:, 0], (0.025, 0.975))
        small, large = amount.mean(0)
        yield (
            f"| {name}: {measure} | {small:,.5g} | {large:,.5g} "
            f"| {large / small:.2f} [{low:.2f}, {high:.2f}] | {plans[0]} and {plans[1]} |"
        )


def lines(
    recipe: Recipe,
    stores: tuple[str, str],
    num: int,
    num_warm: int,
    levels: Sequence[str],
    shapes: Sequence[str],
    *,
    count: bool = False,
) -> Iterator[str]:
    """Returns the table, with rows for each shape and level, and last rows for all."""
    with ExitStack() as opened:
        made = [
            make_ground(Job(RunFolder("unused"), s, recipe, opened.enter_context(Opened())))
            for s in stores
        ]
        grounds = [
            replace(
                at,
                min_views=0,
                facts=Lookups(Counted(at.facts.facts), at.facts.trust, at.facts.language),  # type: ignore[arg-type]
            )
            for at in made
        ]
        things = shared_things(grounds[0], grounds[1], num + num_warm)
        clock, unit = (Calls(), "calls") if count else (time.process_time, "CPU s")
        whole = np.zeros((max(0, len(things) - num_warm), 2, 4))
        yield f"{len(things) - num_warm} seeds"
        yield "| shape, level | a seed, small | a seed, large | ratio | plans |"
        yield "|---|---|---|---|---|"
        for shape in (s for s in METHOD_OF if s.name in shapes):
            for level in levels:
                work = np.array(
                    [[work_of(at, shape, level, t, clock) for at in grounds] for t in things]
                )
                name, whole = f"{shape.name}, {level}", whole + work[num_warm:]
                if num_warm:
                    yield from ratio_lines(f"{name}, the {num_warm} before", unit, work[:num_warm])
                yield from ratio_lines(name, unit, work[num_warm:])
        yield from ratio_lines("all", unit, whole)
        sys.setprofile(None)


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
    parser.add_argument("--count", action="store_true", help="count calls, not seconds")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--shapes", nargs="+", default=[shape.name for shape in METHOD_OF])
    given = parser.parse_args()
    gc.set_threshold(YOUNG)  # as in a worker process
    profile = cProfile.Profile(time.process_time)
    if given.profile:
        profile.enable()
    recipe = load_recipe(given.recipe, tuple(given.set))
    told = lines(
        recipe,
        (given.small, given.large),
        given.things,
        given.warm,
        given.levels,
        given.shapes,
        count=given.count,
    )
    for line in told:
        print(line, flush=True)
    if given.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
