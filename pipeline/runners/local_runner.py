"""Runs Beam quietly in this process. The module names FnApiRunner, since Beam's default runner
would try to download a binary.

With several workers, `pipeline/runners/quiet_worker.py` starts a process for each.
"""

import sys

from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment


def local_runner(workers: int) -> FnApiRunner:
    """The local runner with this many worker processes; 1 means only this process. Use the runner
    with `--direct_num_workers`."""
    if workers == 1:
        return FnApiRunner()
    return FnApiRunner(
        default_environment=SubprocessSDKEnvironment(
            command_string=f"{sys.executable} -m questloom.pipeline.runners.quiet_worker"
        )
    )
