"""Runs a pipeline in this process or on a cluster. A job that stalls or gets lost is cancelled with
an error, so that the command never waits forever."""

import logging
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.flink_runner import FlinkJarJobServer

from questloom.pipeline.runners.flink_rest import FlinkRest, Unreachable
from questloom.pipeline.runners.runner_kind import NothingRun, RunnerKind
from questloom.pipeline.runners.runner_options import RunnerOptions, new_pipeline
from questloom.records.errors import QuestloomError

Build = Callable[[beam.Pipeline], Any]
"""A function that adds the job's transforms to a pipeline."""
Moved = Callable[[], object]
"""A function that returns a new value whenever the job has made progress. `_wait` calls the
function every few seconds."""

POLL_SECONDS = 1.0
LOST_SECONDS = 30.0
"""A job counts as lost after this number of seconds in which the job manager does not answer, or
does not list the job."""
CANCEL_SECONDS = 20.0
MAX_FAULT = 6_000
AGAIN = "Finished parts are kept: run the same command again"


class JobFailed(Exception):
    """The cluster ended the job. The message contains what the workers reported."""


@dataclass
class _Work:
    """Runs a job in a separate thread, so that the main thread can give up on a job that stalls."""

    do: Callable[[], Any]
    error: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        threading.Thread(target=self._run, name="job", daemon=True).start()

    def _run(self) -> None:
        try:
            self.do()
        except BaseException as error:  # handed to the waiting thread
            self.error = error
        finally:
            self.ended.set()


def run_pipeline(
    build: Build, runner: RunnerOptions, *, workers: int, title: str, moved: Moved
) -> None:
    """Runs a pipeline until it ends.

    Args:
        build: a function that adds the job's transforms to the pipeline.
        runner: where the job runs.
        workers: the number of processes, if the job runs in this process.
        title: a text that becomes part of the job's name.
        moved: a function whose value changes when the job makes progress.

    Raises:
        JobFailed: the cluster ended the job. If the job runs in this process, the exception of the
            stage itself is raised instead.
        NothingRun: the options only asked for a template, and the template was written.
        QuestloomError: the job made no progress for `runner.stall_minutes`, or the cluster lost the
            job.
    """
    if runner.is_local:
        pipeline = new_pipeline(workers)
        build(pipeline)
        pipeline.run().wait_until_finish()
        return
    name = f"questloom-{title}-{uuid.uuid4().hex[:8]}"
    seconds = runner.stall_minutes * 60
    with _ended_by_signal():
        if runner.kind is RunnerKind.FLINK:
            run_on_flink(build, runner, name=name, moved=moved, stall_seconds=seconds)
        else:
            _run_on_dataflow(build, runner, name=name, moved=moved, stall_seconds=seconds)


@contextmanager
def _ended_by_signal() -> Iterator[None]:
    """Makes SIGTERM end the block in the same way as Ctrl-C: the job is cancelled, and its job
    server ends. Otherwise SIGTERM would end this process, but not the job and the job server."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set a signal handler
        return

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run_on_flink(
    build: Build,
    runner: RunnerOptions,
    *,
    name: str,
    moved: Moved,
    stall_seconds: float,
    eager: bool = False,
) -> None:
    """Runs a pipeline on Flink, as `run_pipeline` describes. With `eager`, the first error ends the
    job; otherwise Flink tries again."""
    rest = FlinkRest(runner.flink_master)
    try:
        cluster = rest.overview()
    except Unreachable as error:
        raise QuestloomError(f"Flink at {error}") from error
    options = runner.flink_options(
        name=name, flink_version=minor(cluster.version), slots=max(1, cluster.free)
    )
    with _job_server(options) as endpoint:
        pipeline = new_pipeline(1, [*options, f"--job_endpoint={endpoint}"])
        build(pipeline)
        work = _Work(lambda: pipeline.run().wait_until_finish())
        look = _FlinkLook(rest, name, eager)
        try:
            _wait(work, moved, stall_seconds, look)
        except BaseException:
            look.cancel()
            work.ended.wait(CANCEL_SECONDS)
            raise
    if work.error is not None:
        raise JobFailed(f"{look.fault()}\n{work.error}".strip()[-MAX_FAULT:]) from work.error


@contextmanager
def _job_server(options: list[str]) -> Iterator[str]:
    """Runs Beam's job server as long as the block runs, and yields the server's address. Beam has a
    class for the job server, but that class sets a signal handler, and ends the server only when
    the process exits.
    """
    logging.getLogger("FlinkJarJobServer").setLevel(logging.ERROR)
    server = FlinkJarJobServer(PipelineOptions(options))
    command, endpoint = server.subprocess_cmd_and_endpoint()
    server.subprocess_cmd_and_endpoint = lambda: (command, endpoint)  # type: ignore[method-assign]  # the port is drawn at each call
    try:
        server.start()
    except Exception as error:  # covers a missing java, a broken jar and a failed download
        raise QuestloomError(f"the job server cannot be started: {error}") from error
    try:
        yield endpoint
    finally:
        server.stop()


def minor(version: str) -> str:
    """The minor version that belongs to a full version: 1.19 for 1.19.3."""
    return ".".join(version.split(".")[:2])


@dataclass
class _FlinkLook:
    """Watches a job from outside. If the job manager forgets a job, Beam's runner alone would wait
    forever."""

    rest: FlinkRest
    name: str
    eager: bool = False
    job_id: str = ""
    _since: float = 0.0

    def __call__(self) -> str:
        """Why the job counts as lost; "" if it is not lost. With `eager`, an error of the job
        raises `JobFailed`."""
        try:
            found = self.rest.find(self.name)
            if found is not None and self.eager and (fault := self.rest.fault(found[0])):
                self.job_id = found[0]
                raise JobFailed(fault[-MAX_FAULT:])
        except Unreachable as error:
            return self._lost(f"the job manager is lost: {error}")
        if found is not None:
            self.job_id, self._since = found[0], 0.0
            return ""
        return (
            self._lost("the job manager does not know the job any more (was it started anew?)")
            if self.job_id
            else ""
        )

    def _lost(self, why: str) -> str:
        self._since = self._since or time.monotonic()
        return why if time.monotonic() - self._since > LOST_SECONDS else ""

    def fault(self) -> str:
        """The last error that the cluster reports."""
        try:
            return self.rest.fault(self.job_id) if self.job_id or self() or self.job_id else ""
        except Unreachable as error:
            return str(error)

    def cancel(self) -> None:
        self.eager = False
        try:
            self()
            if self.job_id:
                self.rest.cancel(self.job_id)
        except Unreachable:
            pass  # then there is no job to cancel


def _wait(work: _Work, moved: Moved, stall_seconds: float, look: Callable[[], str]) -> None:
    """Starts the job, and waits until the job ends or stops making progress."""
    work.start()
    seen, since = moved(), time.monotonic()
    while not work.ended.wait(POLL_SECONDS):
        now = moved()
        if now != seen:
            seen, since = now, time.monotonic()
        if why := look():
            raise QuestloomError(f"{why}. {AGAIN}")
        if time.monotonic() - since > stall_seconds:
            raise Stalled(stall_seconds, look.fault() if isinstance(look, _FlinkLook) else "")


class Stalled(QuestloomError):
    """Makes the error for a job that has made no progress for too long."""

    def __init__(self, seconds: float, fault: str) -> None:
        self.seconds, self.fault = seconds, fault
        said = (
            f"; the cluster says:\n{fault}"
            if fault
            else "; the cluster reports no fault: look at the workers' logs"
        )
        super().__init__(
            f"no part of the job was finished for {seconds / 60:g} minutes, so it was cancelled{said}\n{AGAIN}; "
            "--stall-minutes waits longer"
        )


def _run_on_dataflow(
    build: Build, runner: RunnerOptions, *, name: str, moved: Moved, stall_seconds: float
) -> None:
    pipeline = new_pipeline(1, runner.dataflow_options(name=name))
    build(pipeline)
    try:
        result = pipeline.run()
    except Exception as error:
        raise QuestloomError(f"Dataflow does not take the job: {error}") from error
    if runner.makes_template:
        raise NothingRun(
            "nothing was run: the template was written, or the graph translated, as asked"
        )
    work = _Work(result.wait_until_finish)
    try:
        _wait(work, moved, stall_seconds, lambda: "")
    except BaseException:
        result.cancel()
        raise
    if work.error is not None:
        raise JobFailed(str(work.error)[-MAX_FAULT:]) from work.error
