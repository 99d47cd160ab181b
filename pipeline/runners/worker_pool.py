"""A worker pool for clusters: starts Beam's Python workers where a task manager asks for them.

```
python -m questloom.pipeline.runners.worker_pool --bind 0.0.0.0:50000
```

Beam has its own pool (`apache_beam.runners.worker.worker_pool_main`). Beam's own pool starts the
`python` that is first in PATH, and answers before the worker runs. If `python` in PATH does not
exist or lacks the package, the job hangs forever without a message.

This pool starts workers with its own Python interpreter, and waits until they have imported the
package. If a worker fails, the pool tells the task manager why. The job then ends with the message
of the failed worker.
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
"""A worker must import the package within this number of seconds. The import takes 7 s on one core.
If a worker ends before it is ready, the pool reports the failure at once."""
STOP_SECONDS = 10.0
READY = b"ready\n"
MAX_LINES = 12
"""The pool reports this number of lines from the end of a failed worker's output. The most
important line of a traceback is the last one."""
_log = logging.getLogger("worker_pool")


class WorkerPool(beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolServicer):
    """Beam's service for external worker pools. The service starts a worker, and stops a worker by
    its id.

    Args:
        command: the command that starts a worker. The pool appends the control address and the
            worker's id to the command. The worker prints `READY` when it can work.
        start_seconds: within this number of seconds a worker must print `READY`.
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
        """Starts a worker and waits until it is ready. Returns "" if the worker is ready, and
        otherwise the reason why it is not."""
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
        """Ends all workers of the pool."""
        with self._lock:
            workers, self._workers = list(self._workers.values()), {}
        for worker in workers:
            worker.terminate()
        for worker in workers:
            end(worker)


def _pass_on(worker: subprocess.Popen, worker_id: str, said: deque[str]) -> None:
    """Copies what a worker writes on stderr to the stderr of the pool, and remembers the last
    lines."""
    assert worker.stderr is not None
    for line in worker.stderr:
        text = line.decode(errors="replace").rstrip()
        said.append(text)
        print(f"[{worker_id}] {text}", file=sys.stderr, flush=True)


def end(worker: subprocess.Popen) -> None:
    """Ends a process with SIGTERM. If the process still runs some seconds later, the function sends
    SIGKILL."""
    worker.terminate()
    try:
        worker.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def serve(bind: str, pool: WorkerPool) -> tuple[grpc.Server, int]:
    """Starts to serve a pool at an address. Returns the server and its port.

    Raises:
        InputError: the pool cannot listen at the address.
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
    """Serves the pool until the process receives a signal to end."""
    parser = argparse.ArgumentParser(
        prog="python -m questloom.pipeline.runners.worker_pool",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument(
        "--bind",
        default="127.0.0.1:50000",
        help="HOST:PORT to listen on; the port must not be reachable from outside the cluster",
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
