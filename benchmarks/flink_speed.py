"""Compares the speed of two Flink workers with that of two local processes. The jobs are ingest
(reading dumps), synth (making questions) and calls to a model.

    python -m benchmarks.flink_speed --out DIR [--articles 20000] [--seeds 2000] [--pictured 4000] [--parts ingest synth calls]

The script starts a Flink cluster (`deploy.flink.cluster`) and stops it at the end. The cluster has
two task managers, each with one slot and one worker pool. Flink and the local processes run in turn
on the same inputs. The script checks that Flink and the local processes give equal outputs. The
start-up time is the wall time of the same job on a tiny input (50 articles, or one seed of a
question). The start-up time is measured for Flink and for the local processes. In the output, `net`
is the wall time minus the start-up time. Ingest reads a fictional world without pictures. Synth
runs on a second world, which has pictures. Synth stops after the stage that splits the questions,
so it writes no data set and no report. The worlds and stores stay in DIR, so that later runs can
use them.

The call job imitates a stage of synth that calls a model. Each record needs one call, and each
worker has up to 64 calls in flight. The endpoint on loopback has log-normal latency (mean 0.30 s).
The rate is measured over the middle 80 % of the replies: the first and the last tenth are left out.
The ideal rate is 2 × 64 calls ÷ mean latency.
"""

import argparse
import datetime
import json
import logging
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import apache_beam as beam

from benchmarks.mock_endpoint import running
from deploy.flink.cluster import ROOT, Cluster, free_port
from deploy.flink.downloads import fetch
from questloom.agent.setup import opened_client
from questloom.files.opened import Opened
from questloom.files.parquet import write_records
from questloom.knowledge.world.write import write_world
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import user
from questloom.models.model_settings import ModelSettings
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.pipeline.runners.runner_options import LOCAL, RunnerOptions
from questloom.pipeline.runners.submit import run_pipeline
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.outcomes import Rejection
from questloom.records.table import Json
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Apply, Stage, in_order
from questloom.transforms.stages.stage_transform import run_in_order

WORKERS, WINDOW, MEAN = 2, 64, 0.3
CALL_SHARDS, SEED, GOAL = 32, 1, 1.3
SYNTH = ("seeds.per_entity=4", "run.shards=32")
NOTHING = 50
"""The number of articles in the tiny world. Ingesting this world takes hardly more than the
start-up time."""


def runner_of(options: list[str]) -> RunnerOptions:
    """The settings of Beam's runner. If `options` is empty, a job runs in local processes.
    Otherwise `options` names the Flink master, the job server and the worker pool on which the job
    runs.
    """
    if not options:
        return LOCAL
    master, jar, environment = options
    return RunnerOptions(
        kind=RunnerKind.FLINK,
        flink_master=master,
        job_server_jar=jar,
        environment=environment,
        probe_seconds=0,
    )


def ingest(world: str, store: str, runner: RunnerOptions) -> str:
    """Ingests a world and returns the store's digest."""
    made = run_ingest(
        IngestOptions(
            store=store,
            articles=(f"{world}/articles.xml.bz2",),
            entities=(f"{world}/entities.json.bz2",),
            snapshot="2026-01-01",
            workers=WORKERS,
            runner=runner,
        )
    )
    return made.meta["digest"]


def synth(store: str, run: str, num_seeds: int, runner: RunnerOptions) -> str:
    """Makes questions by the demo's recipe, up to the stage that splits them. Returns a digest of
    the files that the stages wrote."""
    recipe = load_recipe("demo", (*SYNTH, f"seeds.count={num_seeds}"))
    with Opened() as opened:
        run_synth(recipe, store=store, out=run, opened=opened, workers=WORKERS, runner=runner)
    return subprocess.run(
        "find stages pictures -type f | sort | xargs sha256sum | sha256sum",
        shell=True,
        cwd=run,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()[0]


def make_caller(settings: tuple[str, str, Opened]) -> Apply:
    """Makes the function that the call job runs. The function makes one call for each record and
    notes when the reply came.
    """
    url, cache, opened = settings
    models = ModelSettings(
        endpoints=(EndpointConfig(name="mock", base_url=url, max_in_flight=WINDOW),),
        roles={"role": RoleConfig(endpoint="mock", model="mock", max_tokens=300)},
    )
    client = opened_client(models, Path(cache), opened)

    async def ask(item: Rejection) -> Rejection:
        await client.chat(
            "role",
            [
                user(
                    f"Question {item.item_id}. "
                    + "The lighthouse was built in 1871 on the northern cape. " * 20
                )
            ],
            item_id=item.item_id,
        )
        return item.replace(evidence=Json({"at": time.time()}))

    return ask


def calls(folder: str, url: str, num_calls: int, runner: RunnerOptions) -> str:
    """Runs the call job and returns the number of replies per second."""
    run = RunFolder(folder)
    stages = in_order(
        Stage(name="items", takes=Rejection, gives=Rejection),
        Stage(name="call", takes=Rejection, gives=Rejection, make=make_caller, in_flight=WINDOW),
    )
    items, call = (stage.label for stage in stages)
    for shard in range(CALL_SHARDS):
        given = [
            Rejection(item_id=f"{i:06d}", seed_id="", stage="", reason="error")
            for i in range(shard, num_calls, CALL_SHARDS)
        ]
        write_records(run.shard(items, "kept", shard), Rejection, given)
    with Opened() as opened:

        def build(pipeline: beam.Pipeline) -> None:
            shards = (
                pipeline
                | "shards" >> beam.Create(range(CALL_SHARDS), reshuffle=False)
                | "spread" >> beam.Reshuffle()
            )
            run_in_order(
                shards,
                stages,
                run=run,
                settings=(url, str(run.at("calls.sqlite")), opened),
                opened=opened,
            )

        run_pipeline(build, runner, workers=WORKERS, title="calls", moved=time.monotonic)
    at = sorted(r.evidence["at"] for r in run.read(call, "rejected", Rejection))  # type: ignore[index]
    assert len(at) == num_calls, f"{len(at)} of {num_calls} calls were replied to"
    first, last = len(at) // 10, len(at) * 9 // 10
    return str((last - first) / (at[last] - at[first]))


def job(kind: str, *arguments: object, cluster: Cluster | None) -> tuple[float, str]:
    """Runs one job in a new process. Returns the job's wall time in seconds, without imports, and
    the job's result."""
    options = [cluster.rest, str(cluster.parts.jar), cluster.environment] if cluster else []
    command = [
        sys.executable,
        "-m",
        "benchmarks.flink_speed",
        "--job",
        kind,
        *map(str, arguments),
        "--on",
        *options,
    ]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    seconds, result = json.loads(done.stdout.splitlines()[-1])
    return seconds, result


def side_by_side(kind: str, small: tuple, large: tuple, out: Path, cluster: Cluster) -> None:
    """Runs a job on the small and on the large input, with Flink and with local processes, and
    prints a line for each run.
    """
    net, digests = {}, []
    for side, where in (("in process", None), ("flink", cluster)):
        seconds = []
        for name, (first, *further) in (("small", small), ("large", large)):
            folder = out / f"{kind}-{name}-{side.replace(' ', '-')}"
            shutil.rmtree(folder, ignore_errors=True)
            wall, digest = job(kind, first, folder, *further, cluster=where)
            seconds.append(wall)
            if name == "large":
                digests.append(digest)
        net[side] = seconds[1] - seconds[0]
        load = os.getloadavg()[0]
        print(
            f"{kind:<7} {side:<11} {seconds[1]:7.1f} s, start-up {seconds[0]:5.1f} s, net {net[side]:7.1f} s  (load {load:.1f})",
            flush=True,
        )
    same = "the same bytes" if digests[0] == digests[1] else "NOT THE SAME BYTES"
    print(
        f"{kind:<7} flink ÷ in process, net: {net['flink'] / net['in process']:.2f} (goal at most {GOAL}); {same}",
        flush=True,
    )


def world_of(out: Path, articles: int, *, pictures: bool) -> Path:
    """Returns a fictional world in DIR, and writes it if it is missing."""
    world = out / f"world-{articles}{'-pictures' if pictures else ''}"
    if not (world / "world.json").exists():
        write_world(world, articles=articles, seed=SEED, pictures=pictures)
    return world


def call_stage(num_calls: int, repeats: int, out: Path, cluster: Cluster) -> None:
    """Measures the calls to a model with Flink and with local processes."""
    for side, where in (("in process", None), ("flink", cluster)):
        ratios = []
        for repeat in range(repeats):
            folder = out / "calls"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            with running(mean=MEAN, seed=repeat) as url:
                _, rate = job("calls", folder, url, num_calls, cluster=where)
                with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
                    stats = json.load(reply)
            assert max(stats["by_key"].values()) == 1, "a call was sent twice"
            ratios.append(float(rate) * stats["mean_latency"] / (WORKERS * WINDOW))
        print(
            f"calls   {side:<11} rate ÷ ideal {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}) of {num_calls:,} calls  "
            f"(load {os.getloadavg()[0]:.1f})",
            flush=True,
        )


def picture_store(out: Path, articles: int) -> Path:
    """Makes a store in DIR that has pictures and their vectors."""
    world, store = world_of(out, articles, pictures=True), out / f"store-{articles}-pictures"
    if not (store / "meta.json").exists():
        run_ingest(
            IngestOptions(
                store=str(store),
                articles=(f"{world}/articles.xml.bz2",),
                entities=(f"{world}/entities.json.bz2",),
                images=(f"{world}/images",),
                snapshot="2026-01-01",
                workers=WORKERS,
            )
        )
        job("synth", store, out / "warm-up", 1, cluster=None)  # embeds the pictures beforehand
    return store


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("runs/bench-flink"))
    parser.add_argument(
        "--articles", type=int, default=20_000, help="of the world that is ingested"
    )
    parser.add_argument(
        "--pictured",
        type=int,
        default=4_000,
        help="articles of the world, with pictures, on which synth runs",
    )
    parser.add_argument("--seeds", type=int, default=2_000)
    parser.add_argument("--calls", type=int, default=12_000)
    parser.add_argument("--repeats", type=int, default=3, help="of the call stage")
    parser.add_argument("--parts", nargs="+", default=["ingest", "synth", "calls"])
    parser.add_argument("--job", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--on", nargs="*", default=[], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.job:
        logging.basicConfig(level=logging.ERROR)
        kind, *arguments = asked.job
        given = [int(a) if a.isdigit() else a for a in arguments]
        began = time.monotonic()
        jobs: dict[str, Callable[..., str]] = {"ingest": ingest, "synth": synth, "calls": calls}
        result = jobs[kind](*given, runner_of(asked.on))
        print(json.dumps([time.monotonic() - began, result]))
        return
    out = asked.out.absolute()
    load = os.getloadavg()[0]
    print(
        f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {load:.1f}",
        flush=True,
    )
    cluster = Cluster(
        folder=out / "cluster",
        parts=fetch(ROOT / "build" / "flink-parts", print),
        rest_port=free_port(),
        rpc_port=free_port(),
        pool_port=free_port(),
        task_managers=WORKERS,
        pools=WORKERS,
    )
    began = time.monotonic()
    cluster.start()
    print(f"cluster started in {time.monotonic() - began:.0f} s", flush=True)
    try:
        if "ingest" in asked.parts:
            small, large = (world_of(out, n, pictures=False) for n in (NOTHING, asked.articles))
            side_by_side("ingest", (small,), (large,), out, cluster)
        if "synth" in asked.parts:
            store = picture_store(out, asked.pictured)
            side_by_side("synth", (store, 1), (store, asked.seeds), out, cluster)
        if "calls" in asked.parts:
            call_stage(asked.calls, asked.repeats, out, cluster)
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
