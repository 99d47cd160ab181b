"""The runner's options: what reaches Beam, and what is refused."""

import pytest
from apache_beam.options.pipeline_options import (
    FlinkRunnerOptions,
    PipelineOptions,
    PortableOptions,
    SetupOptions,
    WorkerOptions,
)
from typer.testing import CliRunner

from questloom.pipeline.cli import app
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.pipeline.runners.runner_options import RunnerOptions, check_arguments, new_pipeline
from questloom.records.errors import InputError

FLINK = RunnerOptions(
    kind=RunnerKind.FLINK,
    flink_master="host:8081",
    job_server_jar="/jars/server.jar",
    environment="pool:50000",
)


def parsed(runner: RunnerOptions) -> PipelineOptions:
    return PipelineOptions(runner.flink_options(name="n", flink_version="1.19", slots=3))


def test_a_worker_pool_becomes_an_external_environment():
    options = parsed(FLINK)
    portable = options.view_as(PortableOptions)
    assert (portable.environment_type, portable.environment_config) == ("EXTERNAL", "pool:50000")
    flink = options.view_as(FlinkRunnerOptions)
    assert (
        flink.flink_master,
        flink.flink_version,
        flink.flink_job_server_jar,
        flink.parallelism,
    ) == ("host:8081", "1.19", "/jars/server.jar", 3)


def test_loopback_is_beams_loopback_and_without_a_jar_beam_takes_its_own():
    options = parsed(RunnerOptions(kind=RunnerKind.FLINK))
    assert options.view_as(PortableOptions).environment_type == "LOOPBACK"
    assert options.view_as(FlinkRunnerOptions).flink_job_server_jar is None


def test_what_the_user_gives_to_beam_wins():
    options = parsed(
        RunnerOptions(kind=RunnerKind.FLINK, parallelism=2, beam_args=("--parallelism=7",))
    )
    assert options.view_as(FlinkRunnerOptions).parallelism == 7


@pytest.mark.parametrize(
    "options", [None, FLINK.flink_options(name="n", flink_version="1.19", slots=1)]
)
def test_the_main_session_is_never_pickled(options):
    assert new_pipeline(1, options).options.view_as(SetupOptions).save_main_session is False


def test_dataflow_takes_beams_own_options():
    runner = RunnerOptions(
        kind=RunnerKind.DATAFLOW, beam_args=("--project=p", "--sdk_container_image=image")
    )
    assert (
        PipelineOptions(runner.dataflow_options(name="n"))
        .view_as(WorkerOptions)
        .sdk_container_image
        == "image"
    )


@pytest.mark.parametrize(
    ("kind", "arguments", "told"),
    [
        (RunnerKind.LOCAL, ("--temp_location=x",), "is no option of this command"),
        (RunnerKind.FLINK, ("--paralelism=3",), "neither of this command nor of Beam"),
        (RunnerKind.FLINK, ("--runner=FlinkRunner",), "given twice"),
    ],
)
def test_a_flag_that_would_not_reach_beam_is_refused(kind, arguments, told):
    with pytest.raises(InputError, match=told):
        check_arguments(kind, arguments)


@pytest.mark.parametrize("kind", [RunnerKind.LOCAL, RunnerKind.FLINK])
def test_a_misspelt_option_is_told_the_right_one(kind):
    with pytest.raises(InputError, match="Did you mean --recipe"):
        check_arguments(kind, ("--recip=slice",), ["--recipe", "--store"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("--temp_location=gs://b/t", "--experiments=x"),
        ("--number_of_worker_harness_threads", "1"),
        ("--no_use_public_ips",),
    ],
)
def test_options_of_beam_pass(arguments):
    check_arguments(RunnerKind.DATAFLOW, arguments)


@pytest.mark.parametrize("command", ["ingest", "synth", "doctor"])
def test_every_command_that_runs_jobs_has_the_runners_options(command):
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    for flag in (
        "--runner",
        "--flink-master",
        "--job-server-jar",
        "--environment",
        "--parallelism",
        "--stall-minutes",
        "--probe-seconds",
    ):
        assert flag in shown.output
