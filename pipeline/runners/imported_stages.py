"""Imports all stages of all jobs. The server from which workers fork imports this module first."""

import gc
import logging
import signal
import warnings

# Ctrl-C reaches every process of the terminal; the server would print a traceback while it imports
signal.signal(signal.SIGINT, signal.SIG_IGN)
# lance warns of any fork; this server forks before a thread of lance runs
warnings.filterwarnings("ignore", "lance is not fork-safe")
logging.getLogger().addHandler(logging.NullHandler())  # importing Beam logs warnings otherwise

from questloom.pipeline.runners.probe import import_jobs  # noqa: E402

import_jobs()
gc.freeze()  # what is imported is no garbage: workers need not look through it
