"""Processes that outlive the command that started them. A file records each process. A process is
ended only if its pid still belongs to it."""

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
    """A process with its own process group, on Linux."""

    pid: int
    started: str
    """Clock ticks from boot to the start of the process. A later process with the same pid has a
    different number."""

    @property
    def alive(self) -> bool:
        return _started(self.pid) == self.started


def launch(command: list[str], log: Path, *, cwd: Path, environment: dict[str, str]) -> Process:
    """Starts a command in its own session and writes its output to a file."""
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
    """Ends processes and their child processes. SIGTERM comes first and SIGKILL some seconds later;
    with `signal.SIGKILL` the end is immediate."""
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
    """Field 22 of /proc/PID/stat; "" if the process is gone, or is a zombie that nobody has waited for."""
    with suppress(
        ChildProcessError
    ):  # another command may have started it; then we cannot wait for it
        os.waitpid(pid, os.WNOHANG)
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] == "Z" else fields[19]
