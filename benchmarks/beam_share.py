"""Measures how much of the main job's time Apache Beam takes. For comparison, the same functions
also run in a plain Python loop.

    python -m benchmarks.beam_share STORE [--recipe demo] [--set seeds.count=100] [--repeats 3]

Beam and the loop use one process, the same store and the same recipe. Beam and the loop make the
same checks and write the same files. Beam runs first in every other repetition, and the loop runs
first in the rest. Each run opens the store anew. A warm-up run fills the caches before the
measurement. The script prints the share of Beam's wall time that the plain loop saves.
"""

import argparse
import hashlib
import shutil
import statistics
import tempfile
import time
from itertools import groupby, pairwise
from pathlib import Path

import apache_beam as beam

from questloom.files.opened import Opened
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.synth.global_steps import (
    DrawSplits,
    FindCandidates,
    WriteSeeds,
)
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import check_models, prepare, run_synth
from questloom.pipeline.synth.synth_stages import synth_stages
from questloom.transforms.filters.duplicate_losers import (
    Loser,
    ShardKeys,
    banded,
    losers_of,
    near_losers_of,
)
from questloom.transforms.stages.stage import source_of
from questloom.transforms.stages.stage_transform import RunStage
from questloom.transforms.stages.write_side import WriteSide


def run_do_fn(do_fn: beam.DoFn, elements: list) -> list:
    """Calls a Beam DoFn directly, without a runner, and returns its outputs."""
    do_fn.setup()
    do_fn.start_bundle()
    found = [out for element in elements for out in do_fn.process(element) or ()]
    return found + [value.value for value in do_fn.finish_bundle() or ()]


def grouped(pairs: list) -> list:
    """Groups pairs by key, as Beam's GroupByKey does."""
    ordered = sorted(pairs, key=lambda p: str(p[0]))
    return [
        (key, [value for _, value in group]) for key, group in groupby(ordered, key=lambda p: p[0])
    ]


def plain_loop(job: Job, excluded: frozenset[str]) -> None:
    """Runs the main job in a plain loop, stage after stage and shard (part of the data) after
    shard."""
    stages = synth_stages(job)
    found = run_do_fn(FindCandidates(job, excluded), [(0, job.store.num_rows("entities"))])
    shards = run_do_fn(WriteSeeds(job, stages[0].label), [[candidate for _, candidate in found]])
    for before, stage in pairwise(stages):
        if stage.side is not None:
            beside = (
                losers(job, before.label, shards)
                if stage.side.record is Loser
                else run_do_fn(DrawSplits(job, before.label), [shards])
            )
            run_do_fn(WriteSide(job, stage.label, stage.side.record), grouped(beside))
        run = RunStage(
            stage,
            run=job.run,
            source=source_of(stages, stage).label,
            settings=job,
            opened=job.opened,
        )
        shards = run_do_fn(run, shards)


def losers(job: Job, source: str, shards: list[int]) -> list[tuple[int, Loser | None]]:
    """Runs `gather_losers`, and returns its result for each shard."""
    similarity, groups = (
        job.recipe.filters.near_duplicate_similarity,
        grouped(run_do_fn(ShardKeys(job, source), shards)),
    )
    bands = grouped([entry for group in groups for entry in banded(group, similarity)])
    pairs = [pair for group in groups for pair in losers_of(group)] + [
        pair for band in bands for pair in near_losers_of(band, similarity)
    ]
    found = [
        (int(i.split(":")[1]), Loser(item_id=i.split(":")[0], winner=w.split(":")[0], by=by))
        for i, (w, by) in pairs
    ]
    return [*found, *((shard, None) for shard in shards)]


def digest(run: str) -> str:
    """One digest of all files that the stages of a run wrote."""
    files = sorted(p for p in Path(run, "stages").rglob("*.parquet"))
    return hashlib.sha256(
        b"".join(
            str(p.relative_to(run)).encode() + hashlib.sha256(p.read_bytes()).digest()
            for p in files
        )
    ).hexdigest()


def timed(kind: str, recipe: Recipe, store: str, folder: Path) -> tuple[float, str]:
    """Measures one run: its seconds, and a digest of its files."""
    out = folder / kind
    shutil.rmtree(out, ignore_errors=True)
    started = time.perf_counter()
    with Opened() as opened:
        if kind == "beam":
            run_synth(recipe, store=store, out=str(out), opened=opened)
        else:
            job = Job.at(recipe, run=str(out), store=store, opened=opened)
            excluded = prepare(job)
            check_models(job)
            plain_loop(job, excluded)
    return time.perf_counter() - started, digest(str(out))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store")
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    recipe = load_recipe(arguments.recipe, tuple(arguments.set))
    shares = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        timed("loop", recipe, arguments.store, folder)
        for number in range(arguments.repeats):
            order = ("beam", "loop") if number % 2 else ("loop", "beam")
            seconds = {}
            digests = set()
            for kind in order:
                seconds[kind], made = timed(kind, recipe, arguments.store, folder)
                digests.add(made)
            if len(digests) != 1:
                raise SystemExit("the two did not write the same files")
            shares.append(1 - seconds["loop"] / seconds["beam"])
            print(
                f"beam {seconds['beam']:.1f} s, loop {seconds['loop']:.1f} s: Beam's share {shares[-1]:.1%}"
            )
    print(
        f"Beam's share of the wall time: median {statistics.median(shares):.1%} (from {min(shares):.1%} to {max(shares):.1%}); goal: at most 33 %"
    )


if __name__ == "__main__":
    main()
