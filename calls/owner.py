"""Who holds a call in flight: a process of this machine, by pid and start time, so that a reused pid is another owner."""
import os
from pathlib import Path


def _start_time(pid: int) -> str:
    """Clock ticks from boot to the start of a process; "" where the system has no /proc (a lease must do there)."""
    try:
        # proc(5): field 22; the name in field 2 may hold spaces and brackets.
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except OSError:
        return ""


def this_owner() -> str:
    """The name of this process."""
    return f"{os.getpid()}:{_start_time(os.getpid())}"


def is_alive(owner: str) -> bool:
    """Whether the named process still runs on this machine."""
    pid, _, start = owner.partition(":")
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return start == _start_time(int(pid))
