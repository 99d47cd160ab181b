"""Beam's runner in process, quiet: FnApiRunner by name, since Beam's default would try to download a binary.

Of several workers each runs in its own process, started through `pipeline/runners/quiet_worker.py`.
"""

import sys

from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment


def local_runner(workers: int) -> FnApiRunner:
    """The runner in process, with so many worker processes (1: none but this one). To be used with `--direct_num_workers`."""
    if workers == 1:
        return FnApiRunner()
    return FnApiRunner(
        default_environment=SubprocessSDKEnvironment(
            command_string=f"{sys.executable} -m questloom.pipeline.runners.quiet_worker"
        )
    )
