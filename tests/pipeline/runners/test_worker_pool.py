"""The worker pool over its real protocol: a worker that cannot start is said, with the reason."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc, endpoints_pb2

from questloom.pipeline.runners.worker_pool import WorkerPool, serve
from questloom.records.errors import InputError

READY = "import os, sys, time; sys.stderr.write(' '.join(sys.argv[1:])); sys.stderr.flush(); os.write(1, b'ready\\n'); time.sleep(60)"


@contextmanager
def asking(pool: WorkerPool):
    server, port = serve("127.0.0.1:0", pool)
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolStub(channel)
    finally:
        pool.stop()
        server.stop(0)


def start(stub, worker_id: str = "w1"):
    control = endpoints_pb2.ApiServiceDescriptor(url="localhost:1")
    return stub.StartWorker(
        beam_fn_api_pb2.StartWorkerRequest(worker_id=worker_id, control_endpoint=control)
    )


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_a_worker_that_works_is_started_with_its_address_and_ended_when_asked(capfd):
    pool = WorkerPool(python(READY))
    with asking(pool) as stub:
        assert start(stub).error == ""
        worker = pool._workers["w1"]
        assert worker.poll() is None
        stub.StopWorker(beam_fn_api_pb2.StopWorkerRequest(worker_id="w1"))
        assert worker.poll() is not None
    end = time.monotonic() + 5
    said = ""
    while "[w1]" not in said and time.monotonic() < end:
        said += capfd.readouterr().err
    assert "[w1] localhost:1 w1" in said


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (python("import no_such_package"), "No module named 'no_such_package'"),
        (python("pass"), "it said nothing"),
        (("/no/such/python",), "cannot be started"),
    ],
)
def test_a_worker_that_does_not_start_is_said_with_the_reason(command, told):
    with asking(WorkerPool(command)) as stub:
        assert told in start(stub).error


def test_a_worker_that_hangs_is_given_up():
    with asking(WorkerPool(python("import time; time.sleep(60)"), start_seconds=0.5)) as stub:
        assert "was not ready after 0 s" in start(stub).error


def test_two_pools_on_one_address_are_refused():
    server, port = serve("127.0.0.1:0", WorkerPool())
    try:
        with pytest.raises(InputError, match="cannot listen"):
            serve(f"127.0.0.1:{port}", WorkerPool())
    finally:
        server.stop(0)


def test_the_command_ends_with_its_workers():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    pool = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "questloom.pipeline.runners.worker_pool",
            "--bind",
            f"127.0.0.1:{port}",
        ],
        cwd=Path(__file__).parents[3],
        stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        assert any(b"listening at" in line for line in iter(pool.stderr.readline, b""))
        pool.send_signal(signal.SIGTERM)
        assert pool.wait(20) == 0
    finally:
        pool.kill()
        pool.stderr.close()
