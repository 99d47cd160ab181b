"""Runs the commands gather, ingest and synth against local services that imitate Wikimedia's
services.

    python -m benchmarks.demo_real --out FOLDER [--slice SLICE] [--anchors 200]

Anchors are the things that the questions' pictures show. Without a slice, the services serve a
fictional world of a thousand articles, and the anchors are its people and buildings. A slice is a
folder with a part of Wikidata and Wikipedia. The folder has entities.json.gz or
entities-sitelinked.json.gz, articles*.xml.bz2, and pictures*/ with metadata.jsonl. With a slice (a
part of real data), the services serve its contents, and the anchors are the things in its pictures.
At the end the script prints the number of requests, and the time that a run with the real services
would take.
"""

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.gather_plan import table
from benchmarks.wikimedia import Manners, serving
from benchmarks.wikimedia_world import World
from questloom.knowledge.world.write import write_world

ARTICLES, SEED = 1000, 7
SEEDS = 300
FEW = ("--set", "grounding.mode=optional", "--set", f"seeds.count={SEEDS}")
"""Settings for a world with few pictures, which the small CLIP model in this repository cannot tell
apart."""
CONTACT = "demo@example.org"


def fictional(out: Path) -> World:
    """Returns the fictional world of the demo, and writes it if it is missing."""
    folder = out / "world"
    if not (folder / "world.json").exists():
        write_world(folder, articles=ARTICLES, seed=SEED)
    return World.read(
        [folder / "entities.json.bz2"], [folder / "articles.xml.bz2"], [folder / "images"]
    )


def real(folder: Path) -> World:
    """Reads a slice (a part of Wikidata and Wikipedia) as a world that the services can serve. As
    in Wikidata, each picture becomes the picture (P18) of the thing that it depicts.
    """
    (*_, entities) = sorted(folder.glob("entities*.json.gz"), reverse=True)
    world = World.read(
        [entities], sorted(folder.glob("articles*.xml.bz2")), sorted(folder.glob("pictures*/"))
    )
    return world.with_pictures()


def run(*command: str) -> None:
    """Prints and runs a `questloom` command; if the command fails, the script ends."""
    began = time.monotonic()
    print(f"\n$ questloom {' '.join(command)}", flush=True)
    done = subprocess.run([sys.executable, "-m", "questloom.pipeline.cli", *command])
    if done.returncode:
        raise SystemExit(done.returncode)
    print(f"({time.monotonic() - began:.0f} s)", flush=True)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("demo-real"))
    parser.add_argument("--slice", type=Path)
    parser.add_argument("--anchors", type=int, default=200)
    parser.add_argument("--depth", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    world = real(args.slice) if args.slice else fictional(args.out)
    print(f"Served: {world}", flush=True)
    ids = args.out / "anchors.txt"
    ids.write_text("\n".join(world.pictured()[: args.anchors]) + "\n")
    out, manners = {name: args.out / name for name in ("gathered", "store", "run")}, Manners()
    shutil.rmtree(
        out["gathered"], ignore_errors=True
    )  # the addresses of its pictures belong to this run's services
    with serving(world, manners) as base:
        run(
            *("gather", "--ids", str(ids), "--out", str(out["gathered"]), "--services", base),
            *("--contact", CONTACT, "--depth", str(args.depth)),
        )
    dumps = {key: next(out["gathered"].glob(key)) for key in ("wikidata-*", "*-articles.xml.bz2")}
    shutil.rmtree(out["store"], ignore_errors=True)
    shutil.rmtree(out["run"], ignore_errors=True)
    run(
        *("ingest", "--store", str(out["store"]), "--entities", str(dumps["wikidata-*"])),
        *("--articles", str(dumps["*-articles.xml.bz2"])),
        *("--images", str(out["gathered"] / "pictures")),
        *("--popularity", str(out["gathered"] / "popularity.tsv")),
    )
    recipe = "slice" if args.slice else "demo_without_python"
    few = () if args.slice else FEW
    run("synth", "--store", str(out["store"]), "--out", str(out["run"]), "--recipe", recipe, *few)
    twice = sum(number > 1 for number in manners.served.values())
    print(
        f"\nRequests: {dict(manners.requests)}; refused: {manners.violations or 'none'}; served twice: {twice}"
    )
    print(f"A live run, planned:\n{table()}")


if __name__ == "__main__":
    main()
