"""What is said before a job is submitted: each thing that can be missing, without a cluster."""

import json
import threading
import time
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from deploy.flink.cluster import free_port
from questloom.agent.tool_settings import ALL_TOOLS
from questloom.files.locations import location
from questloom.pipeline.runners.dataflow_checks import _sandbox
from questloom.pipeline.runners.findings import Status
from questloom.pipeline.runners.flink_rest import causes
from questloom.pipeline.runners.probe import Mark, Worker, code_digest, here, write
from questloom.pipeline.runners.runner_checks import (
    FLINK_IN_JAR,
    _failed,
    _notes,
    _sandboxes,
    check_runner,
    flink_of_jar,
    require_runner,
    require_shared,
)
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.pipeline.runners.runner_options import RunnerOptions
from questloom.records.errors import InputError
from tests.agent.tools.calling import WITHOUT_PYTHON


@contextmanager
def job_manager(version: str = "1.19.3", slots: int = 2, free: int = 2, page: str = ""):
    """Something that answers /overview as a job manager does; for versions that no cluster here has."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            overview = {
                "flink-version": version,
                "taskmanagers": slots,
                "slots-total": slots,
                "slots-available": free,
            }
            body = page or json.dumps(
                overview
                if self.path == "/overview"
                else {"jobs": [{"name": "another", "state": "RUNNING"}]}
            )
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def jar_of(folder, version: str):
    path = folder / "server.jar"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(FLINK_IN_JAR, f"# comment\nproject.version={version}\n")
    return path


def refused(**given) -> InputError:
    with pytest.raises(InputError) as error:
        require_runner(RunnerOptions(kind=RunnerKind.FLINK, probe_seconds=0, **given))
    return error.value


def test_a_runner_in_process_needs_nothing():
    require_runner(RunnerOptions())


def test_a_cluster_that_is_not_there_is_said_at_once():
    began = time.monotonic()
    error = refused(flink_master=f"127.0.0.1:{free_port()}")
    assert "cannot be reached" in error.what and "--flink-master" in error.fix
    assert time.monotonic() - began < 10


def test_a_server_that_is_no_job_manager():
    with job_manager(page="<html>") as master:
        assert "cannot be reached" in refused(flink_master=master).what


def test_a_job_server_that_does_not_exist(tmp_path):
    with job_manager() as master:
        error = refused(flink_master=master, job_server_jar=str(tmp_path / "none.jar"))
    assert "none.jar does not exist" in error.what and "deploy/flink/pom.xml" in error.fix


def test_a_job_server_for_another_flink(tmp_path):
    with job_manager(version="1.20.1") as master:
        error = refused(flink_master=master, job_server_jar=str(jar_of(tmp_path, "1.19.0")))
    assert "is built for Flink 1.19, the cluster runs 1.20" in error.what


def test_a_file_that_is_no_job_server(tmp_path):
    (tmp_path / "server.jar").write_text("no jar")
    with job_manager() as master:
        assert (
            "is no job server"
            in refused(flink_master=master, job_server_jar=str(tmp_path / "server.jar")).what
        )


def test_a_flink_version_that_beam_has_no_job_server_for():
    with job_manager(version="1.12.7") as master:
        assert "none for Flink 1.12" in refused(flink_master=master).what


@pytest.mark.parametrize(
    ("slots", "free", "told"), [(0, 0, "0 of 0 are free"), (2, 0, "running: another")]
)
def test_no_free_slot(tmp_path, monkeypatch, slots, free, told):
    monkeypatch.setattr("questloom.pipeline.runners.runner_checks.FREE_SECONDS", 0.5)
    with job_manager(slots=slots, free=free) as master:
        error = refused(flink_master=master, job_server_jar=str(jar_of(tmp_path, "1.19.0")))
    assert error.where == "flink, slots" and told in error.what


def test_an_environment_that_is_no_address(tmp_path):
    with job_manager() as master:
        assert (
            "is no HOST:PORT"
            in refused(
                flink_master=master,
                job_server_jar=str(jar_of(tmp_path, "1.19.0")),
                environment="pool",
            ).what
        )


def test_a_pool_that_only_task_managers_can_reach_is_no_fault(tmp_path):
    with job_manager() as master:
        runner = RunnerOptions(
            kind=RunnerKind.FLINK,
            flink_master=master,
            job_server_jar=str(jar_of(tmp_path, "1.19.0")),
            environment="no-such-host:1",
            probe_seconds=0,
        )
        lines = {
            line.name: line
            for line in check_runner(runner, (str(tmp_path / "made" / "on" / "the" / "way"),))
        }
    assert lines["worker pool"].status is Status.INFO and lines["folder"].status is Status.OK


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with job_manager() as master:
        runner = RunnerOptions(
            kind=RunnerKind.FLINK,
            flink_master=master,
            job_server_jar=str(jar_of(tmp_path, "1.19.0")),
            probe_seconds=0,
        )
        with pytest.raises(InputError, match="cannot be written"):
            require_runner(runner, (str(tmp_path / "file" / "below"),))


def test_dataflow_without_its_libraries_or_options_says_which(tmp_path):
    lines = {
        line.name: line
        for line in check_runner(RunnerOptions(kind=RunnerKind.DATAFLOW), (str(tmp_path),))
    }
    first = lines["libraries"]
    if first.status is Status.MISSING:
        assert "[dataflow]" in first.fix
    else:
        assert all(
            lines[name].status is Status.MISSING
            for name in ("project", "temp_location", "code", "folder")
        )


@pytest.mark.parametrize(
    ("tools", "has_container", "refused"),
    [(ALL_TOOLS, False, True), (ALL_TOOLS, True, False), (WITHOUT_PYTHON, False, False)],
)
def test_on_dataflow_a_tool_that_runs_code_needs_a_container(tools, has_container, refused):
    found = [
        line
        for line in _sandbox(tools, has_container=has_container)
        if line.status is Status.MISSING
    ]
    assert bool(found) is refused and all("--sdk_container_image" in line.fix for line in found)


def test_a_cluster_some_of_whose_workers_cannot_confine_code_is_refused_where_a_tool_needs_it_only():
    able, other = (
        Worker("a", 1, "3.11", "2.77.0", "x"),
        Worker("b", 2, "3.11", "2.77.0", "x", "bubblewrap is not installed"),
    )
    (line,) = _sandboxes([able, other], True)
    assert (
        line.status is Status.MISSING
        and "b: bubblewrap is not installed" in line.detail
        and "a:" not in line.detail
        and "demo_without_python" in line.fix
    )
    assert [line.status for line in _sandboxes([able, other], False)] == [Status.INFO]
    assert list(_sandboxes([able], True)) == []


def test_the_note_of_a_worker_says_whether_it_can_confine_code(monkeypatch):
    monkeypatch.setenv("PATH", "")
    here.cache_clear()
    assert "bubblewrap is not installed" in here().no_sandbox
    here.cache_clear()


def test_a_relative_file_of_the_recipe_is_refused_on_a_cluster_only():
    require_shared(RunnerOptions(), ["hashes.txt"], "filters.exclude_pictures")
    require_shared(
        RunnerOptions(kind=RunnerKind.FLINK),
        ["/shared/hashes.txt", "s3://b/hashes.txt"],
        "filters.exclude_pictures",
    )
    with pytest.raises(InputError, match=r"filters.exclude_pictures: hashes.txt: is relative"):
        require_shared(
            RunnerOptions(kind=RunnerKind.FLINK), ["hashes.txt"], "filters.exclude_pictures"
        )


def test_the_version_in_a_jar(tmp_path):
    assert flink_of_jar(jar_of(tmp_path, "2.1.0")) == "2.1.0"


def test_notes_of_workers_are_read_back_and_removed(tmp_path):
    mark = Mark.new((str(tmp_path),))
    mark.write()
    write(
        location(str(tmp_path), f"{mark.name}-host-1"),
        json.dumps(vars(Worker("host", 1, "3.11", "2.77.0", code_digest()))),
    )
    assert mark.notes(str(tmp_path)) == [Worker("host", 1, "3.11", "2.77.0", code_digest())]
    mark.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_which_no_worker_left_a_note_is_not_shared():
    (line,) = _notes("folder", [])
    assert line.status is Status.MISSING and "is not what the workers see" in line.detail


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        (
            "x\njava.lang.RuntimeException: Error starting worker: the worker (python) ended before it was ready: No module named 'pipeline'",
            "worker",
            "No module",
        ),
        (
            "io.grpc.StatusRuntimeException: UNAVAILABLE: io exception\nConnection refused: localhost:50000",
            "worker pool",
            "UNAVAILABLE",
        ),
        ("something else", "tiny job", "something else"),
    ],
)
def test_what_a_failed_tiny_job_says_is_named(text, name, told):
    line = _failed(RunnerOptions(kind=RunnerKind.FLINK, environment="localhost:50000"), text)
    assert line.name == name and told in line.detail and line.fix


def test_the_causes_of_a_java_trace_without_its_frames():
    trace = "a.B: outer\n\tat x.Y.z(Y.java:1)\nCaused by: c.D: inner\n\tat x.Y.z(Y.java:2)\n\t... 5 more\nCaused by: c.D: inner\n"
    assert causes(trace) == "a.B: outer\nc.D: inner"
