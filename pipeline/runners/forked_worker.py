"""Runs Beam's worker in processes that fork from one server. The server imports the stages once, so
that workers begin at once.

Importing takes 4 s in each process, and 12 s with CLIP. The server is multiprocessing's fork server.
It has no threads of Python, and opens no store and no connection. On systems other than Linux, each
worker is a new process that imports everything itself.

A worker logs errors only, and only into the command's log. Beam's own worker always logs its start
and its end, and these lines would disturb the progress bar.
"""

import gc
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

from apache_beam.portability.api import beam_runner_api_pb2, endpoints_pb2
from apache_beam.runners.portability.fn_api_runner.worker_handlers import (
    GrpcWorkerHandler,
    WorkerHandler,
)
from apache_beam.runners.worker import sdk_worker_main
from apache_beam.transforms.environments import Environment
from google.protobuf import json_format, text_format

from questloom.pipeline.runners.run_log import VARIABLE

FORKED = "questloom:env:forked_process:v1"
IMPORTED = "questloom.pipeline.runners.imported_stages"
CLIP = "open_clip"
"""What a server imports besides, where workers compare pictures."""
THREADS = "OMP_NUM_THREADS"
YOUNG = 1_000_000
"""The number of new objects after which Python looks for garbage. A worker keeps millions of facts,
which Python would look through after every 700 new objects."""

_context: Any = multiprocessing.get_context(
    "forkserver" if sys.platform.startswith("linux") else "spawn"
)


def start_server(workers: int, modules: Iterable[str] = ()) -> None:
    """Starts the server in the background, unless it runs already.

    Args:
        workers: the number of workers, see `_shared_processors`.
        modules: modules that the server imports besides the stages.
    """
    if _context.get_start_method() == "forkserver":
        from multiprocessing import forkserver

        _context.set_forkserver_preload([IMPORTED, *modules])
        with _shared_processors(workers):
            forkserver.ensure_running()


@contextmanager
def _shared_processors(workers: int) -> Iterator[None]:
    """Sets the number of threads for a process that starts meanwhile, unless the user has set it: with
    as many workers as processors, each computes in one thread. Two workers with two threads each took
    half as long again on two processors."""
    if THREADS in os.environ:
        yield
        return
    os.environ[THREADS] = str(max(1, (os.cpu_count() or 1) // workers))
    try:
        yield
    finally:
        del os.environ[THREADS]


def stop_server() -> None:
    """Ends the server, so that the system counts its processor time, and its workers', as that of
    this process's children. The next worker starts it again."""
    if _context.get_start_method() == "forkserver":
        from multiprocessing import forkserver

        forkserver._forkserver._stop()  # type: ignore[attr-defined]


@Environment.register_urn(FORKED, None)
class ForkedEnvironment(Environment):
    """Tells Beam that the workers are forked processes of this machine.

    Args:
        workers: the number of workers.
    """

    def __init__(self, workers: int, *of_beam: Any) -> None:
        super().__init__(*of_beam)
        self.workers = workers

    def to_runner_api_parameter(self, context: Any) -> tuple[str, bytes]:
        return FORKED, str(self.workers).encode()

    @staticmethod
    def from_runner_api_parameter(
        payload: bytes,
        capabilities: Iterable[str],
        artifacts: Iterable[beam_runner_api_pb2.ArtifactInformation],
        context: Any,
    ) -> "ForkedEnvironment":
        return ForkedEnvironment(int(payload), capabilities, artifacts)


@WorkerHandler.register_environment(FORKED, bytes)
class ForkedWorkerHandler(GrpcWorkerHandler):
    """Beam's side of one forked worker."""

    def __init__(self, payload: bytes, state: Any, provision_info: Any, server: Any) -> None:
        super().__init__(state, provision_info, server)
        self._workers = int(payload)
        self._process: BaseProcess | None = None

    def start_worker(self) -> None:
        start_server(self._workers)
        with _shared_processors(self._workers):
            self._start()

    def _start(self) -> None:
        variables = os.environ | {
            "CONTROL_API_SERVICE_DESCRIPTOR": text_format.MessageToString(
                endpoints_pb2.ApiServiceDescriptor(url=self.control_address)
            ),
            "PIPELINE_OPTIONS": json_format.MessageToJson(
                self.provision_info.provision_info.pipeline_options
            ),
            "WORKER_ID": self.worker_id,
        }
        ready, said_ready = _context.Pipe(duplex=False)
        # A daemon ends with this process, even if the job fails.
        self._process = _context.Process(
            target=work, args=(dict(variables), said_ready), daemon=True
        )
        with _nameless_main():
            self._process.start()
        said_ready.close()
        try:
            ready.recv()
        except EOFError:  # Beam would wait for this worker forever
            self._process.join()
            code = self._process.exitcode
            raise RuntimeError(f"a worker ended with code {code} before it was ready") from None

    def stop_worker(self) -> None:
        assert self._process is not None
        self._process.join()


@contextmanager
def _nameless_main() -> Iterator[None]:
    """Hides the script that the user started. Otherwise the worker would run it again, and a script
    without `if __name__ == "__main__"` would start a job in each worker."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def work(variables: dict[str, str], said_ready: Connection) -> None:
    """Serves Beam until the job ends. Runs in the worker's process.

    Args:
        variables: the environment variables of the command, with those that Beam's worker reads.
        said_ready: the worker sends a message here when it can work.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the server ignores Ctrl-C
    os.environ.clear()
    os.environ.update(variables)
    log = os.environ.get(VARIABLE)
    if log:
        sys.stderr = open(log, "a", encoding="utf-8", buffering=1)  # noqa: SIM115  # Beam prints tracebacks there, too
    handler = (
        logging.FileHandler(log, encoding="utf-8", delay=True) if log else logging.StreamHandler()
    )
    handler.setLevel(logging.ERROR)
    logging.getLogger().handlers[:] = [handler]
    gc.set_threshold(YOUNG)
    said_ready.send(True)
    said_ready.close()
    sdk_worker_main.main([sys.argv[0]])
