"""Measures the peak memory of `read`, the first stage of ingest, for several formats and numbers of
rows.

    python -m benchmarks.data_sets [--rows 10000 100000] [--out FOLDER]

Each data set of articles is read in a separate process. The articles have the schema of
structured-wikipedia, with 12 paragraphs each.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from questloom.knowledge.readers.structured_wikipedia import read_row_site
from questloom.transforms.ingest.ingest_job import Job
from questloom.transforms.ingest.read_stage import run
from questloom.transforms.ingest.sources import RANGE_TEXT, ReadOptions, plan_articles

PARAGRAPHS, LINKS = 12, 3
ROW_GROUP, PARTITIONS = 1_000, 64


def rows(number: int) -> Iterator[dict[str, Any]]:
    """Makes articles that link to each other."""
    for n in range(number):
        links = [f"Thing {(n * 31 + k) % number}" for k in range(LINKS)]
        said = f"The thing {n} stands beside {', '.join(links)}, and many have written of it. " * 4
        shown = [
            {"url": f"https://en.wikipedia.org/wiki/{t.replace(' ', '_')}", "text": t}
            for t in links
        ]
        part = {"type": "paragraph", "value": said.strip(), "links": shown}
        yield {
            "name": f"Thing {n}",
            "identifier": n + 1,
            "url": f"https://en.wikipedia.org/wiki/Thing_{n}",
            "version": {"identifier": 1000 + n},
            "main_entity": {"identifier": f"Q{n + 1}"},
            "image": {
                "content_url": f"https://upload.wikimedia.org/wikipedia/commons/a/a8/{n}.jpg"
            },
            "infoboxes": [{"type": "infobox", "name": "Infobox thing", "has_parts": []}],
            "sections": [{"type": "section", "name": "Abstract", "has_parts": [part] * PARAGRAPHS}],
        }


def write_articles(path: Path, number: int) -> None:
    """Writes a data set as one JSON lines file or as Parquet; the file name decides."""
    if path.suffix == ".jsonl":
        with path.open("w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows(number))
        return
    writer, batch = None, list[dict[str, Any]]()
    for n, row in enumerate(rows(number), 1):
        packed = {k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()}
        batch.append(packed)
        if len(batch) == ROW_GROUP or n == number:
            table = pa.Table.from_pylist(batch)
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
            batch = []
    if writer is not None:
        writer.close()


def read(path: str, out: Path) -> int:
    """Runs the stage `read` over a data set. Returns the number of articles that the stage kept."""
    options = ReadOptions(
        site=read_row_site(path),
        snapshot="2026-01-31",
        languages=(),
        keep_partial=False,
    )
    tasks = tuple(plan_articles(path, RANGE_TEXT))
    job = Job(store=str(out), num_partitions=PARTITIONS, options=options, tasks=tasks)
    return sum(run(job, task).num_kept for task in range(len(tasks)))


def peak_of(path: Path, out: Path) -> tuple[int, float]:
    """Reads a data set in a new process; returns the articles read and the peak memory in MB."""
    command = [sys.executable, "-m", "benchmarks.data_sets", "--read", str(path), "--out", str(out)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    kept, peak = done.stdout.split()
    return int(kept), float(peak)


def main() -> None:
    """Prints the table. With --read, the process reads one data set and prints only its own
    figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", type=int, default=[10_000, 100_000])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.read:
        kept = read(str(args.read), args.out)
        print(kept, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    with tempfile.TemporaryDirectory(dir=args.out) as folder:
        for ending in ("parquet", "jsonl"):
            for number in args.rows:
                path = Path(folder) / f"{number}.{ending}"
                write_articles(path, number)
                kept, peak = peak_of(path, Path(folder) / f"{number}-{ending}")
                size = path.stat().st_size / 1e6
                print(
                    f"{ending:<8}{kept:>9,} rows  {size:7.0f} MB  peak {peak:5.0f} MB", flush=True
                )
                path.unlink()


if __name__ == "__main__":
    main()
