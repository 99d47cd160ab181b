"""What fails in mid-job, one thing at a time: the bytes are the same in the end, and a table says what time it cost."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.mock_endpoint import running
from tests.calls.redis_server import RedisServer, needs_redis
from tests.deploy.runs import ROOT, SETTINGS, digests, ended, synth, until

pytestmark = [pytest.mark.flink, pytest.mark.slow]
RESTART_AFTER, AWAY = 3.0, 60.0
TABLE: list[tuple[str, float, float, str]] = []
"""(fault, seconds without, seconds with, how it ended)"""


@pytest.fixture(scope="module", autouse=True)
def table(request):
    yield
    # Printed whatever pytest captures: the table is what the tests are run for.
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{'fault in mid-job':44} {'without':>8} {'with':>8} {'lost':>8}  ending")
        for fault, without, with_, how in TABLE:
            print(f"{fault:44} {without:7.0f}s {with_:7.0f}s {with_ - without:7.0f}s  {how}")


@pytest.fixture(scope="module")
def undisturbed(cluster, store) -> float:
    """Seconds of the job when nothing fails."""
    began, out = time.monotonic(), store.parent / "undisturbed"
    assert ended(synth(store, out, *cluster.options, "--probe-seconds", "0"), out) == 0
    return time.monotonic() - began


def drafted(out: Path) -> bool:
    """Whether the job is under way: something is finished, and most is not."""
    return any(out.glob("stages/03-draft/kept-*.parquet"))


def test_a_task_manager(on_cluster, cluster, store, whole, undisturbed):
    began, out = time.monotonic(), store.parent / "fault-task-manager"
    job = synth(store, out, *on_cluster)
    until(lambda: drafted(out))
    cluster.kill("task-manager-1")
    time.sleep(RESTART_AFTER)
    cluster.start_task_manager(1)
    assert ended(job, out) == 0 and digests(out) == whole
    TABLE.append(
        (
            "kill -9 of a task manager",
            undisturbed,
            time.monotonic() - began,
            "the job restarts by itself",
        )
    )


def test_a_worker_pool_with_its_workers(on_cluster, cluster, store, whole, undisturbed):
    began, out = time.monotonic(), store.parent / "fault-pool"
    job = synth(store, out, *on_cluster)
    until(lambda: drafted(out))
    cluster.kill("pool-0")
    time.sleep(RESTART_AFTER)
    cluster.start_pool(0)
    assert ended(job, out) == 0 and digests(out) == whole
    TABLE.append(
        (
            "kill -9 of a worker pool",
            undisturbed,
            time.monotonic() - began,
            "the job restarts by itself",
        )
    )


def workers_of(pool: int) -> list[int]:
    """Processes that a pool has started and that live."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            parent = int(re.search(r"PPid:\s+(\d+)", status.read_text())[1])
            command = status.with_name("cmdline").read_text()
        except (OSError, TypeError):
            continue
        if parent == pool and "questloom.pipeline.runners.pool_worker" in command:
            found.append(int(status.parent.name))
    return found


def test_a_python_worker(on_cluster, cluster, store, whole, undisturbed):
    began, out = time.monotonic(), store.parent / "fault-worker"
    job = synth(store, out, *on_cluster)
    until(lambda: drafted(out))
    workers = workers_of(cluster.processes["pool-1"].pid)
    assert workers
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    assert ended(job, out) == 0 and digests(out) == whole
    TABLE.append(
        (
            "kill -9 of a Python worker",
            undisturbed,
            time.monotonic() - began,
            "the job restarts by itself",
        )
    )


def test_the_job_manager(on_cluster, cluster, store, whole, undisturbed):
    began, out = time.monotonic(), store.parent / "fault-job-manager"
    job = synth(store, out, *on_cluster)
    until(lambda: drafted(out))
    finished = len(list(out.glob("stages/*/kept-*.parquet")))
    cluster.kill("job-manager")
    time.sleep(RESTART_AFTER)
    cluster.start_job_manager()
    killed = time.monotonic()
    assert ended(job, out) == 1, "the command says that the job is lost"
    assert time.monotonic() - killed < 120
    cluster.wait()
    assert len(list(out.glob("stages/*/kept-*.parquet"))) >= finished
    assert ended(synth(store, out, *on_cluster), out) == 0 and digests(out) == whole
    TABLE.append(
        (
            "kill -9 of the job manager",
            undisturbed,
            time.monotonic() - began,
            "exit 1; the same command goes on",
        )
    )


def job_servers() -> set[int]:
    """Processes that run Beam's job server."""
    return {
        int(line.parent.name)
        for line in Path("/proc").glob("[0-9]*/cmdline")
        if b"--flink-master" in _read(line)
    }


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # the process has just ended
        return b""


def test_the_command_ended_by_sigterm_takes_its_job_and_its_job_server_along(
    on_cluster, cluster, store, whole, undisturbed
):
    before, began, out = job_servers(), time.monotonic(), store.parent / "fault-sigterm"
    job = synth(store, out, *on_cluster)
    until(lambda: drafted(out))
    assert job_servers() - before
    job.terminate()
    assert job.wait(60) == 128 + signal.SIGTERM
    assert not job_servers() - before
    until(lambda: cluster.overview()["jobs-running"] == 0, 60)
    assert ended(synth(store, out, *on_cluster), out) == 0 and digests(out) == whole
    TABLE.append(
        (
            "SIGTERM to the command",
            undisturbed,
            time.monotonic() - began,
            "the job is cancelled; the same command goes on",
        )
    )


def endpoint(port: int) -> subprocess.Popen:
    return subprocess.Popen(
        [
            sys.executable,
            str(ROOT / "benchmarks" / "mock_endpoint.py"),
            "--port",
            str(port),
            "--mean",
            "0.6",
        ],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def answers(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def llm_settings(url: str) -> tuple[str, ...]:
    """The llm writer against an endpoint, few calls at once, so that the job lasts."""
    return (
        *SETTINGS,
        "writer=llm",
        f'models={{endpoints: [{{name: mock, base_url: "{url}"}}], roles: {{default: {{endpoint: mock, model: mock}}}}}}',
        "run.in_flight=4",
        "filters.oracle=false",
    )


def asked(run: Path) -> bool:
    """Whether replies have arrived."""
    log = run / "calls.sqlite-wal"
    return log.exists() and log.stat().st_size > 100_000


def test_an_endpoint_that_is_down_for_a_minute(on_cluster, cluster, store):
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = llm_settings(f"http://127.0.0.1:{port}/v1")
    server = endpoint(port)
    until(lambda: answers(port), 60)
    try:
        began, calm = time.monotonic(), store.parent / "endpoint-calm"
        assert ended(synth(store, calm, *on_cluster, settings=settings), calm) == 0
        without = time.monotonic() - began
        alone = store.parent / "endpoint-in-process"
        assert ended(
            synth(store, alone, "--workers", "1", settings=settings), alone
        ) == 0 and digests(alone) == digests(calm)
        began, out = time.monotonic(), store.parent / "endpoint-away"
        job = synth(store, out, *on_cluster, settings=settings)
        until(lambda: asked(out))
        server.kill()
        server.wait()
        time.sleep(AWAY)
        server = endpoint(port)
        code, how = ended(job, out), "the calls wait"
        if code:  # some calls gave up: their items are pending, and the same command asks again
            code, how = (
                ended(synth(store, out, *on_cluster, settings=settings), out),
                "items pending; the same command goes on",
            )
        assert code == 0 and digests(out) == digests(calm)
        TABLE.append(
            ("the model's endpoint is away for a minute", without, time.monotonic() - began, how)
        )
    finally:
        server.kill()
        server.wait()


def sent(url: str) -> Counter[str]:
    """Requests that an endpoint has got, by idempotency key, which is the key of the call cache."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats", timeout=20) as reply:
        return Counter(json.load(reply)["by_key"])


def arrived(redis: RedisServer, prefix: str) -> set[str]:
    """Keys whose reply the server holds."""
    with redis.client() as client:
        return {
            name.decode().rpartition(":")[2]
            for name in client.scan_iter(f"{prefix}:reply:*", count=1000)
        }


@needs_redis
def test_redis_killed_and_started_again_with_its_append_only_file(
    on_cluster, cluster, store, tmp_path
):
    folders = [tmp_path / name for name in ("redis", "redis-as-it-died")]
    folders[0].mkdir()
    redis = RedisServer(folders[0])
    redis.start()
    try:
        with running(mean=0.6) as url:
            settings = llm_settings(url)
            began, calm = time.monotonic(), store.parent / "redis-calm"
            assert (
                ended(
                    synth(
                        store, calm, *on_cluster, "--cache", redis.url("calm"), settings=settings
                    ),
                    calm,
                )
                == 0
            )
            without, before = time.monotonic() - began, sent(url)
            assert max(before.values()) == 1, "two workers asked for the same"
            began, out = time.monotonic(), store.parent / "redis-killed"
            job = synth(store, out, *on_cluster, "--cache", redis.url("killed"), settings=settings)
            until(lambda: len(arrived(redis, "killed")) >= len(before) // 4)
            redis.stop()
            shutil.copytree(*folders)
            time.sleep(RESTART_AFTER)
            redis.start()
            code, how = ended(job, out), "the calls wait"
            if code:
                code, how = (
                    ended(
                        synth(
                            store,
                            out,
                            *on_cluster,
                            "--cache",
                            redis.url("killed"),
                            settings=settings,
                        ),
                        out,
                    ),
                    "the same command goes on",
                )
            again = sent(url) - before
    finally:
        redis.stop()
    kept = RedisServer(folders[1])  # what had arrived when it died, read from a copy of its file
    kept.start()
    try:
        had_arrived = arrived(kept, "killed")
    finally:
        kept.stop()
    assert code == 0 and digests(out) == digests(calm)
    assert len(before) // 4 <= len(had_arrived) < len(again), "it was not killed in the middle"
    assert [key for key in had_arrived if again[key] != 1] == []
    twice = sum(again.values()) - len(again)
    TABLE.append(
        (
            "kill -9 of Redis, started again",
            without,
            time.monotonic() - began,
            f"{how}; {len(had_arrived)} replies stood, {twice} calls sent twice",
        )
    )
