"""What a real cluster can lack is said within a minute, with what to do: nothing hangs."""

import os
import socket
import subprocess
import sys
import time
from contextlib import closing

import pytest

from deploy.flink.cluster import ROOT, free_port
from questloom.pipeline.runners import runner_checks
from questloom.pipeline.runners.findings import Line, Status
from questloom.pipeline.runners.probe import Worker
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.pipeline.runners.runner_options import RunnerOptions
from questloom.pipeline.runners.submit import Stalled, run_on_flink
from tests.deploy.runs import until

pytestmark = pytest.mark.flink
PATIENT = 240.0
"""For a tiny job that shall end well on a machine that does other things too."""


def options(cluster, **changes) -> RunnerOptions:
    given = {
        "flink_master": cluster.rest,
        "job_server_jar": str(cluster.parts.jar),
        "environment": cluster.environment,
        "probe_seconds": PATIENT,
        **changes,
    }
    return RunnerOptions(kind=RunnerKind.FLINK, **given)


def listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def missing(runner: RunnerOptions, *folders: str) -> Line:
    """The first thing that is missing."""
    return next(
        line
        for line in runner_checks.check_runner(runner, folders)
        if line.status is Status.MISSING
    )


def test_a_cluster_that_has_everything_is_healthy_and_its_folder_is_left_clean(
    on_cluster, cluster, tmp_path
):
    lines = list(runner_checks.check_runner(options(cluster), (str(tmp_path),)))
    assert [line for line in lines if line.status is Status.MISSING] == []
    assert lines[-1].name == "workers" and f"share {tmp_path}" in lines[-1].detail
    assert list(tmp_path.iterdir()) == []


def test_workers_may_be_this_process_on_one_machine(on_cluster, cluster, tmp_path):
    runner = options(cluster, environment="loopback")
    # On a busy machine Flink sometimes finds that a worker of this process has closed: once more.
    for _ in range(2):
        lines = runner_checks.check_runner(runner, (str(tmp_path),))
        if not (lacking := [line for line in lines if line.status is Status.MISSING]):
            break
    assert lacking == []


def test_a_pool_that_is_not_there(on_cluster, cluster):
    began = time.monotonic()
    line = missing(options(cluster, environment=f"localhost:{free_port()}", probe_seconds=PATIENT))
    assert line.name == "worker pool" and "localhost" in line.detail and "--environment" in line.fix
    print(f"said after {time.monotonic() - began:.0f} s")


@pytest.mark.slow
def test_a_pool_of_beams_own_whose_python_lacks_the_package_does_not_hang_for_ever(
    on_cluster, cluster, tmp_path
):
    """The known silent hang: it starts `python` from PATH, which may be any or none."""
    port = free_port()
    (tmp_path / "python").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python").chmod(0o755)
    pool = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "apache_beam.runners.worker.worker_pool_main",
            f"--service_port={port}",
        ],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: listens(port), PATIENT)
        line = missing(options(cluster, environment=f"localhost:{port}", probe_seconds=25.0))
    finally:
        pool.kill()
        pool.wait()
    assert (
        line.name == "worker"
        and f"no worker of the pool localhost:{port} answered within 25 s" in line.detail
    )
    assert "questloom.pipeline.runners.worker_pool" in line.fix


def test_our_pool_says_why_its_worker_does_not_start(on_cluster, cluster):
    port = free_port()
    serve = (
        "import sys, time\nfrom questloom.pipeline.runners.worker_pool import WorkerPool, serve\n"
        f"kept = serve('127.0.0.1:{port}', WorkerPool(command=(sys.executable, '-c', 'import no_such_package')))\ntime.sleep(600)\n"
    )
    pool = subprocess.Popen([sys.executable, "-c", serve], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        until(lambda: listens(port), PATIENT)
        line = missing(options(cluster, environment=f"localhost:{port}", probe_seconds=PATIENT))
    finally:
        pool.kill()
        pool.wait()
    assert line.name == "worker" and "No module named 'no_such_package'" in line.detail, line


def test_more_slots_than_there_are(on_cluster, cluster):
    line = missing(options(cluster, parallelism=3))
    assert line.name == "slots" and "2 of 2 are free, 3 are needed" in line.detail


@pytest.mark.slow
def test_no_free_slot_names_the_job_that_has_them_and_a_job_that_stands_still_is_cancelled(
    on_cluster, cluster, tmp_path, monkeypatch
):
    """The second part ends the first: a job that only sleeps is the job that stands still, once nothing moves any more."""
    import threading

    import apache_beam as beam

    ended: list[BaseException] = []
    seen, woken = threading.Event(), tmp_path / "woken"

    def sleeping(pipeline) -> None:
        (
            pipeline
            | beam.Create(range(8), reshuffle=False)
            | beam.Reshuffle()
            | beam.Map(_sleep, str(woken))
        )

    def run() -> None:
        try:
            run_on_flink(
                sleeping,
                options(cluster),
                name="questloom-sleeper",
                moved=lambda: 0 if seen.is_set() else time.monotonic(),
                stall_seconds=5,
            )
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    end = time.monotonic() + PATIENT
    try:
        while (cluster.overview() or {})["slots-available"] and time.monotonic() < end:
            time.sleep(0.5)
        line = missing(options(cluster))
    finally:
        seen.set()
    thread.join(2 * PATIENT)
    assert (
        line.name == "slots"
        and "0 of 2 are free" in line.detail
        and "questloom-sleeper" in line.detail
    )
    woken.touch()  # Flink waits for the workers of a job that it cancels
    assert isinstance(ended[0], Stalled) and "was cancelled" in str(ended[0])
    end = time.monotonic() + PATIENT
    while (cluster.overview() or {})["slots-available"] < 2 and time.monotonic() < end:
        time.sleep(0.5)
    assert cluster.overview()["slots-available"] == 2


def _sleep(number: int, until_this_stands: str) -> int:
    for _ in range(600):
        if os.path.exists(until_this_stands):
            break
        time.sleep(1)
    return number


def test_a_folder_that_the_workers_see_otherwise(on_cluster, cluster, tmp_path, monkeypatch):
    """As on two machines: the mark is written where workers do not look."""
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setattr("questloom.pipeline.runners.probe.Mark.write", lambda mark: None)
    line = missing(options(cluster), str(elsewhere))
    assert (
        line.name == "folder"
        and "is not what the workers see" in line.detail
        and "bucket" in line.fix
    )


def test_workers_of_another_version_are_refused():
    mine = runner_checks.probe.here()
    other = Worker(mine.host, 1, mine.python, mine.beam, "0123456789abcdef")
    (line,) = runner_checks._notes("folder", [mine, other])
    assert line.status is Status.MISSING and "another questloom's code" in line.detail
