"""Beam's runner in process, quiet: FnApiRunner by name, since Beam's default would try to download a binary.

With several workers each is a process of its own, started through `pipeline/quiet_worker.py`.
"""
import logging
import sys

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment


def local_runner(workers: int) -> FnApiRunner:
    """The runner in process, with so many worker processes (1: none but this one). To be used with `--direct_num_workers`."""
    if workers == 1:
        return FnApiRunner()
    return FnApiRunner(default_environment=SubprocessSDKEnvironment(command_string=f"{sys.executable} -m pipeline.quiet_worker"))


def new_pipeline(workers: int, beam_args: tuple[str, ...] = ()) -> beam.Pipeline:
    """A pipeline in process, or on the runner that the arguments name.

    Args:
        workers: processes, in process.
        beam_args: passed to Beam as they are ("--runner=FlinkRunner", …).
    """
    logging.getLogger("apache_beam").setLevel(logging.ERROR)
    if any(argument.startswith("--runner") for argument in beam_args):
        return beam.Pipeline(options=PipelineOptions(list(beam_args), save_main_session=False))
    options = PipelineOptions([*beam_args, f"--direct_num_workers={workers}"], save_main_session=False)
    return beam.Pipeline(runner=local_runner(workers), options=options)
