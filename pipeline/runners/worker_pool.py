"""A worker pool for clusters: starts Beam's Python workers where a task manager asks for them.

    python -m questloom.pipeline.runners.worker_pool --bind 0.0.0.0:50000

Beam's own pool (`apache_beam.runners.worker.worker_pool_main`) starts `python` from PATH and answers before the worker
lives; where that is another Python, or none, or the package is not installed there, the job hangs for ever without a word.
This one starts workers with its own interpreter, waits until they have imported the package, and tells the task manager
what went wrong if they have not, so that the job fails with the reason.
"""

import argparse
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from typing import Any

import grpc
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc
from apache_beam.utils import thread_pool_executor

from questloom.records.errors import InputError

START_SECONDS = 120.0
"""Within which a worker must have imported the package: 7 s of one core, more where cores are shared. One that fails says so at once."""
STOP_SECONDS = 10.0
READY = b"ready\n"
MAX_LINES = 12
"""Of what a worker said before it failed; the last line of a traceback is what counts."""
_log = logging.getLogger("worker_pool")


class WorkerPool(beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolServicer):
    """Beam's protocol of external worker pools: start and stop a worker by id.

    Args:
        command: starts a worker; the control address and the worker's id are appended. It prints `READY` once it works.
        start_seconds: the time in which it must print it.
    """

    def __init__(
        self,
        command: tuple[str, ...] = (sys.executable, "-m", "questloom.pipeline.runners.pool_worker"),
        start_seconds: float = START_SECONDS,
    ) -> None:
        self.command, self.start_seconds = command, start_seconds
        self._workers: dict[str, subprocess.Popen] = {}
        self._lock = threading.Lock()

    def StartWorker(self, request: Any, context: Any) -> Any:
        error = self._start(request.worker_id, request.control_endpoint.url)
        _log.info("worker %s: %s", request.worker_id, error or "started")
        return beam_fn_api_pb2.StartWorkerResponse(error=error)

    def _start(self, worker_id: str, control: str) -> str:
        """Starts a worker and waits until it is ready; gives why it is not, or ""."""
        try:
            worker = subprocess.Popen(
                [*self.command, control, worker_id],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            return f"the worker cannot be started: {error}"
        with self._lock:
            self._workers[worker_id] = worker
        assert worker.stdout is not None
        said: deque[str] = deque(maxlen=MAX_LINES)
        reader = threading.Thread(target=_pass_on, args=(worker, worker_id, said), daemon=True)
        reader.start()
        ready, _, _ = select.select([worker.stdout], [], [], self.start_seconds)
        works = bool(ready) and worker.stdout.readline() == READY
        worker.stdout.close()
        if works:
            return ""
        end(worker)
        reader.join(STOP_SECONDS)
        what = (
            "ended before it was ready"
            if ready
            else f"was not ready after {self.start_seconds:.0f} s"
        )
        return (
            f"the worker ({' '.join(self.command)}) {what}: {' | '.join(said) or 'it said nothing'}"
        )

    def StopWorker(self, request: Any, context: Any) -> Any:
        with self._lock:
            worker = self._workers.pop(request.worker_id, None)
        if worker is not None:
            end(worker)
        return beam_fn_api_pb2.StopWorkerResponse()

    def stop(self) -> None:
        """Ends all workers."""
        with self._lock:
            workers, self._workers = list(self._workers.values()), {}
        for worker in workers:
            worker.terminate()
        for worker in workers:
            end(worker)


def _pass_on(worker: subprocess.Popen, worker_id: str, said: deque[str]) -> None:
    """Copies what a worker writes to stderr to the pool's own, and keeps the last lines."""
    assert worker.stderr is not None
    for line in worker.stderr:
        text = line.decode(errors="replace").rstrip()
        said.append(text)
        print(f"[{worker_id}] {text}", file=sys.stderr, flush=True)


def end(worker: subprocess.Popen) -> None:
    """Ends a process: by SIGTERM, and by SIGKILL some seconds later."""
    worker.terminate()
    try:
        worker.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def serve(bind: str, pool: WorkerPool) -> tuple[grpc.Server, int]:
    """Serves a pool at an address; gives the server and its port.

    Raises:
        InputError: nothing can listen there.
    """
    # Without reuse, a second pool on the same address fails instead of taking half of the requests.
    options = [
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.max_ping_strikes", 0),
        ("grpc.so_reuseport", 0),
    ]
    server = grpc.server(thread_pool_executor.shared_unbounded_instance(), options=options)
    beam_fn_api_pb2_grpc.add_BeamFnExternalWorkerPoolServicer_to_server(pool, server)
    try:
        port = server.add_insecure_port(bind)
    except RuntimeError as error:
        raise InputError(
            f"--bind {bind}",
            f"cannot listen there ({error})",
            "Name a free HOST:PORT of this machine.",
        ) from error
    server.start()
    return server, port


def main(arguments: list[str] | None = None) -> None:
    """Serves until it is told to stop."""
    parser = argparse.ArgumentParser(
        prog="python -m questloom.pipeline.runners.worker_pool",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument(
        "--bind",
        default="127.0.0.1:50000",
        help="HOST:PORT to listen on; no port of it should be reachable from outside the cluster",
    )
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", force=True)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    pool = WorkerPool()
    server, port = serve(given.bind, pool)
    _log.info("listening at %s, port %d, pid %d", given.bind, port, os.getpid())
    while not ended.wait(1.0):
        pass
    pool.stop()
    server.stop(0)
    time.sleep(0.1)


if __name__ == "__main__":
    main()
