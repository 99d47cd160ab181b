"""Checks whether two checkouts of the code make the same data.

The script makes small runs with each checkout and compares the files.

* `python -m benchmarks.same_bytes CHECKOUT --write before.tsv [--slice FOLDER]` makes the runs of a
  checkout and records the digests of their files.
* With `--compare before.tsv`, the script compares the new digests with the recorded ones.

Each checkout needs its own environment (`make .venv/installed`). Both checkouts must use the same
`--folder`, because some files contain the folder's path. The script makes the fictional world 7 and
its store. The script then makes the run `demo` with episodes and a data set. The script also makes
the learning world (a small world for training) and its run. With `--slice`, the script makes the
run `slice` over a folder of real dumps. The script compares every file except those that `EXCEPTED`
and `OF_A_CHECKOUT` name. The exit code is 1 if anything differs.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.kills import EXCEPTED

DEMO = {
    "base": "demo",
    "seeds": {"count": 160, "anchor_min_in_degree": 1, "rare_min_statements": 5},
    "filters": {"quotas": {"relation": 1, "shape": 1}},
    "run": {"shards": 4},
}
"""A recipe for a run that takes about a minute. Every stage has some work in this run."""
SLICE_ARTICLES = ("articles.xml.bz2", "articles-vital.xml.bz2", "articles-presidents.xml.bz2")
OF_A_CHECKOUT = {
    r".*run/recipe\.yaml": "all settings, also those that only one of two checkouts has",
    r".*/times/.*|.*/timing/.*|.*\.log": "times",
    r".*/report/data/episodes-\d+\.js": "shows the seconds of calls",
    r".*/store/meta\.json": "the time of the ingest",
    r".*\.lance/.*": "Lance names its files by chance",
}
"""Patterns for the paths of further files that may differ between two checkouts, each with the
reason."""
HASH = re.compile(r"-[0-9a-f]{12,64}(?=/)")
"""Matches the hash of a stage's settings, which is part of the name of the stage's folder. The hash
changes whenever a setting is added or removed.
"""


def commands(at: Path, slice_of: Path | None) -> list[str]:
    """The commands, in the order in which they run. All commands write only below the folder
    `at`.
    """
    (at / "recipe.yaml").write_text(json.dumps(DEMO), encoding="utf-8")
    world, learning, real = at / "learning/world", at / "learning", at / "slice"
    made = [
        f"demo --out {at}/demo --articles 400 --recipe {at}/recipe.yaml",
        f"world --learning --articles 240 --out {world}",
        f"ingest --store {learning}/store --articles {world}/articles.xml.bz2 --snapshot 2026-01-01"
        f" --entities {world}/entities.json.bz2 --images {world}/images",
        f"synth --recipe learning --set seeds.count=96 --store {learning}/store --out {learning}/run",
        f"teach --run {learning}/run --store {learning}/store",
    ]
    if slice_of is not None:
        articles = " ".join(f"--articles {slice_of}/{name}" for name in SLICE_ARTICLES)
        made += [
            f"ingest --store {real}/store {articles} --snapshot 2021-02-01"
            f" --entities {slice_of}/entities-sitelinked.json.gz --images {slice_of}/pictures",
            f"synth --recipe slice --set seeds.count=320 --store {real}/store --out {real}/run",
        ]
    return made


def make(checkout: Path, folder: Path, slice_of: Path | None) -> dict[str, str]:
    """Runs all commands in a checkout's own environment.

    Returns: The SHA-256 of each file, by the path of the file. Hashes of settings are left out of
        the path.

    Raises:
        SystemExit: a command failed; the message ends with the command's last output.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for command in commands(folder, slice_of):
        done = subprocess.run(
            [str(checkout / ".venv/bin/python"), "-m", "questloom.pipeline.cli", *command.split()],
            cwd=checkout,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{checkout}: questloom {command}\n{done.stderr[-2000:]}")
        print(f"{checkout}: {command.split()[0]} done", file=sys.stderr, flush=True)
    paths = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {
        HASH.sub("", name): digest(path) for name, path in paths.items() if not may_differ(name)
    }


def digest(path: Path) -> str:
    """The SHA-256 of a file. For a stage's output file, the SHA-256 covers only the rows. The
    metadata may differ, because they contain a hash of the recipe.
    """
    found = hashlib.sha256()
    if path.suffix == ".parquet" and "stages" in path.parts:
        table = pq.read_table(path).replace_schema_metadata(None)
        rows = pa.BufferOutputStream()
        with pa.ipc.new_stream(rows, table.schema) as stream:
            stream.write_table(table.combine_chunks())
        found.update(rows.getvalue())
    else:
        found.update(path.read_bytes())
    return found.hexdigest()


def may_differ(name: str) -> bool:
    """Whether a file may differ between checkouts. The path starts below the folder of all runs."""
    of_run = name.partition("run/")[2]
    return any(re.fullmatch(pattern, of_run) for pattern in EXCEPTED) or any(
        re.fullmatch(pattern, name) for pattern in OF_A_CHECKOUT
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.same_bytes", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--write", type=Path, help="a TSV file for the digests")
    parser.add_argument("--compare", type=Path, help="digests that another checkout wrote")
    parser.add_argument("--slice", type=Path, help="a folder of real dumps with pictures")
    parser.add_argument("--folder", type=Path, help="where the runs are made and stay")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="questloom-same-") as made:
        mine = make(given.checkout.resolve(), given.folder or Path(made), given.slice)
    if given.write:
        given.write.write_text("".join(f"{n}\t{d}\n" for n, d in sorted(mine.items())))
    if not given.compare:
        return 0
    other = dict(line.split("\t") for line in given.compare.read_text().splitlines())
    names = sorted(mine.keys() | other.keys())
    differing = [name for name in names if mine.get(name) != other.get(name)]
    for name in differing:
        missing = "only here" if name not in other else "only there" if name not in mine else ""
        print(f"{missing or 'differs'}: {name}")
    print(f"{len(names) - len(differing)} of {len(names)} files are the same")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
