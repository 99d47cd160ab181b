"""Identifies the process that holds a call in flight, and tells whether that process still exists.

An owner is named by pid and start time, so a reused pid is another owner. A process that is
stopped, swapped out or starved still exists; only its own machine can see this.
"""

import os
from functools import cache
from pathlib import Path

DEAD = ("Z", "X")
"""States in which a process does nothing more. A zombie only waits to be reaped."""


def _state_and_start(pid: int) -> tuple[str, str]:
    """A process's state, and the clock ticks from boot to its start. Both results are "" if the
    system has no /proc, or hides the process."""
    try:
        # proc(5): fields 3 and 22; the name in field 2 may hold spaces and brackets.
        fields = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()
        )
        return fields[0], fields[19]
    except (OSError, IndexError):
        return "", ""


@cache
def boot_and_pid_namespace() -> str:
    """A name for this boot of the machine and the pid namespace; a container has its own namespace.
    The name is "" if the system does not tell boot and namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid').strip('pid:[]')}"
    except OSError:
        return ""


def this_owner() -> str:
    """The owner's name of this process."""
    return f"{os.getpid()}:{_state_and_start(os.getpid())[1]}"


def is_alive(owner: str) -> bool:
    """Whether the named process still exists on this machine. If only the pid's existence can be
    seen, the process counts as alive."""
    pid, _, start = owner.partition(":")
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    state, found = _state_and_start(int(pid))
    return state not in DEAD and found in ("", start)
