"""Ends runs of `questloom synth` at random points, resumes them, and compares the results with an
undisturbed run.

    python -m benchmarks.kills --kills 16 [--store STORE] [--recipe demo] [--set KEY=VALUE …] [--folder F]

The script compares all files of the two runs byte by byte, even hidden ones. Only the files that
`EXCEPTED` names may differ. Each run is ended one to three times, in one of the ways that `WAYS`
lists. A run is ended when a random number of its files is finished. The run is resumed at once,
even if some workers of the ended run are still writing. Without `--store` a small fictional world
is made. The exit code is 1 if anything differs.
"""

import argparse
import hashlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from questloom.knowledge.world.write import write_world
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest

ROOT = Path(__file__).resolve().parents[1]
SEED, ARTICLES = 11, 260
SETTINGS = (
    "seeds.count=60",
    "run.shards=4",
    "filters.quotas.relation=1",
    "filters.quotas.shape=1",
    "seeds.anchor_min_in_degree=1",
    "seeds.rare_min_statements=5",
)
"""Settings of a run on the small world. The run takes half a minute, and every stage has something
to do.
"""
EXCEPTED = {
    r"timing/.*": "seconds of a stage's shard, which no result depends on",
    r"run\.json": "begin, seconds, versions and cost",
    r"report/index\.html": "shows those",
    r"calls\.sqlite.*": "the ledger: what was sent when",
    r"\.(report|dataset)\.\w+\.part/.*": "a folder that was left half-written; the next export a day later removes it",
}
"""Patterns for the names of files that may differ between two runs, each with the reason."""


@dataclass(frozen=True)
class Way:
    """One of the ways in which the script ends a run."""

    signal: signal.Signals
    to_all: bool
    """Whether the signal that ends the run goes to the command and its workers, or to the command
    alone."""
    workers: int

    def __str__(self) -> str:
        return f"{self.signal.name} to {'all' if self.to_all else 'the command'} (--workers {self.workers})"


WAYS = tuple(
    Way(number, to_all, workers)
    for to_all, workers in ((True, 1), (False, 2), (True, 2))
    for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
)


@dataclass(frozen=True)
class Broken:
    """A run that the script ended and resumed."""

    way: Way
    ended_at: tuple[int, ...]
    """For each time the run was ended, the number of files that were finished; -1 if the whole run
    was already done."""
    differing: tuple[str, ...]


@dataclass(frozen=True)
class Start:
    """The store, recipe and settings that all compared runs use."""

    store: str
    recipe: str
    settings: Sequence[str]

    def run(self, out: Path, workers: int) -> subprocess.Popen:
        sets = [word for setting in self.settings for word in ("--set", setting)]
        command = [
            sys.executable,
            "-m",
            "questloom.pipeline.cli",
            "synth",
            "--store",
            self.store,
            "--recipe",
            self.recipe,
            "--out",
            str(out),
            "--workers",
            str(workers),
            *sets,
        ]
        with open(f"{out}.log", "ab") as log:
            return subprocess.Popen(
                command, cwd=ROOT, start_new_session=True, stdout=log, stderr=log
            )

    def finish(self, out: Path, workers: int = 1) -> Path:
        """Starts a run, or continues it, and waits for its end."""
        code = self.run(out, workers).wait()
        assert code == 0, (
            f"synth ended with {code}: {Path(f'{out}.log').read_text(errors='replace')[-2000:]}"
        )
        return out


def small_store(folder: Path) -> str:
    """Makes a fictional world and its store."""
    write_world(folder / "world", articles=ARTICLES, seed=SEED, workers=2)
    run_ingest(
        IngestOptions(
            store=str(folder / "store"),
            articles=(str(folder / "world/articles.xml.bz2"),),
            entities=(str(folder / "world/entities.json.bz2"),),
            images=(str(folder / "world/images"),),
            snapshot="2026-01-01",
        )
    )
    return str(folder / "store")


def files(run: Path) -> dict[str, str]:
    """The digests of a run's files. Files that interruptions may change are left out."""
    found = {str(path.relative_to(run)): path for path in run.rglob("*") if path.is_file()}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in found.items()
        if not any(re.fullmatch(pattern, name) for pattern in EXCEPTED)
    }


def num_whole(run: Path) -> int:
    """The number of finished files in a run that is still in progress."""
    return sum(
        not name.startswith(".") for _, _, names in os.walk(run) for name in names
    )  # folders may disappear meanwhile


def broken(start: Start, out: Path, whole: Path, way: Way, chance: random.Random) -> Broken:
    """Ends a run one to three times, resumes it, and compares it with the undisturbed run."""
    total, ended_at = num_whole(whole), []
    for _ in range(chance.choice((1, 2, 3))):
        least, later = chance.randrange(total), chance.uniform(0, 0.3)
        process = start.run(out, way.workers)
        while process.poll() is None and num_whole(out) < least:
            time.sleep(0.01)
        time.sleep(later)
        ended_at.append(-1 if process.poll() is not None else num_whole(out))
        if process.poll() is None:
            (os.killpg if way.to_all else os.kill)(process.pid, way.signal)
        process.wait(120)
    start.finish(out, 1 + chance.randrange(2))
    mine, its = files(out), files(whole)
    differing = sorted(name for name in mine.keys() | its.keys() if mine.get(name) != its.get(name))
    return Broken(way, tuple(ended_at), tuple(differing))


def table(start: Start, folder: Path, num: int, seed: int = 0) -> Iterator[Broken]:
    """Yields runs that were ended and resumed. The ways of ending a run are used in turn."""
    whole = start.finish(folder / "whole")
    for number, way in zip(range(num), cycle(WAYS), strict=False):
        yield broken(
            start, folder / f"broken-{number}", whole, way, random.Random(f"{seed} {number}")
        )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kills", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--kills", type=int, default=len(WAYS), help="how many runs are ended")
    parser.add_argument("--store", default="")
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--set", action="append", default=[], dest="settings")
    parser.add_argument(
        "--folder", type=Path, help="where the runs stay; without it they are removed"
    )
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="questloom-kills-") as made:
        folder = given.folder or Path(made)
        settings = given.settings if given.store else (*SETTINGS, *given.settings)
        start = Start(given.store or small_store(folder), given.recipe, settings)
        num_differing = 0
        for number, found in enumerate(table(start, folder, given.kills, given.seed)):
            num_differing += bool(found.differing)
            at = ", ".join("done before" if stood < 0 else str(stood) for stood in found.ended_at)
            differing = ", ".join(found.differing) or "none"
            print(
                f"{number:>3}  {found.way!s:<36} after files: {at:<20} differing: {differing}",
                flush=True,
            )
    print(f"{given.kills - num_differing} of {given.kills} runs are the unbroken one")
    return 1 if num_differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
