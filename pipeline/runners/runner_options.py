"""Where a job runs: in process, on a Flink cluster, on Dataflow. The graph is the same, and so are the bytes.

`pipeline/runners/submit.py` runs a pipeline there, `pipeline/runners/runner_checks.py` looks before whether it can.
"""

import logging
from dataclasses import dataclass
from typing import Annotated

import apache_beam as beam
from annotated_types import Ge, Gt
from apache_beam.options.pipeline_options import PipelineOptions

from questloom.pipeline.runners.local_runner import local_runner
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.records.errors import InputError

LOOPBACK = "loopback"
JOB_SERVER_JAVA = ("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""It lives for one job: the optimising compiler would cost more than it saves. Ready after 1.2 s of CPU instead of 2.4."""
NO_FREEZE = "--experiments=disable_logging_submission_environment"
"""Beam would stage a list of the submitting environment, with its path: the path is nobody's business, and the list takes seconds."""


@dataclass(frozen=True, kw_only=True)
class RunnerOptions:
    """Which runner, and how it is reached. No result depends on it."""

    kind: RunnerKind = RunnerKind.LOCAL
    flink_master: str = "localhost:8081"
    """Host and port of the job manager's REST interface."""
    job_server_jar: str = ""
    """Beam's job server for the cluster's Flink version; "" for the published one, which Beam downloads."""
    environment: str = LOOPBACK
    """Where the task managers find Python workers: HOST:PORT of a worker pool, or "loopback" for this process (one machine only)."""
    parallelism: Annotated[int, Ge(0)] = 0
    """Slots that the job takes; 0 for all that are free."""
    stall_minutes: Annotated[float, Gt(0)] = 60.0
    """A job of which no part was finished for so long is cancelled and reported. The largest task must fit in."""
    probe_seconds: Annotated[float, Ge(0)] = 50.0
    """A tiny job goes first, which shows that workers start, run this code and share the folders; it may take so long. 0: none."""
    gpu: str = ""
    """Dataflow's accelerator for the stages that run CLIP ("type:nvidia-l4;count:1;install-nvidia-driver"); "" for none."""
    beam_args: tuple[str, ...] = ()
    """Further options of Beam, as they are ("--project=…"); they win over ours."""

    @property
    def is_local(self) -> bool:
        return self.kind is RunnerKind.LOCAL

    @property
    def makes_template(self) -> bool:
        """Whether nothing is run: Dataflow's template is written (`--template_location`), or the graph only translated (`--dry_run`)."""
        return any(a.startswith(("--template_location", "--dry_run")) for a in self.beam_args)

    def flink_options(self, *, name: str, flink_version: str, slots: int) -> list[str]:
        """Beam's options for a job on Flink.

        Args:
            name: of the job, as Flink's pages show it.
            flink_version: of the cluster, "1.19".
            slots: that the job takes where the options name no parallelism.
        """
        options = [
            "--runner=FlinkRunner",
            f"--flink_master={self.flink_master}",
            f"--flink_version={flink_version}",
            f"--job_name={name}",
            f"--parallelism={self.parallelism or slots}",
            NO_FREEZE,
        ]
        if self.job_server_jar:
            options.append(f"--flink_job_server_jar={self.job_server_jar}")
        options += [f"--job_server_jvm_properties={flag}" for flag in JOB_SERVER_JAVA]
        if self.environment == LOOPBACK:
            # Flink lets a worker go between two parts of a job and may do so while it is handed the next ("SDK harness closed connection").
            # Kept for a minute it is not; it ends with this process all the same.
            return [
                *options,
                "--environment_type=LOOPBACK",
                "--environment_cache_millis=60000",
                *self.beam_args,
            ]
        return [
            *options,
            "--environment_type=EXTERNAL",
            f"--environment_config={self.environment}",
            *self.beam_args,
        ]

    @property
    def clip_hints(self) -> dict[str, str]:
        """Beam's resource hints for the stages that run CLIP."""
        return {"accelerator": self.gpu} if self.gpu and self.kind is RunnerKind.DATAFLOW else {}

    def dataflow_options(self, *, name: str) -> list[str]:
        """Beam's options for a job on Dataflow."""
        return ["--runner=DataflowRunner", f"--job_name={name}", NO_FREEZE, *self.beam_args]


LOCAL = RunnerOptions()


def new_pipeline(workers: int, options: list[str] | None = None) -> beam.Pipeline:
    """A pipeline in process with so many workers, or on the runner that the options name.

    Workers import the package; nothing of the main session is pickled.
    """
    logging.getLogger("apache_beam").setLevel(logging.ERROR)
    if options is None:
        return beam.Pipeline(
            runner=local_runner(workers),
            options=PipelineOptions([f"--direct_num_workers={workers}"], save_main_session=False),
        )
    return beam.Pipeline(options=PipelineOptions(options, save_main_session=False))


def check_arguments(kind: RunnerKind, arguments: tuple[str, ...]) -> None:
    """Refuses options of Beam that would not reach it: a misspelt flag must not pass.

    Raises:
        InputError: one that no part of Beam knows; one given for the runner in process; another runner.
    """
    if not arguments:
        return
    if kind is RunnerKind.LOCAL:
        raise InputError(
            arguments[0],
            "is no option of this command",
            "See --help; options of Beam need --runner flink or dataflow.",
        )
    if any(a == "--runner" or a.startswith("--runner=") for a in arguments):
        raise InputError("--runner", "is given twice", f"Use one of {', '.join(RunnerKind)}.")
    known = PipelineOptions(list(arguments)).get_all_options()
    for argument in arguments:
        name = argument.removeprefix("--").split("=", 1)[0]
        if (
            argument.startswith("--")
            and name.replace("-", "_") not in known
            and not _inverse(name, known)
        ):
            raise InputError(
                argument,
                "is an option neither of this command nor of Beam",
                "See --help, and Beam's options with underscores (--temp_location=…).",
            )


def _inverse(name: str, known: dict) -> bool:
    """Whether a flag is stored under another name: --no_use_public_ips, --experiment."""
    bare = name.removeprefix("no_")
    return bare in known or f"{name}s" in known
