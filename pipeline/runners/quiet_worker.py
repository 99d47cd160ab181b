"""Runs Beam's worker process so quietly that it logs only errors. The errors go only to the
command's log.

Beam's own worker (`apache_beam.runners.worker.sdk_worker_main`) always logs its start and end at
level INFO, and these lines would disturb the progress bar. Logging is set up before Beam is
imported, since the import itself already logs.
"""

import gc
import logging
import os
import sys

YOUNG = 100_000
"""The number of new objects after which Python looks for garbage. A worker keeps millions of facts,
which Python would look through after every 700 new objects."""

if __name__ == "__main__":
    # The command's log, or stderr if there is none. (Importing questloom.pipeline.runners.run_log
    # here would import Beam first.)
    handler = (
        logging.FileHandler(os.environ["QUESTLOOM_LOG"], encoding="utf-8", delay=True)
        if "QUESTLOOM_LOG" in os.environ
        else logging.StreamHandler()
    )
    if "QUESTLOOM_LOG" in os.environ:
        sys.stderr = open(os.environ["QUESTLOOM_LOG"], "a", encoding="utf-8", buffering=1)  # noqa: SIM115  # Beam prints tracebacks there, too
    handler.setLevel(logging.ERROR)
    logging.basicConfig(handlers=[handler])
    gc.set_threshold(YOUNG)
    from apache_beam.runners.worker import sdk_worker_main

    sdk_worker_main.main(sys.argv)
