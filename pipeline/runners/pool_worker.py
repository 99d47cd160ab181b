"""One worker of `questloom.pipeline.runners.worker_pool`. The worker imports the package, reports
that it is ready, and then serves Beam's control stream until the stream ends.
"""

import faulthandler
import logging
import os
import sys

if __name__ == "__main__":
    faulthandler.enable()
    logging.basicConfig(level=logging.WARNING)
    control, worker_id = sys.argv[1:]
    from apache_beam.runners.worker.sdk_worker import SdkHarness

    from questloom.pipeline.runners.probe import import_jobs
    from questloom.pipeline.runners.worker_pool import READY

    import_jobs()  # a worker that cannot import its stages must not report that it is ready
    harness = SdkHarness(
        control, worker_id=worker_id, state_cache_size=0, data_buffer_time_limit_ms=-1
    )
    os.write(1, READY)
    # Nobody reads stdout from here on: library output must go to stderr, or the pipe would fill and
    # block the worker.
    os.dup2(2, 1)
    harness.run()
