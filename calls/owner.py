"""Who holds a call in flight: a process, by pid and start time, so that a reused pid is another owner; and whether it still exists.

A process that is stopped, swapped out or starved exists. On its own machine that can be seen.
"""

import os
from functools import cache
from pathlib import Path

DEAD = ("Z", "X")
"""States in which a process does nothing more: a zombie waits to be reaped only."""


def _state_and_start(pid: int) -> tuple[str, str]:
    """A process's state, and clock ticks from boot to its start; "" where the system has no /proc, or does not show us this one."""
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
    """A name of the machine since its boot, and of the pids that are seen here (a container has its own); "" where it cannot be told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid').strip('pid:[]')}"
    except OSError:
        return ""


def this_owner() -> str:
    """The name of this process."""
    return f"{os.getpid()}:{_state_and_start(os.getpid())[1]}"


def is_alive(owner: str) -> bool:
    """Whether the named process still exists on this machine. One of which no more can be seen than that its pid is taken counts as alive."""
    pid, _, start = owner.partition(":")
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    state, found = _state_and_start(int(pid))
    return state not in DEAD and found in ("", start)
