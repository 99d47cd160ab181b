"""Measures ingest at two sizes: speed in MB/s and articles/s, peak memory, and look-ups per second.

    python -m benchmarks.ingest --small 10000 --large 100000 --out DIR

The script writes two fictional worlds without pictures and ingests each in a separate process. The
worlds stay in DIR for later runs. The script prints a table, the ratios between the figures of the
two sizes, and an estimate for all of Wikipedia and Wikidata. The memory is the peak resident set of
the whole process, Beam included.
"""

import argparse
import bz2
import datetime
import json
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

from questloom.knowledge.search import TextSearch
from questloom.knowledge.store import Store
from questloom.knowledge.world.write import write_world
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest

FULL = {"XML": 100e9, "JSON": 1.6e12}
"""The estimate assumes that English Wikipedia has 7 million current articles in 100 GB of XML. For
Wikidata, the estimate assumes 1.6 TB of JSON (latest-all.json, decompressed)."""
SEED = 1
LOOKUPS = 3_000


def text_bytes(path: Path) -> tuple[int, float]:
    """The decompressed size of a dump in bytes, and the seconds that decompression alone takes."""
    started, size = time.monotonic(), 0
    with bz2.open(path) as file:
        while data := file.read(1 << 20):
            size += len(data)
    return size, time.monotonic() - started


def ingest(world: Path, store: Path) -> None:
    """Ingests a world and prints the seconds and the peak memory as JSON. The function runs in a
    process of its own."""
    started = time.monotonic()
    run_ingest(
        IngestOptions(
            store=str(store),
            articles=(str(world / "articles.xml.bz2"),),
            entities=(str(world / "entities.json.bz2"),),
            snapshot="2024-01-01",
        )
    )
    print(
        json.dumps(
            {
                "wall": time.monotonic() - started,
                "cpu": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
                "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            }
        )
    )


def measure(num_articles: int, out: Path) -> dict[str, float]:
    """Measures one size. Makes the world if it is missing, ingests the world and returns the
    figures."""
    world, store = out / f"world-{num_articles}", out / f"store-{num_articles}"
    if not (world / "world.json").exists():
        write_world(world, articles=num_articles, seed=SEED, pictures=False)
    shutil.rmtree(store, ignore_errors=True)
    command = [sys.executable, "-m", "benchmarks.ingest", "--ingest", str(world), str(store)]
    reply = subprocess.run(command, check=True, capture_output=True, text=True)
    figures = json.loads(reply.stdout.splitlines()[-1])
    for name, file in (("xml", "articles.xml.bz2"), ("json", "entities.json.bz2")):
        figures[name], figures[f"{name}_bz2"] = text_bytes(world / file)
    figures["store"] = sum(p.stat().st_size for p in store.rglob("*") if p.is_file())
    return figures


def lookups(path: Path) -> dict[str, float]:
    """Measures the microseconds per look-up in random order. The store is first cold (nothing was
    read before), then warm (every look-up was made before).
    """
    store = Store.open(str(path))
    entities = [e.id for e in store.scan_entities()]
    rng = random.Random(SEED)
    some = [rng.choice(entities) for _ in range(LOOKUPS)]
    pairs = [(c.property, c.value.key()) for i in some[:500] for c in store.claims(i) if c.best]
    store = Store.open(str(path))
    search = TextSearch(store)
    queries = [store.label(i) for i in some[:100]]
    found = {}
    for state in ("cold", "warm"):
        for name, calls in (
            ("entity", [lambda i=i: store.entity(i) for i in some]),
            ("claims", [lambda i=i: store.claims(i) for i in some]),
            ("subjects", [lambda p=p: store.subjects(*p) for p in pairs[:LOOKUPS]]),
            ("members", [lambda i=i: store.members("Q5", limit=100) for i in some[:300]]),
            ("text search", [lambda q=q: search.search(q, 5) for q in queries]),
        ):
            started = time.perf_counter()
            for call in calls:
                call()
            found[f"{name}, {state}"] = (time.perf_counter() - started) / max(1, len(calls)) * 1e6
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=Path("runs/bench-ingest"))
    parser.add_argument("--ingest", nargs=2, type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.ingest:
        ingest(*args.ingest)
        return
    sizes = {n: measure(n, args.out) for n in (args.small, args.large)}
    print(
        f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, one process"
    )
    print(
        f"{'articles':>10} {'text MB':>8} {'wall s':>8} {'CPU s':>8} {'MB/s':>6} {'art./s':>7} {'peak MB':>8} {'store MB':>9} "
        f"{'bz2 s':>6}"
    )
    for n, f in sizes.items():
        text = f["xml"] + f["json"]
        print(
            f"{n:>10,} {text / 1e6:>8.0f} {f['wall']:>8.1f} {f['cpu']:>8.1f} {text / 1e6 / f['wall']:>6.2f} {n / f['wall']:>7.0f} "
            f"{f['peak'] / 1e6:>8.0f} {f['store'] / 1e6:>9.0f} {f['xml_bz2'] + f['json_bz2']:>6.1f}"
        )
    small, large = sizes.values()
    print(f"peak memory, large ÷ small: {large['peak'] / small['peak']:.2f} (goal at most 1.30)")
    found = lookups(args.out / f"store-{args.large}")
    print(
        "look-ups in the large store, µs: " + "; ".join(f"{k} {v:,.1f}" for k, v in found.items())
    )
    rate = (large["xml"] + large["json"]) / large["cpu"]
    days = (FULL["XML"] + FULL["JSON"]) / rate / 86_400
    print(
        f"full enwiki ({FULL['XML'] / 1e9:.0f} GB of XML) and Wikidata ({FULL['JSON'] / 1e12:.1f} TB of JSON) at {rate / 1e6:.2f} MB of "
        f"text a CPU second: {days:.1f} days of one core, {days * 24 / 64:.1f} hours of 64; "
        f"Wikipedia alone {FULL['XML'] / rate / 3600:.1f} core hours"
    )


if __name__ == "__main__":
    main()
