"""Paths through the graph: by look-ups in the store (on a disk, on an S3 server) against expanding a frontier by joins.

    python -m benchmarks.sampling STORE [--walks 1000] [--hops 3] [--s3-walks 200] [--join-walks 1000 20000]

Look-ups: `questloom.transforms.drafting.walk`, as the drafting stage calls it, in one process; cold is a store that was just opened, warm the same walks
again. Reads are reads of a page of a Lance table, which is what a store in a bucket pays its latency for; the S3 server is moto's on
loopback, and one that answers a GET after 20 ms is reckoned from the reads.

Joins: the edges of every entity are made once, in one scan; then each hop is a Beam CoGroupByKey of the walks with all edges, keyed by
node, in process. A first hundred are made with the very draws of the look-ups, and must be the same walks. Prints CPU
seconds and from how many walks on joins would cost less, by these figures, on a store of any size (both grow with it alike).
"""

import argparse
import datetime
import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.options.pipeline_options import PipelineOptions
from questloom.transforms.drafting.walk import pick, walk

from questloom.knowledge.store import Store
from questloom.knowledge.store.sorted_table import SortedTable
from questloom.pipeline.runners.local_runner import local_runner
from questloom.records.identity import chance
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.edges import Edge, edges
from questloom.transforms.facts.lookups import Lookups
from tests.small_buckets import BUCKET, connect, s3_server

SEED, RULES = 7, DraftRules(max_hub=400)
COMPARED = 100
S3_SECONDS = 0.02
"""Of one GET of an object store in the same region; assumed."""


@contextmanager
def counting_reads() -> Iterator[list[int]]:
    """Counts the reads of pages while the block runs."""
    number, take = [0], SortedTable._take

    def counted(table, column, rows):
        number[0] += 1
        return take(table, column, rows)

    SortedTable._take = counted  # type: ignore[method-assign]
    try:
        yield number
    finally:
        SortedTable._take = take  # type: ignore[method-assign]


def starts_of(store: Store, num: int) -> list[str]:
    """Entities that walks start from: those with an article and a class, drawn anew where there are too few."""
    found = [e.id for e in store.scan_entities() if e.classes and e.in_degree]
    return Random(SEED).choices(found, k=num)


def by_lookups(store: Store, starts: list[str], hops: int) -> list[tuple[str, ...]]:
    """The nodes of each walk; () where it got stuck."""
    made = []
    lookups = Lookups(store)
    for number, start in enumerate(starts):
        entity = store.entity(start)
        assert entity is not None
        found = walk(lookups, entity, hops, RULES, chance(SEED, str(number), "walk"))
        made.append(tuple(n.id for n in found[1]) if found else ())
    return made


def print_lookups(
    name: str, path: str, starts: list[str], hops: int
) -> tuple[float, list[tuple[str, ...]]]:
    """Two goes, cold and warm; gives the CPU seconds a walk of the first, and the walks."""
    store, made, first = Store.open(path), [], 0.0
    for state in ("cold", "warm"):
        with counting_reads() as reads:
            wall, cpu = time.perf_counter(), time.process_time()
            made = by_lookups(store, starts, hops)
            wall, cpu = (
                (time.perf_counter() - wall) / len(starts),
                (time.process_time() - cpu) / len(starts),
            )
        first = first or cpu
        reckoned = wall + reads[0] / len(starts) * S3_SECONDS
        far = (
            f"; at {S3_SECONDS * 1e3:.0f} ms a read {reckoned:.2f} s a walk"
            if state == "cold" and "://" not in path
            else ""
        )
        print(
            f"look-ups, {name}, {state}: {1 / wall:,.0f} walks/s, {cpu * 1e3:.2f} ms of CPU and {reads[0] / len(starts):.1f} reads a walk{far}",
            flush=True,
        )
    print(f"    {sum(map(bool, made))} of {len(made)} walks reach {hops} hops", flush=True)
    return first, made


def write_edges(store: Store, path: Path) -> tuple[int, float]:
    """The edges of every entity, in one scan; gives their number and the CPU seconds."""
    cpu, rows, lookups = time.process_time(), [], Lookups(store)
    for entity in store.scan_entities():
        for edge in edges(lookups, entity, frozenset(), RULES.max_hub):
            target = store.entity(edge.target)
            assert target is not None
            rows.append(
                (
                    entity.id,
                    edge.property,
                    edge.target,
                    edge.reverse,
                    edge.weight,
                    list(target.classes),
                )
            )
    names = ("source", "property", "target", "reverse", "weight", "classes")
    pq.write_table(
        pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))), path
    )
    return len(rows), time.process_time() - cpu


class ReadEdges(beam.DoFn):
    """(path, first row, stop) in, (source, (edge, classes of its target)) out."""

    def process(self, rows: tuple[str, int, int]) -> Iterator[tuple[str, tuple]]:
        path, start, stop = rows
        for row in pq.read_table(path).slice(start, stop - start).to_pylist():
            yield (
                row["source"],
                (row["property"], row["target"], row["reverse"], row["weight"], row["classes"]),
            )


def one_step(group: tuple[str, dict]) -> Iterator[tuple[str, tuple]]:
    """A node's walks each go one step further, or end."""
    _, found = group
    choices = sorted(found["edges"], key=lambda e: (e[0], e[1], e[2]))
    for number, nodes, avoid, before, draw in found["walks"]:
        left = [
            (Edge(property=p, target=t, reverse=r, weight=w), classes)
            for p, t, r, w, classes in choices
            if t not in avoid
        ]
        left = [(edge, classes) for edge, classes in left if not (before and edge.repeats(before))]
        edge = pick(
            [edge for edge, _ in left],
            RULES.reverse_share,
            draw or chance(SEED, str(number), f"hop{len(nodes)}"),
        )
        if edge is not None:
            classes = next(c for e, c in left if e.target == edge.target)
            yield (
                edge.target,
                (
                    number,
                    (*nodes, edge.target),
                    avoid | {edge.target, *classes},
                    edge.property,
                    draw,
                ),
            )


def by_joins(
    path: Path, num_edges: int, store: Store, starts: list[str], hops: int, *, same_draws: bool
) -> tuple[list[tuple[str, ...]], float]:
    """The nodes of each walk, and the CPU seconds of the joins.

    With `same_draws` each walk carries the state of its generator (2.5 kB), as the look-ups use it; else each hop has a generator of its own.
    """
    walks = []
    for number, start in enumerate(starts):
        entity = store.entity(start)
        assert entity is not None
        walks.append(
            (
                start,
                (
                    number,
                    (start,),
                    frozenset({start, *entity.classes}),
                    "",
                    chance(SEED, str(number), "walk") if same_draws else None,
                ),
            )
        )
    out = path.with_suffix(".walks.json")
    cpu = time.process_time()
    with beam.Pipeline(
        runner=local_runner(1), options=PipelineOptions([], save_main_session=False)
    ) as pipeline:
        frontier = pipeline | "starts" >> beam.Create(walks, reshuffle=False)
        ranges = [
            (str(path), at, min(at + 100_000, num_edges)) for at in range(0, num_edges, 100_000)
        ]
        for hop in range(hops):
            all_edges = (
                pipeline
                | f"ranges {hop}" >> beam.Create(ranges, reshuffle=False)
                | f"edges {hop}" >> beam.ParDo(ReadEdges())
            )
            frontier = (
                {"walks": frontier, "edges": all_edges}
                | f"join {hop}" >> beam.CoGroupByKey()
                | f"step {hop}" >> beam.FlatMap(one_step)
            )
        _ = (
            frontier
            | "nodes" >> beam.Map(lambda entry: (entry[1][0], entry[1][1]))
            | "all" >> beam.combiners.ToList()
            | "write"
            >> beam.Map(lambda found, to: Path(to).write_text(json.dumps(found)), str(out))
        )
    cpu, found = time.process_time() - cpu, dict(json.loads(out.read_text()))
    return [tuple(found.get(number, ())) for number in range(len(starts))], cpu


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store")
    parser.add_argument("--walks", type=int, default=1_000)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--s3-walks", type=int, default=200, help="0: no S3 server is started")
    parser.add_argument("--join-walks", type=int, nargs="*", default=[1_000, 20_000])
    parser.add_argument(
        "--edges", type=Path, default=Path("edges.parquet"), help="where the edges are written"
    )
    asked = parser.parse_args()
    store = Store.open(asked.store)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    num_entities = store.num_rows("entities")
    print(
        f"{datetime.date.today()}, {machine}; {num_entities:,} entities, {store.num_rows('claims'):,} claims, {asked.hops} hops",
        flush=True,
    )
    starts = starts_of(store, max(asked.walks, asked.s3_walks, *asked.join_walks, 0))
    each, made = print_lookups("local disk", asked.store, starts[: asked.walks], asked.hops)
    if asked.s3_walks:
        with s3_server() as names:
            os.environ.update(names, AWS_ALLOW_HTTP="true")
            connect(names)
            import s3fs

            s3fs.S3FileSystem(endpoint_url=names["AWS_ENDPOINT_URL"]).put(
                asked.store.rstrip("/"), f"{BUCKET}/store", recursive=True
            )
            _, far = print_lookups(
                "S3 server on loopback",
                f"s3://{BUCKET}/store",
                starts[: asked.s3_walks],
                asked.hops,
            )
        assert far == made[: len(far)], "the walks over S3 are others"
    if not asked.join_walks:
        return
    num_edges, build = write_edges(Store.open(asked.store), asked.edges)
    print(
        f"edges of all entities: {num_edges:,} ({num_edges / num_entities:.1f} an entity), {build:.1f} s of CPU ({build / num_entities * 1e3:.2f} ms an "
        f"entity), {asked.edges.stat().st_size / 1e6:.1f} MB",
        flush=True,
    )
    compared, _ = by_joins(
        asked.edges, num_edges, store, starts[:COMPARED], asked.hops, same_draws=True
    )
    assert compared == made[:COMPARED], "the joins walk otherwise"
    costs = []
    for num in asked.join_walks:
        _, cpu = by_joins(asked.edges, num_edges, store, starts[:num], asked.hops, same_draws=False)
        costs.append((num, cpu))
        an_edge = cpu / asked.hops / num_edges
        print(
            f"joins, {num:,} walks: {cpu:.1f} s of CPU, {an_edge * 1e6:.1f} µs an edge and hop, {cpu / num * 1e3:.2f} ms a walk",
            flush=True,
        )
    (few, base), (many, top) = costs[0], costs[-1]
    a_walk = (top - base) / (many - few) if many > few else 0.0
    fixed = build + base - few * a_walk
    print(
        f"a further walk: {each * 1e3:.2f} ms by look-ups (cold), {a_walk * 1e3:.2f} ms by joins, which cost {fixed / num_entities * 1e3:.2f} ms "
        "an entity of the store first"
    )
    if each > a_walk:
        print(
            f"joins cost less from {fixed / (each - a_walk) / num_entities:.2f} walks an entity of the store on"
        )
    else:
        print("joins never cost less")


if __name__ == "__main__":
    main()
