"""Beam's worker process, with only errors, and those in the command's log.

Beam's own (`apache_beam.runners.worker.sdk_worker_main`) writes its start and its end at level INFO whatever the options
say, which would drown the progress bar. Logging is set up before Beam is imported, since that logs already.
"""

import logging
import os
import sys

if __name__ == "__main__":
    # The command's log; without one, stderr. (questloom.pipeline.runners.run_log would import Beam first.)
    handler = (
        logging.FileHandler(os.environ["QUESTLOOM_LOG"], encoding="utf-8", delay=True)
        if "QUESTLOOM_LOG" in os.environ
        else logging.StreamHandler()
    )
    if "QUESTLOOM_LOG" in os.environ:
        sys.stderr = open(os.environ["QUESTLOOM_LOG"], "a", encoding="utf-8", buffering=1)  # noqa: SIM115  # Beam prints tracebacks there, too
    handler.setLevel(logging.ERROR)
    logging.basicConfig(handlers=[handler])
    from apache_beam.runners.worker import sdk_worker_main

    sdk_worker_main.main(sys.argv)
