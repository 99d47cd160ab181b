"""Processes on machines that can, or cannot, confine a policy's code, whatever this machine can."""

from questloom.agent.sandbox import Sandbox, SandboxLimits
from questloom.files.opened import Opened


def unconfined() -> Opened:
    """On a machine without a sandbox."""
    opened = Opened()
    opened.put("sandbox", (None, "bubblewrap is not installed"))
    return opened


def confined() -> Opened:
    """On one with a sandbox, in which nothing is run."""
    opened = Opened()
    opened.put("sandbox", (Sandbox("bwrap", b"", SandboxLimits()), ""))
    return opened
