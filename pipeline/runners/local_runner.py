"""Runs Beam in this process, without its usual output. The module asks for FnApiRunner by name,
since Beam's default runner would try to download a binary.

With several workers, each worker is a process that `pipeline/runners/quiet_worker.py` starts.
"""

import sys

from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment


def local_runner(workers: int) -> FnApiRunner:
    """The local runner with this number of worker processes. With 1, this process does all the work
    and starts no other. The runner needs the option `--direct_num_workers`."""
    if workers == 1:
        return FnApiRunner()
    return FnApiRunner(
        default_environment=SubprocessSDKEnvironment(
            command_string=f"{sys.executable} -m questloom.pipeline.runners.quiet_worker"
        )
    )
