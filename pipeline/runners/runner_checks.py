"""Checks whether a job can run on the chosen runner. The command `questloom doctor --runner …`
makes these checks. Every job makes the same checks before it is submitted.

Each check takes at most some seconds, and all checks together take less than a minute. Without
these checks, Beam would wait silently for a worker that cannot start, for a slot that never becomes
free, or for a job server that does not exist.
"""

import shutil
import socket
import time
import urllib.request
import uuid
import zipfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from apache_beam.options.pipeline_options import FlinkRunnerOptions
from apache_beam.utils.subprocess_server import JavaJarServer

from questloom.agent.setup import MEND_SANDBOX
from questloom.agent.tool_settings import CONFINED
from questloom.pipeline.runners import probe
from questloom.pipeline.runners.dataflow_checks import dataflow_lines
from questloom.pipeline.runners.findings import Line, Status
from questloom.pipeline.runners.flink_rest import FlinkRest, Unreachable
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.pipeline.runners.runner_options import LOOPBACK, RunnerOptions
from questloom.pipeline.runners.submit import JobFailed, Stalled, minor, run_on_flink
from questloom.records.errors import InputError, QuestloomError

FREE_SECONDS = 8.0
"""After a job has finished, its slots are free within this number of seconds."""
CONNECT_SECONDS = 3.0
FLINK_IN_JAR = ".flink-runtime.version.properties"
BUILD_ONE = "Build one with deploy/flink/pom.xml (mvn package) and name it with --job-server-jar."


def check_runner(
    runner: RunnerOptions, folders: Iterable[str] = (), tools: Collection[str] = ()
) -> Iterator[Line]:
    """Checks the runner, and returns one line for each finding. The checks stop at an error that
    makes all later checks useless.

    Args:
        runner: the runner to check, with its address.
        folders: local paths or URLs to which the submitter and the workers must both have access.
        tools: the tools of the agent in this job. Every worker must have the programs and packages
            that these tools need.
    """
    match runner.kind:
        case RunnerKind.FLINK:
            yield from _flink_lines(runner, tuple(folders), tools)
        case RunnerKind.DATAFLOW:
            yield from dataflow_lines(runner, tuple(folders), tools)


def require_runner(
    runner: RunnerOptions, folders: Iterable[str] = (), tools: Collection[str] = ()
) -> None:
    """Raises an error for the first missing requirement, before any work is done.

    Raises:
        InputError: a requirement is missing; the message says what to do.
    """
    for line in check_runner(runner, folders, tools):
        if line.status is Status.MISSING:
            raise InputError(f"{line.topic}, {line.name}", line.detail, line.fix)


def require_shared(runner: RunnerOptions, files: Iterable[str], key: str) -> None:
    """Raises an error for files that workers on other machines would not find.

    Args:
        files: the files that stages read on the workers.
        key: the recipe key that names the files.

    Raises:
        InputError: a path is relative, and the runner is a cluster.
    """
    for path in files:
        if not runner.is_local and "://" not in path and not Path(path).is_absolute():
            raise InputError(
                f"recipe key {key}: {path}",
                "is relative, and workers of a cluster stand elsewhere",
                "Give an absolute path that all machines share, or a bucket's.",
            )


def _flink_lines(
    runner: RunnerOptions, folders: tuple[str, ...], tools: Collection[str]
) -> Iterator[Line]:
    found = []
    for line in _before_probe(runner, folders):
        found.append(line)
        yield line
    if runner.probe_seconds and all(line.status is not Status.MISSING for line in found):
        yield from _probe(runner, folders, tools)


def _before_probe(runner: RunnerOptions, folders: tuple[str, ...]) -> Iterator[Line]:
    rest = FlinkRest(runner.flink_master)
    try:
        cluster = rest.overview()
    except Unreachable as error:
        yield Line(
            "flink",
            "job manager",
            Status.MISSING,
            str(error),
            "Start the cluster, or correct --flink-master (host and port of its REST interface).",
        )
        return
    yield Line(
        "flink",
        "job manager",
        Status.OK,
        f"{rest.url}: Flink {cluster.version}, {cluster.task_managers} task managers",
    )
    yield _job_server(runner, minor(cluster.version))
    yield _slots(rest, runner.parallelism)
    if runner.environment != LOOPBACK:
        yield _pool(runner.environment)
    yield from folder_lines("flink", folders)


def _job_server(runner: RunnerOptions, version: str) -> Line:
    if shutil.which("java") is None:
        return Line(
            "flink",
            "job server",
            Status.MISSING,
            "java is not on PATH; the job server needs it",
            "Install Java 11 or later.",
        )
    if not runner.job_server_jar:
        return _published(version)
    try:
        built_for = minor(flink_of_jar(Path(runner.job_server_jar)))
    except FileNotFoundError:
        return Line(
            "flink",
            "job server",
            Status.MISSING,
            f"{runner.job_server_jar} does not exist",
            f"Correct --job-server-jar. {BUILD_ONE}",
        )
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        return Line(
            "flink",
            "job server",
            Status.MISSING,
            f"{runner.job_server_jar} is no job server for Flink ({error})",
            BUILD_ONE,
        )
    if built_for != version:
        return Line(
            "flink",
            "job server",
            Status.MISSING,
            f"{runner.job_server_jar} is built for Flink {built_for}, the cluster runs {version}",
            f"Name a job server for Flink {version}.",
        )
    return Line("flink", "job server", Status.OK, f"for Flink {built_for}: {runner.job_server_jar}")


def flink_of_jar(jar: Path) -> str:
    """The version of Flink inside the jar of a job server.

    Raises:
        FileNotFoundError: there is no such file.
        zipfile.BadZipFile: the file is not a jar.
        KeyError: the jar contains no Flink.
    """
    with zipfile.ZipFile(jar) as file:
        lines = file.read(FLINK_IN_JAR).decode().splitlines()
    return next(
        line.partition("=")[2].strip() for line in lines if line.startswith("project.version")
    )


def _published(version: str) -> Line:
    """Checks whether Beam's own job server is available. Beam downloads the job server once, when
    the first job starts."""
    if version not in FlinkRunnerOptions.PUBLISHED_FLINK_VERSIONS:
        known = ", ".join(FlinkRunnerOptions.PUBLISHED_FLINK_VERSIONS)
        return Line(
            "flink",
            "job server",
            Status.MISSING,
            f"this Beam has none for Flink {version}, only for {known}",
            f"Use a cluster of one of these versions, or a job server of your own. {BUILD_ONE}",
        )
    jar = JavaJarServer.path_to_beam_jar(f":runners:flink:{version}:job-server:shadowJar")
    cached = Path(JavaJarServer.JAR_CACHE).expanduser() / Path(jar).name
    if cached.exists() or Path(jar).exists():
        return Line("flink", "job server", Status.OK, f"Beam's for Flink {version}")
    try:
        with urllib.request.urlopen(
            urllib.request.Request(jar, method="HEAD"), timeout=CONNECT_SECONDS
        ):
            return Line(
                "flink",
                "job server",
                Status.OK,
                f"Beam's for Flink {version}; it is downloaded at the first job",
            )
    except OSError as error:
        why = getattr(error, "reason", error)
        return Line(
            "flink",
            "job server",
            Status.MISSING,
            f"Beam's for Flink {version} is not here and cannot be downloaded ({why})",
            BUILD_ONE,
        )


def _slots(rest: FlinkRest, wanted: int) -> Line:
    """Checks whether enough slots are free, now or within some seconds."""
    cluster, until = rest.overview(), time.monotonic() + FREE_SECONDS
    while (
        cluster.free < max(1, wanted)
        and cluster.slots >= max(1, wanted)
        and time.monotonic() < until
    ):
        time.sleep(0.5)
        cluster = rest.overview()
    text = f"{cluster.free} of {cluster.slots} are free"
    if cluster.free >= max(1, wanted):
        return Line("flink", "slots", Status.OK, text)
    if cluster.slots < max(1, wanted):
        fix = (
            "Start more task managers, or lower --parallelism."
            if cluster.slots
            else "Start a task manager; none has offered a slot."
        )
        return Line("flink", "slots", Status.MISSING, f"{text}, {max(1, wanted)} are needed", fix)
    return Line(
        "flink",
        "slots",
        Status.MISSING,
        f"{text}, {max(1, wanted)} are needed; running: {', '.join(rest.running()) or 'nothing'}",
        "Wait for those jobs, or cancel them, or start more task managers.",
    )


def _pool(address: str) -> Line:
    """Checks whether a worker pool answers at the address, as seen from this machine."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit():
        return Line(
            "flink",
            "worker pool",
            Status.MISSING,
            f"{address!r} is no HOST:PORT",
            f"Correct --environment: HOST:PORT, or {LOOPBACK}.",
        )
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
        return Line("flink", "worker pool", Status.OK, f"{address} listens")
    except OSError as error:
        return Line(
            "flink",
            "worker pool",
            Status.INFO,
            f"{address} cannot be reached from here ({error}); the tiny job tells whether it can from there",
        )


def folder_lines(topic: str, folders: tuple[str, ...]) -> Iterator[Line]:
    """Checks whether this process can write into the folders."""
    for folder in dict.fromkeys(folders):
        mark = probe.Mark.new((folder,))
        try:
            mark.write()
            mark.remove()
            yield Line(topic, "folder", Status.OK, f"{folder} can be written from here")
        except Exception as error:  # any exception of the file system's library is the finding
            yield Line(
                topic,
                "folder",
                Status.MISSING,
                f"{folder} cannot be written ({type(error).__name__}: {error})"[:400],
                "Correct the path or the bucket's name, its rights, and the credentials in the environment.",
            )


def _probe(
    runner: RunnerOptions, folders: tuple[str, ...], tools: Collection[str]
) -> Iterator[Line]:
    """Runs the tiny job of `probe.py` on the cluster, and reports what its workers wrote about
    themselves."""
    mark = probe.Mark.new(folders)
    mark.write()
    rest, began = FlinkRest(runner.flink_master), time.monotonic()
    num_free = rest.overview().free
    try:
        run_on_flink(
            lambda pipeline: probe.build(pipeline, mark),
            runner,
            name=f"questloom-probe-{uuid.uuid4().hex[:8]}",
            moved=lambda: 0,
            stall_seconds=runner.probe_seconds,
            eager=True,
        )
        yield Line("flink", "tiny job", Status.OK, f"done in {time.monotonic() - began:.0f} s")
        notes = {folder: mark.notes(folder) for folder in mark.folders}
        for folder, workers in notes.items():
            yield from _notes(folder, workers)
        yield from _sandboxes(
            {worker for workers in notes.values() for worker in workers}, CONFINED in tools
        )
    except Stalled as error:
        yield _did_not_start(runner, error.fault)
    except JobFailed as error:
        yield _failed(runner, str(error))
    except QuestloomError as error:
        yield Line(
            "flink",
            "tiny job",
            Status.MISSING,
            str(error),
            BUILD_ONE if "job server" in str(error) else "Look at the cluster's logs.",
        )
    finally:
        mark.remove()
        with suppress(Unreachable):  # the next submitter reports it
            _slots(rest, num_free)  # the tiny job must return its slots first


def _did_not_start(runner: RunnerOptions, fault: str) -> Line:
    if runner.environment == LOOPBACK:
        fix = "Task managers on other machines cannot use loopback: start worker pools and name them with --environment HOST:PORT."
        return Line(
            "flink",
            "worker",
            Status.MISSING,
            f"no worker answered within {runner.probe_seconds:.0f} s{_shown(fault)}",
            fix,
        )
    return Line(
        "flink",
        "worker",
        Status.MISSING,
        f"no worker of the pool {runner.environment} answered within {runner.probe_seconds:.0f} s{_shown(fault)}",
        "Start pools with `python -m questloom.pipeline.runners.worker_pool`, which says why a worker does not "
        "start; Beam's own starts `python` from its PATH, "
        "which must have questloom installed. On a busy machine, raise --probe-seconds.",
    )


def _failed(runner: RunnerOptions, text: str) -> Line:
    if (
        "Error starting worker" in text
        or "the worker (" in text
        or "the worker cannot be started" in text
    ):
        return Line(
            "flink",
            "worker",
            Status.MISSING,
            f"a pool cannot start its worker{_shown(text, 'the worker')}",
            "Install questloom, with the same version as here, for the pool's Python.",
        )
    if (
        "UNAVAILABLE" in text
        or "UnknownHost" in text
        or "Unable to resolve host" in text
        or "Connection refused" in text
    ):
        return Line(
            "flink",
            "worker pool",
            Status.MISSING,
            f"task managers cannot reach the pool {runner.environment}{_shown(text, 'UNAVAILABLE')}",
            "Start a pool where each task manager finds it under this address, or correct --environment.",
        )
    return Line(
        "flink",
        "tiny job",
        Status.MISSING,
        f"it failed{_shown(text)}",
        "Look at the task managers' and the pools' logs.",
    )


def _shown(text: str, of: str = "") -> str:
    """The most informative part of an error message, cut to the length of one line."""
    lines = [line for line in text.splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if of and of in line), lines[-1] if lines else "")
    start = max(0, told.find(of)) if of else 0
    return f": {told[start : start + 1200]}" if told else ""


def _notes(folder: str, workers: list[probe.Worker]) -> Iterator[Line]:
    """Reports from the workers' notes whether all workers share this folder and run the same code.
    If no worker left a note, this path leads to a different folder on the workers."""
    if not workers:
        yield Line(
            "flink",
            "folder",
            Status.MISSING,
            f"{folder} as this process sees it is not what the workers see",
            "Use a folder that all machines mount at the same path, or a bucket (s3://, gs://).",
        )
        return
    mine = probe.here()
    for what in ("python", "beam", "code"):
        others = sorted({getattr(w, what) for w in workers} - {getattr(mine, what)})
        if others:
            said = {"python": "Python", "beam": "Beam", "code": "questloom's code"}[what]
            yield Line(
                "flink",
                "workers",
                Status.MISSING,
                f"workers have another {said} ({', '.join(others)}) than this process ({getattr(mine, what)})",
                "Install the same version on both sides and start the pools anew.",
            )
            return
    hosts = sorted({w.host for w in workers})
    yield Line(
        "flink",
        "workers",
        Status.OK,
        f"{len(workers)} on {', '.join(hosts)} share {folder}; same Python {mine.python}, Beam {mine.beam}, same code",
    )


def _sandboxes(workers: Iterable[probe.Worker], needed: bool) -> Iterator[Line]:
    """Checks whether all workers can run a policy's code in a sandbox. Episodes would go
    differently on a worker without a sandbox."""
    lacking = sorted(
        {f"{worker.host}: {worker.no_sandbox}" for worker in workers if worker.no_sandbox}
    )
    if lacking:
        yield Line(
            "flink",
            "sandbox",
            Status.MISSING if needed else Status.INFO,
            f"{CONFINED} cannot be had on {'; '.join(lacking)}"[:600],
            MEND_SANDBOX,
        )
