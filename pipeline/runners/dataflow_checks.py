"""Checks before a submission whether a job can run on Dataflow: libraries, options, credentials and the bucket."""

import importlib.util
from collections.abc import Collection, Iterator
from typing import Any

from apache_beam.options.pipeline_options import (
    GoogleCloudOptions,
    PipelineOptions,
    SetupOptions,
    WorkerOptions,
)

from questloom.agent.setup import MEND_SANDBOX
from questloom.agent.tool_settings import CONFINED
from questloom.files.locations import check_locations
from questloom.pipeline.runners.findings import Line, Status
from questloom.pipeline.runners.runner_options import RunnerOptions
from questloom.records.errors import QuestloomError


def dataflow_lines(
    runner: RunnerOptions, folders: tuple[str, ...], tools: Collection[str] = ()
) -> Iterator[Line]:
    """Yields one finding for each requirement of Dataflow, as
    `questloom.pipeline.runners.runner_checks.check_runner` does for any runner."""
    if importlib.util.find_spec("apitools") is None:
        yield Line(
            "dataflow",
            "libraries",
            Status.MISSING,
            "Beam's parts for Google Cloud are not installed",
            'pip install --editable ".[dataflow]"',
        )
        return
    yield Line("dataflow", "libraries", Status.OK, "apache-beam[gcp] is installed")
    options = PipelineOptions(runner.dataflow_options(name="questloom-check"))
    cloud: Any = options.view_as(GoogleCloudOptions)
    yield _given("project", cloud.project, "--project=PROJECT_ID")
    yield _given("region", cloud.region, "--region=europe-west1, or where your data is")
    bucket = cloud.temp_location or cloud.staging_location or ""
    if not bucket.startswith("gs://"):
        yield Line(
            "dataflow",
            "temp_location",
            Status.MISSING,
            f"{bucket!r} is no bucket" if bucket else "is not given",
            "Give --temp_location=gs://BUCKET/tmp.",
        )
    else:
        yield _bucket(bucket)
    setup, container = (
        options.view_as(SetupOptions).setup_file,
        options.view_as(WorkerOptions).sdk_container_image,
    )
    if setup or container:
        yield Line(
            "dataflow",
            "code",
            Status.OK,
            f"comes with {'the container ' + container if container else setup}",
        )
    else:
        yield Line(
            "dataflow",
            "code",
            Status.MISSING,
            "nothing brings questloom to the workers",
            "Give --sdk_container_image=IMAGE (deploy/Dockerfile), or --setup_file=./setup.py.",
        )
    yield from _sandbox(tools, has_container=bool(container))
    for folder in dict.fromkeys(folders):
        if "://" in folder:
            yield Line("dataflow", "folder", Status.OK, folder)
        else:
            yield Line(
                "dataflow",
                "folder",
                Status.MISSING,
                f"{folder} is a folder of this machine, which Dataflow's workers do not see",
                "Use gs:// paths.",
            )


def _given(name: str, value: str | None, example: str) -> Line:
    return (
        Line("dataflow", name, Status.OK, value)
        if value
        else Line("dataflow", name, Status.MISSING, "is not given", f"Give {example}.")
    )


def _sandbox(tools: Collection[str], *, has_container: bool) -> Iterator[Line]:
    """Whether workers will be able to run a policy's code in a sandbox. Since no worker exists yet,
    the check can only read the job's options."""
    if CONFINED in tools and not has_container:
        yield Line(
            "dataflow",
            "sandbox",
            Status.MISSING,
            f"without a container nothing brings bubblewrap to the workers, and {CONFINED} needs it",
            f"Give --sdk_container_image=IMAGE (deploy/Dockerfile). Otherwise: {MEND_SANDBOX}",
        )


def _bucket(bucket: str) -> Line:
    """Checks a bucket: writes a small object into it and removes the object."""
    try:
        check_locations(writes=[bucket])
    except QuestloomError as error:
        fix = getattr(error, "fix", "") or "Check the bucket's name, your rights and the network."
        return Line("dataflow", "bucket", Status.MISSING, str(error)[:400], fix)
    return Line("dataflow", "bucket", Status.OK, f"{bucket} can be written")
