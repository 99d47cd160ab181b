"""Identifies the process that is waiting for a call's reply, and tells whether that process still
exists.

An owner is identified by its process id (pid) and start time. If another process later gets the
same pid, it is another owner. A process still exists if it is stopped, swapped out or starved. Only
processes on the same machine can check whether the owner still exists.
"""

import os
from functools import cache
from pathlib import Path

DEAD = ("Z", "X")
"""Process states in which a process can do no more work. A zombie process only waits until its
parent reads its exit status.
"""


def _state_and_start(pid: int) -> tuple[str, str]:
    """Returns the state of a process, and its start time in clock ticks since boot. Both results
    are "" if the system has no /proc or hides the process in it.
    """
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
    """A name for the current boot of the machine and the current pid namespace. A container has a
    pid namespace of its own. The name is "" if the system reports neither the boot nor the
    namespace.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid').strip('pid:[]')}"
    except OSError:
        return ""


def this_owner() -> str:
    """Returns the name of this process as an owner of calls."""
    return f"{os.getpid()}:{_state_and_start(os.getpid())[1]}"


def is_alive(owner: str) -> bool:
    """Whether the process with this name still exists on this machine. A process also counts as
    alive if the system shows only that its pid exists.
    """
    pid, _, start = owner.partition(":")
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    state, found = _state_and_start(int(pid))
    return state not in DEAD and found in ("", start)
