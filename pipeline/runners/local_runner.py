"""Runs Beam in this process, without its usual output. The module asks for FnApiRunner by name,
since Beam's default runner would try to download a binary.

With several workers, each worker is a process of its own (`forked_worker.py`).
"""

from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from questloom.pipeline.runners.forked_worker import ForkedEnvironment


def local_runner(workers: int) -> FnApiRunner:
    """The local runner with this number of worker processes. With 1, this process does all the work
    and starts no other. The runner needs the option `--direct_num_workers`."""
    if workers == 1:
        return FnApiRunner()
    return FnApiRunner(default_environment=ForkedEnvironment(workers))
