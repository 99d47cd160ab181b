"""Compares the speed of reading a dump with the speed of only decompressing the dump, on the same
core.

    python -m benchmarks.read_xml [--dump FILE] [--copies 8] [--runs 3]

The goal is to read at 60 % or more of the speed of decompression. Each run does three things in
turn, in one process: bz2 decompression alone, reading link targets, and reading whole articles.
`read_links` reads the targets of all body links, which the link graph needs. `read_article` reads
text, sentences, infobox, pictures and links. The times of `read_links` and `read_article` include
decompression.

The ratio compares CPU times, so other work on the machine does not count. The script reads the
dump's site information and byte ranges before it starts the clock, because a job reads them only
once per dump. The larger input repeats the dump's pages in one bz2 stream, which the reader
decompresses block by block.
"""

import argparse
import bz2
import os
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from questloom.knowledge.readers.byte_ranges import ByteRange, plan_ranges
from questloom.knowledge.readers.mediawiki_xml import RawPage, read_pages, read_site
from questloom.knowledge.readers.titles import Site
from questloom.knowledge.readers.wikitext import read_article, read_links

GOAL = 0.6
CHUNK = 1 << 18
SHARED = Path(os.environ.get("QUESTLOOM_SHARED") or Path(__file__).parents[1].parent / "shared")
DUMP = SHARED / "data" / "dumps" / "enwiki-20160501-pages-articles-shortened.xml.bz2"


def decompress(path: str) -> tuple[int, int]:
    """Decompresses the dump and does nothing else. Every reader needs at least the time of the
    decompression. Returns two numbers, like the other readers: the decompressed bytes, and 0.
    """
    size, stream = 0, bz2.BZ2Decompressor()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            while chunk:
                size += len(stream.decompress(chunk))
                chunk = stream.unused_data
                if stream.eof:
                    stream = bz2.BZ2Decompressor()
    return size, 0


def read_with(parts: list[ByteRange], site: Site, work: Callable) -> tuple[int, int]:
    """Returns the number of extracted links or articles, and the number of pages."""
    made = pages = 0
    for part in parts:
        for item in read_pages(part, site):
            if isinstance(item, RawPage):
                pages += 1
                made += bool(work(item, site))
    return made, pages


def repeated(dump: Path, copies: int, out: Path) -> Path:
    """Writes a dump that repeats the pages of another dump several times in one bz2 stream."""
    data = bz2.decompress(dump.read_bytes())
    begin, end = data.index(b"<page>"), data.rindex(b"</mediawiki>")
    out.write_bytes(bz2.compress(data[:begin] + data[begin:end] * copies + data[end:]))
    return out


def measure(path: str, name: str, runs: int) -> bool:
    """Prints the table for one file. Returns whether reading links reaches the goal."""
    size, _ = decompress(path)
    parts, site = plan_ranges(path, range_bytes=4 << 20), read_site(path)
    tasks: dict[str, Callable[[], tuple[int, int]]] = {
        "bz2 decompression alone": lambda: decompress(path),
        "XML and body links": lambda: read_with(parts, site, read_links),
        "XML and whole articles": lambda: read_with(parts, site, read_article),
    }
    seconds: dict[str, list[float]] = {task: [] for task in tasks}
    pages = 0
    for _ in range(runs):
        for task, run in tasks.items():
            begun = time.process_time()
            pages = run()[1] or pages
            seconds[task].append(time.process_time() - begun)
    bare = seconds["bz2 decompression alone"]
    print(f"\n{name}: {size / 1e6:.1f} MB of XML, {pages} articles, {runs} runs")
    print(f"{'':26}{'MB/s':>8}{'articles/s':>12}{'of decompression':>18}{'spread':>16}")
    ratios = {}
    for task, times in seconds.items():
        each = [b / t for b, t in zip(bare, times, strict=True)]
        ratios[task] = statistics.median(each)
        middle = statistics.median(times)
        print(
            f"{task:26}{size / middle / 1e6:8.1f}{pages / middle:12.0f}{ratios[task]:17.0%} {min(each):8.0%} to {max(each):.0%}"
        )
    return ratios["XML and body links"] >= GOAL


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dump", type=Path, default=DUMP)
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(
        f"{date.today()}, {platform.processor() or platform.machine()}, Python {platform.python_version()}, one core"
    )
    with tempfile.TemporaryDirectory() as folder:
        reached = [measure(str(options.dump), options.dump.name, options.runs)]
        if options.copies > 1:
            large = repeated(options.dump, options.copies, Path(folder) / "repeated.xml.bz2")
            reached.append(measure(str(large), f"the same {options.copies} times", options.runs))
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    print(f"goal, {GOAL:.0%} for XML and body links: {'reached' if all(reached) else 'MISSED'}")
    raise SystemExit(0 if all(reached) else 1)


if __name__ == "__main__":
    main()
