"""Says where a job runs: in this process, on Flink, or on Dataflow. On every runner, the pipeline
and the resulting bytes are the same.

`pipeline/runners/runner_checks.py` checks the runner, and `pipeline/runners/submit.py` runs a
pipeline on it.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Gt

from questloom.files.settings_files import did_you_mean
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.records.errors import InputError

if TYPE_CHECKING:
    import apache_beam as beam

LOOPBACK = "loopback"
JOB_SERVER_JAVA = ("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Java options for the job server. The job server serves only one job, so Java's optimising
compiler would cost more time than it saves. The options shorten the server's start from 2.4 s to
1.2 s of CPU time."""
NO_FREEZE = "--experiments=disable_logging_submission_environment"
"""An option that stops Beam from sending the list of packages that are installed where the job is
submitted. Making the list of packages takes seconds, and the list contains private paths."""


@dataclass(frozen=True, kw_only=True)
class RunnerOptions:
    """The runner of a job, and the runner's options. No result of a job depends on the runner."""

    kind: RunnerKind = RunnerKind.LOCAL
    flink_master: str = "localhost:8081"
    """Host and port of the job manager's REST interface."""
    job_server_jar: str = ""
    """Beam's job server for the cluster's Flink version; "" for the published job server, which
    Beam downloads."""
    environment: str = LOOPBACK
    """The address where the task managers find Python workers: HOST:PORT of a worker pool, or
    "loopback" for this process (one machine only)."""
    parallelism: Annotated[int, Ge(0)] = 0
    """The number of slots that the job takes; 0 takes all free slots."""
    stall_minutes: Annotated[float, Gt(0)] = 60.0
    """A job that finishes no part for this many minutes is cancelled and reported. Set
    `stall_minutes` higher than the time that the largest task needs."""
    probe_seconds: Annotated[float, Ge(0)] = 50.0
    """Time limit in seconds for the tiny job that runs before the real job; 0 skips the tiny job.
    The tiny job shows that workers start, run this code and share the folders."""
    gpu: str = ""
    """Dataflow's accelerator for the stages that run CLIP ("type:nvidia-l4;count:1;install-nvidia-driver"); "" for none."""
    beam_args: tuple[str, ...] = ()
    """Further options for Beam, passed unchanged ("--project=…"). If Questloom sets the same
    option, the value given here wins."""

    @property
    def is_local(self) -> bool:
        return self.kind is RunnerKind.LOCAL

    @property
    def makes_template(self) -> bool:
        """Whether the job is only written to a file and not run: as Dataflow's template
        (`--template_location`) or as a translated graph (`--dry_run`)."""
        return any(a.startswith(("--template_location", "--dry_run")) for a in self.beam_args)

    def flink_options(self, *, name: str, flink_version: str, slots: int) -> list[str]:
        """Beam's options for a job on Flink.

        Args:
            name: the name of the job on Flink's pages.
            flink_version: the Flink version of the cluster, such as "1.19".
            slots: the number of slots that the job takes, if the options set no parallelism.
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
            # Flink releases a worker between two parts of a job, sometimes while the next part is
            # assigned to it ("SDK harness closed connection"). Keeping a worker for a minute
            # prevents this. The worker still ends with this process.
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
        """Beam's resource hints (such as a GPU) for the stages that run CLIP."""
        return {"accelerator": self.gpu} if self.gpu and self.kind is RunnerKind.DATAFLOW else {}

    def dataflow_options(self, *, name: str) -> list[str]:
        """Beam's options for a job on Dataflow."""
        return ["--runner=DataflowRunner", f"--job_name={name}", NO_FREEZE, *self.beam_args]


LOCAL = RunnerOptions()


def new_pipeline(workers: int, options: list[str] | None = None) -> "beam.Pipeline":
    """A pipeline on the runner that the options name. Without options, the pipeline runs in this
    process with this number of workers.

    Workers import the package themselves, so Beam need not pickle the main session.
    """
    # imported here, since importing Beam takes a second, and a wrong option should be told at once
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions

    from questloom.pipeline.runners.local_runner import local_runner

    logging.getLogger("apache_beam").setLevel(logging.ERROR)
    if options is None:
        return beam.Pipeline(
            runner=local_runner(workers),
            options=PipelineOptions([f"--direct_num_workers={workers}"], save_main_session=False),
        )
    return beam.Pipeline(options=PipelineOptions(options, save_main_session=False))


def check_arguments(kind: RunnerKind, arguments: tuple[str, ...], own: Iterable[str] = ()) -> None:
    """Raises an error for options that would not reach Beam, such as a misspelt flag.

    Args:
        arguments: the arguments that the command does not know.
        own: the command's own options, for a suggestion.

    Raises:
        InputError: Beam does not know an option, the local runner gets an option, or an option
            names another runner.
    """
    if not arguments:
        return
    if kind is RunnerKind.LOCAL:
        raise InputError(
            arguments[0],
            "is no option of this command",
            did_you_mean(arguments[0].partition("=")[0], own).strip()
            or "See --help; options of Beam need --runner flink or dataflow.",
        )
    if any(a == "--runner" or a.startswith("--runner=") for a in arguments):
        raise InputError("--runner", "is given twice", f"Use one of {', '.join(RunnerKind)}.")
    from apache_beam.options.pipeline_options import PipelineOptions

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
                did_you_mean(argument.partition("=")[0], own)
                + "See --help, and Beam's options with underscores (--temp_location=…).",
            )


def _inverse(name: str, known: dict) -> bool:
    """Whether Beam knows this flag, but stores its value under another name, as for
    --no_use_public_ips and --experiment."""
    bare = name.removeprefix("no_")
    return bare in known or f"{name}s" in known
