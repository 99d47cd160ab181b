"""Measures how the time and the peak memory of ingest (reading dumps into a store) grow with the
size of the input.

    python -m benchmarks.growth --out DIR [--articles 1000 10000 100000] [--million] [--hub 1000000]

For each size, the script makes a fictional world without pictures. Two local processes
(`--workers`) ingest the world. The memory is the peak resident set of the largest worker, as Linux
reports it (VmHWM). The memory of a worker includes the imported modules of Beam and Questloom. The
memory of a stage is measured twice a second, and the largest value counts. From each two
neighbouring sizes, the script computes the exponent of the power law by which time or memory grows.
The exponent 1 means linear growth.

A hub is an item with a million incoming links. The script compares two dumps of equal size. Both
dumps have items with two claims, and a tenth as many articles with two links. In the first dump,
all items and articles link to a single hub. In the second dump, the links are spread over a
thousand items. The script then measures how long queries for the hub in the store take. The worlds
and dumps stay in DIR, so that later runs can use them.
"""

import argparse
import bz2
import datetime
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path

from questloom.knowledge.store import Store
from questloom.knowledge.world.article_texts import Page
from questloom.knowledge.world.export import footer, header, page_xml
from questloom.knowledge.world.write import write_world
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.records.knowledge import entity_value

SEED, SPREAD = 1, 1_000
SAMPLE_SECONDS = 0.5
TICKS = os.sysconf("SC_CLK_TCK")
MB = 1e6


@dataclass
class Figures:
    """The measured time and memory of one ingest."""

    wall: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time in seconds, by stage."""
    cpu: dict[int, float] = field(default_factory=dict)
    """CPU time in seconds, by process."""
    peak: dict[int, float] = field(default_factory=dict)
    """Peak memory in bytes, by process."""
    stage_peak: dict[str, float] = field(default_factory=dict)
    """Peak memory of the largest process in bytes, by stage."""
    here: int = 0
    """The id of the process that submitted the job."""

    @property
    def cpu_seconds(self) -> float:
        return sum(self.cpu.values())

    def worker_peak(self) -> float:
        """The peak memory of the largest worker in bytes. If the job had a single process, returns
        the peak memory of that process."""
        return max(
            (b for p, b in self.peak.items() if p != self.here), default=self.peak[self.here]
        )


class Sampler:
    """Measures the memory of this process and its descendants at intervals, and notes when each
    stage ends."""

    def __init__(self) -> None:
        self.figures, self.stage = Figures(here=os.getpid()), "start"
        self._began = self._last = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Sampler":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self.figures.wall = time.monotonic() - self._began

    def progress(self, stage: str, done: int, total: int) -> None:
        """Ingest calls this method to report its progress. When a stage has finished, the method
        records the time since the previous stage ended.
        """
        self.stage = stage
        if done == total:
            now = time.monotonic()
            self.figures.seconds[stage], self._last = now - self._last, now

    def _run(self) -> None:
        while not self._ended.wait(SAMPLE_SECONDS):
            for pid in tree(os.getpid()):
                try:
                    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                    status = dict(
                        line.split(":", 1)
                        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
                    )
                except FileNotFoundError:
                    continue  # the process has just ended
                if "VmHWM" not in status:
                    continue
                self.figures.cpu[pid] = (int(fields[11]) + int(fields[12])) / TICKS
                self.figures.peak[pid] = int(status["VmHWM"].split()[0]) * 1024
                now = int(status["VmRSS"].split()[0]) * 1024
                self.figures.stage_peak[self.stage] = max(
                    self.figures.stage_peak.get(self.stage, 0), now
                )


def tree(root: int) -> list[int]:
    """Lists a process and its descendants."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def ingest(world: Path, store: Path, workers: int) -> None:
    """Ingests a world and prints the measured figures as JSON. The function runs in a process of
    its own."""
    with Sampler() as sampler:
        run_ingest(
            IngestOptions(
                store=str(store),
                articles=(str(world / "articles.xml.bz2"),),
                entities=(str(world / "entities.json.bz2"),),
                snapshot="2026-01-01",
                workers=workers,
            ),
            sampler.progress,
        )
    print(json.dumps(asdict(sampler.figures)))


def measure(world: Path, workers: int) -> Figures:
    """Ingests a world into a new store beside the world."""
    store = world.with_name(f"store-{world.name}")
    shutil.rmtree(store, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "benchmarks.growth",
        "--ingest",
        str(world),
        str(store),
        "--workers",
        str(workers),
    ]
    found = json.loads(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[
            -1
        ]
    )
    for name in ("cpu", "peak"):
        found[name] = {int(pid): value for pid, value in found[name].items()}
    return Figures(**found)


def exponent(small: float, large: float, factor: float) -> float:
    """The exponent of the power law through two measured values. `factor` is the ratio of the two
    input sizes."""
    return math.log(large / small) / math.log(factor)


def stages_of(f: Figures) -> str:
    """A text with the seconds of each stage, and the memory of the largest process in each stage in
    MB."""
    return ", ".join(
        f"{stage} {seconds:.1f} s {f.stage_peak.get(stage, 0) / MB:.0f}"
        for stage, seconds in f.seconds.items()
    )


def print_sizes(out: Path, sizes: list[int], workers: int) -> None:
    """Prints a line for each size as soon as it is measured. Then prints the growth between
    neighbouring sizes, in total and by stage."""
    print(
        f"{'articles':>10} {'wall s':>8} {'CPU s':>8} {'art./CPU s':>10} {'worker MB':>10} {'submitter MB':>13}  stages: seconds, MB of the largest process"
    )
    found: dict[int, Figures] = {}
    for size in sizes:
        world = out / f"world-{size}"
        if not (world / "world.json").exists():
            write_world(world, articles=size, seed=SEED, pictures=False)
        f = found[size] = measure(world, workers)
        rate, memory = size / f.cpu_seconds, f.worker_peak() / MB
        print(
            f"{size:>10,} {f.wall:>8.1f} {f.cpu_seconds:>8.1f} {rate:>10.0f} {memory:>10.0f} {f.peak[f.here] / MB:>13.0f}  {stages_of(f)}",
            flush=True,
        )
    for small, large in pairwise(sizes):
        a, b, factor = found[small], found[large], large / small
        stages = ", ".join(
            f"{stage} {exponent(a.seconds[stage], b.seconds[stage], factor):.2f}"
            for stage in b.seconds
            if a.seconds.get(stage)
        )
        print(
            f"{small:,} to {large:,}: CPU grows with exponent {exponent(a.cpu_seconds, b.cpu_seconds, factor):.2f}, wall "
            f"{exponent(a.wall, b.wall, factor):.2f}; a worker's peak memory {b.worker_peak() / a.worker_peak():.2f} times "
            f"(exponent {exponent(a.worker_peak(), b.worker_peak(), factor):.2f}); wall by stage: {stages}",
            flush=True,
        )


def write_links(folder: Path, num_items: int, target: Callable[[int], int]) -> None:
    """Writes a dump of items (Wikidata) and articles (Wikipedia). The n-th item and the n-th
    article link to the item `target(n)`.
    """
    if (folder / "done").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "articles.xml.bz2", "wb") as xml:
        xml.write(header())
        for start in range(0, num_items // 10, 1000):
            pages = (
                Page(
                    title(n),
                    f"'''{title(n)}''' is a thing of [[{title(target(n))}]]. It was found near [[{title(n + 1)}]] in {1800 + n % 200}.",
                )
                for n in range(start, min(start + 1000, num_items // 10))
            )
            xml.write(
                bz2.compress(
                    "".join(
                        page_xml(page, 1000 + start + i) for i, page in enumerate(pages)
                    ).encode()
                )
            )
        xml.write(footer())
    with bz2.open(folder / "entities.json.bz2", "wb", compresslevel=1) as file:
        file.write(b"[\n" + item(0, target, num_items))
        for n in range(1, num_items):
            file.write(b",\n" + item(n, target, num_items))
        file.write(b"\n]\n")
    (folder / "done").touch()


def title(number: int) -> str:
    """The common title of an item and its article."""
    return f"Thing {number}"


def item(number: int, target: Callable[[int], int], num_items: int) -> bytes:
    """Makes a line of the entity dump. The line describes an item that is part of its target item
    and of a neighbouring item.
    """
    claims = {
        "P361": [_statement(number, "P361", target(number))],
        "P155": [_statement(number, "P155", (number + 1) % num_items)],
    }
    links = (
        {"enwiki": {"site": "enwiki", "title": title(number), "badges": []}}
        if number < num_items // 10
        else {}
    )
    return json.dumps(
        {
            "type": "item",
            "id": f"Q{number + 1}",
            "labels": {"en": {"language": "en", "value": title(number)}},
            "descriptions": {},
            "aliases": {},
            "claims": claims,
            "sitelinks": links,
            "lastrevid": 2_000_000 + number,
            "ns": 0,
            "title": f"Q{number + 1}",
        }
    ).encode()


def _statement(number: int, prop: str, target: int) -> dict:
    value = {
        "type": "wikibase-entityid",
        "value": {"entity-type": "item", "numeric-id": target + 1, "id": f"Q{target + 1}"},
    }
    return {
        "mainsnak": {
            "snaktype": "value",
            "property": prop,
            "datatype": "wikibase-item",
            "datavalue": value,
        },
        "type": "statement",
        "id": f"Q{number + 1}$00000000-0000-0000-0000-{number:012d}",
        "rank": "normal",
    }


def print_hub(out: Path, num_items: int, workers: int) -> None:
    """Compares ingest with and without the hub, and times queries for the hub."""
    for name, target in ((f"{SPREAD:,} targets", lambda n: n % SPREAD), ("one hub", lambda n: 0)):
        folder = out / f"links-{num_items}-{name.replace(' ', '-').replace(',', '')}"
        write_links(folder, num_items, target)
        f = measure(folder, workers)
        print(
            f"{num_items:,} items, {name:<13}: wall {f.wall:.1f} s, CPU {f.cpu_seconds:.1f} s, worker {f.worker_peak() / MB:.0f} MB  ({stages_of(f)})",
            flush=True,
        )
        print_questions(Store.open(str(folder.with_name(f"store-{folder.name}"))))


def print_questions(store: Store) -> None:
    """Times queries for the first item, which may be a hub."""
    key = entity_value("Q1").key()
    for what, ask in (
        ("claims into it, the first 200", lambda: len(store.claims_into("Q1", limit=200))),
        ("how many subjects", lambda: store.num_subjects("P361", key)),
        ("5,000 of its subjects", lambda: len(store.subjects("P361", key, limit=5_000))),
        ("all of its subjects", lambda: len(store.subjects("P361", key, limit=10**9))),
    ):
        began = time.perf_counter()
        number = ask()
        cold, began = time.perf_counter() - began, time.perf_counter()
        ask()
        print(
            f"    {what}: {number:,} in {cold * 1e3:.1f} ms cold, {(time.perf_counter() - began) * 1e3:.1f} ms warm",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("runs/bench-growth"))
    parser.add_argument("--articles", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument(
        "--million", action="store_true", help="1,000,000 articles as well: hours, 20 GB"
    )
    parser.add_argument(
        "--hub", type=int, default=1_000_000, help="items that point at one hub; 0 for none"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--ingest", nargs=2, type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.ingest:
        world, store = asked.ingest
        ingest(world, store, asked.workers)
        return
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(
        f"{datetime.date.today()}, {machine}, {asked.workers} workers, load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    out = asked.out.absolute()
    sizes = sorted({*asked.articles, *([1_000_000] if asked.million else [])})
    if sizes:
        print_sizes(out, sizes, asked.workers)
    if asked.hub:
        print_hub(out, asked.hub, asked.workers)


if __name__ == "__main__":
    main()
