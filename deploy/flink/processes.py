"""Processes that keep running after the command that started them ends. Each process is recorded in
a file. The code ends a process only if the process still has the recorded pid and start time.
"""

import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

STOP_SECONDS = 10.0
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Process:
    """A process that has a process group of its own (Linux only)."""

    pid: int
    started: str
    """The start time of the process, in clock ticks after boot. If a later process gets the same
    pid, its start time differs.
    """

    @property
    def alive(self) -> bool:
        return _started(self.pid) == self.started


def launch(command: list[str], log: Path, *, cwd: Path, environment: dict[str, str]) -> Process:
    """Starts a command in a new session. The output of the command goes to a file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as out:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )
    return Process(child.pid, _started(child.pid))


def end(processes: list[Process], with_signal: signal.Signals = signal.SIGTERM) -> None:
    """Ends processes and their child processes. The processes get SIGTERM first and SIGKILL some
    seconds later. With `signal.SIGKILL`, the processes end at once.
    """
    alive = [p for p in processes if p.alive]
    for process in alive:
        _signal(process, with_signal)
    until = time.monotonic() + STOP_SECONDS
    while any(p.alive for p in alive) and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
    for process in alive:
        _signal(process, signal.SIGKILL)  # includes children that stayed in the group


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _started(pid: int) -> str:
    """Returns the start time of a process from /proc/PID/stat (field 22). Returns "" if the process
    has ended, even if it is still a zombie.
    """
    with suppress(
        ChildProcessError
    ):  # another command may have started it; then we cannot wait for it
        os.waitpid(pid, os.WNOHANG)
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] == "Z" else fields[19]
