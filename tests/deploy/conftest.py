"""A Flink cluster on this machine and what runs in process give, made once. Everything of it is marked `flink`."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.flink.cluster import ROOT, Cluster, free_port
from deploy.flink.downloads import Parts, fetch
from tests.deploy.runs import ARTICLES, SEED, digests, ended, ingest, questloom, synth


@pytest.fixture(scope="session")
def parts() -> Parts:
    return fetch(ROOT / "build" / "flink-parts", print)


@pytest.fixture(scope="session")
def cluster(parts, tmp_path_factory):
    """Two task managers with a slot and a worker pool each."""
    made = Cluster(
        folder=tmp_path_factory.mktemp("cluster"),
        parts=parts,
        rest_port=free_port(),
        rpc_port=free_port(),
        pool_port=free_port(),
    )
    made.start()
    yield made
    made.stop()


@pytest.fixture
def on_cluster(cluster):
    """The options of a job on the cluster, which is whole again: what a test killed is started anew."""
    for name, process in list(cluster.processes.items()):
        if not process.alive:
            cluster.start_again(name)
    cluster.wait()
    end = time.monotonic() + 240  # a task that waits for a worker is slow to cancel
    while (cluster.overview() or {}).get(
        "slots-available", 0
    ) < cluster.task_managers and time.monotonic() < end:
        time.sleep(0.5)
    return [*cluster.options, "--probe-seconds", "0"]


@pytest.fixture(scope="session")
def world(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("flink") / "world"
    assert (
        ended(
            questloom(
                "world",
                "--out",
                str(out),
                "--articles",
                str(ARTICLES),
                "--seed",
                str(SEED),
                log=out.parent / "logs" / "world.log",
            ),
            out,
        )
        == 0
    )
    return out


@pytest.fixture(scope="session")
def store(world) -> Path:
    """The store as one process makes it."""
    out = world.parent / "store"
    assert ended(ingest(world, out, "--workers", "1"), out) == 0
    return out


@pytest.fixture(scope="session")
def begun(store) -> Iterator[subprocess.Popen]:
    """A run in one process, which goes on while the cluster works."""
    job = synth(store, store.parent / "whole", "--workers", "1")
    yield job
    job.kill()


@pytest.fixture(scope="session")
def whole(begun, store) -> dict[str, str]:
    """Digests of that run, never interrupted."""
    out = store.parent / "whole"
    assert ended(begun, out) == 0
    return digests(out)
