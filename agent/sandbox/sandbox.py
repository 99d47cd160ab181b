"""Runs untrusted Python code with limits inside bubblewrap, a Linux program that isolates
processes. The report that comes out of the sandbox is untrusted too.

Three processes take part in a run. The calling process starts `driver.py`. The driver is process 1
of its own namespace. The driver enforces the limits and reports the result. The driver starts
`runner.py`, which runs the untrusted code. The code sees a read-only root with the interpreter and
its libraries, a private `/tmp`, and the episode's pictures in `/box`. The code has no network, home
folder or environment variables, and sees no other process.

If the calling process runs as root, the code gets its own user id, because the kernel counts
processes per user. If the calling process is not root, bubblewrap makes a user namespace. Running
code that only prints takes 0.12 s (measured), mostly for starting two interpreters.
"""

import asyncio
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from questloom.agent.sandbox.seccomp import NoFilterError, syscall_filter

HERE = Path(__file__).parent
MIN_VERSION = (0, 8)
GRACE_SECONDS = 5.0
"""If the code does not stop at its time limit, the whole sandbox is killed from outside after this
number of seconds."""
FIRST_ID, LAST_ID = 30_000, 60_000
"""A range of user ids that no Linux distribution gives to users, and that also exist inside
containers. If root runs code, each run uses a random user id from the range."""
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp/.matplotlib",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
_SYSTEM = (
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/sbin",
    "/etc/ld.so.cache",
    "/etc/fonts",
)
_PROBE = """
import os, socket
for name, attempt in (
    ("system calls", socket.socket), ("network", lambda: len(open("/proc/net/route").readlines()) > 1 or os.stat("/proc/3000000")),
    ("write", lambda: open("/usr/x", "w")), ("root", lambda: open("/x", "w")), ("box", lambda: open("/box/x", "w")),
    ("other processes", lambda: os.kill(1, 9) or os.stat("/proc/3000000")), ("privileges", lambda: os.setuid(0) or os.stat("/proc/3000000"))):
    try:
        attempt()
        print("escaped:", name)
    except OSError:
        pass
print("environment:", sorted(set(os.environ) - set(%r)))
print("contained")
"""


@dataclass(frozen=True, kw_only=True)
class SandboxLimits:
    """The hard limits of a run."""

    memory_bytes: int = 1 << 30
    """Maximum memory in bytes of all processes together. A single allocation above this limit fails
    at once."""
    tasks: int = 64
    """Maximum number of processes and threads at a time."""
    output_bytes: int = 1 << 16
    """Maximum number of bytes of stdout and of stderr; more output stops the code."""
    file_bytes: int = 32 << 20
    tmp_bytes: int = 96 << 20
    tmp_files: int = 10_000
    """Maximum number of files in `/tmp`. Each file in `/tmp` takes a kilobyte of kernel memory, which no other limit
    counts."""
    figures: int = 8
    figure_bytes: int = 16 << 20
    """Maximum size in bytes of all figures together."""
    parallel: int = 4
    """Maximum number of sandboxes that run at the same time."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """The result of running code once."""

    stdout: str
    stderr: str
    exit_code: int
    limit: str = ""
    """The limit that stopped the code: "time", "memory", "processes" or "output"; "" if no limit stopped it."""
    why: str = ""
    figures: tuple[bytes, ...] = ()
    num_figures: int = 0
    """The number of all figures that the code made. `figures` holds only the first figures, as many
    as the limits allow."""
    seconds: float = 0.0


class SandboxFault(Exception):
    """The sandbox itself failed. The code may or may not have run."""


class Sandbox:
    """Runs untrusted code in the sandbox. Use `open_sandbox` to get a sandbox that was tested on this machine."""

    def __init__(self, bwrap: str, filter_program: bytes, limits: SandboxLimits) -> None:
        self.limits = limits
        self._bwrap, self._filter = bwrap, filter_program
        self._slots: asyncio.Semaphore | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(
        self, code: str, *, pictures: tuple[bytes, ...] = (), seconds: float = 12.0
    ) -> Ran:
        """Runs code once.

        Args:
            code: untrusted Python code.
            pictures: JPEG or PNG files, which the code finds by number.
            seconds: limit on wall time.

        Raises:
            SandboxFault: there is no report, because the sandbox could not start or was destroyed.
        """
        async with self._slot():
            try:
                with tempfile.TemporaryDirectory(prefix="questloom-") as folder:
                    box = Path(folder)
                    _lay_out(box, code, pictures)
                    return await self._run(box, seconds)
            except OSError as error:  # a full disk or no free process: not caused by the code
                raise SandboxFault(f"it could not be started ({error})") from error

    def _slot(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        if self._slots is None or self._loop is not loop:
            self._slots, self._loop = asyncio.Semaphore(self.limits.parallel), loop
        return self._slots

    async def _run(self, box: Path, seconds: float) -> Ran:
        filter_end, filter_start = os.pipe()
        try:
            os.write(filter_start, self._filter)  # a few KiB, less than a pipe holds
            os.close(filter_start)
            process = await asyncio.create_subprocess_exec(
                *self._command(box, seconds, filter_end),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={},
                cwd="/",
                pass_fds=(filter_end,),
                start_new_session=True,
            )
        finally:
            os.close(filter_end)
        assert process.stdout is not None and process.stderr is not None
        most = self.limits.figure_bytes + 12 * self.limits.output_bytes + (1 << 16)
        try:
            async with asyncio.timeout(seconds + GRACE_SECONDS):
                report, said = await asyncio.gather(
                    _read(process.stdout, most), _read(process.stderr, 4096)
                )
                await process.wait()
        except TimeoutError:
            return Ran(
                stdout="",
                stderr="",
                exit_code=-9,
                limit="time",
                why=f"it did not end within {seconds:g} s",
            )
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return _read_report(report, said, self.limits)

    def _command(self, box: Path, seconds: float, filter_fd: int) -> list[str]:
        root = os.getuid() == 0
        command = [
            self._bwrap,
            "--unshare-ipc",
            "--unshare-pid",
            "--unshare-net",
            "--unshare-uts",
            "--unshare-cgroup-try",
        ]
        command += (
            [
                "--cap-drop",
                "ALL",
                "--cap-add",
                "CAP_SETUID",
                "--cap-add",
                "CAP_SETGID",
                "--cap-add",
                "CAP_KILL",
            ]
            if root
            else ["--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"]
        )
        command += [
            "--die-with-parent",
            "--new-session",
            "--as-pid-1",
            "--hostname",
            "sandbox",
            "--clearenv",
        ]
        for name, value in _ENVIRONMENT.items():
            command += ["--setenv", name, value]
        command += [
            "--perms",
            "0755",
            "--dir",
            "/etc",
        ]  # parent folders that bubblewrap creates are readable by root alone
        for path in _SYSTEM:
            if os.path.islink(path):
                command += ["--symlink", os.readlink(path), path]
            elif os.path.exists(path):
                command += ["--ro-bind", path, path]
        command += ["--perms", "1777", "--size", str(self.limits.tmp_bytes), "--tmpfs", "/tmp"]
        for path in dict.fromkeys(
            (sys.base_prefix, sys.prefix)
        ):  # mounted after /tmp, because an environment may lie in /tmp
            if not path.startswith("/usr"):
                for parent in [p for p in [*Path(path).parents][-2::-1] if str(p) != "/tmp"]:
                    command += ["--perms", "0755", "--dir", str(parent)]
                command += ["--ro-bind", path, path]
        command += [
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--remount-ro",
            "/dev",
            "--ro-bind",
            str(box),
            "/box",
            "--chdir",
            "/tmp",
            "--remount-ro",
            "/",
            "--seccomp",
            str(filter_fd),
        ]
        told = {
            "seconds": seconds,
            "memory_bytes": self.limits.memory_bytes,
            "tasks": self.limits.tasks,
            "output_bytes": self.limits.output_bytes,
            "file_bytes": self.limits.file_bytes,
            "tmp_files": self.limits.tmp_files,
            "figures": self.limits.figures,
            "figure_bytes": self.limits.figure_bytes,
            "user": random.SystemRandom().randint(FIRST_ID, LAST_ID) if root else 0,
        }
        return [*command, "--", sys.executable, "-I", "/box/driver.py", json.dumps(told)]


def open_sandbox(limits: SandboxLimits | None = None) -> tuple[Sandbox | None, str]:
    """Tests the sandbox on this machine. Returns the sandbox, or None and the reason. Without a
    sandbox, code never runs.

    Args:
        limits: limits on each run.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None, "bubblewrap is not installed (Debian and Ubuntu: apt-get install bubblewrap)"
    if platform.system() != "Linux":
        return None, f"no system call filter is known for {platform.system()}"
    version = tuple(
        int(part)
        for part in re.findall(
            r"\d+",
            subprocess.run(
                [bwrap, "--version"], capture_output=True, text=True, check=False
            ).stdout,
        )[:2]
    )
    if version < MIN_VERSION:
        return (
            None,
            f"bubblewrap {'.'.join(map(str, version)) or 'of unknown version'} is too old; 0.8 or later is needed",
        )
    try:
        sandbox = Sandbox(bwrap, syscall_filter(platform.machine()), limits or SandboxLimits())
        ran = _run_apart(sandbox, _PROBE % sorted(_ENVIRONMENT))
    except NoFilterError as error:
        return None, str(error)
    except SandboxFault as fault:
        return None, f"bubblewrap cannot confine a process on this machine ({fault})"
    if ran.stdout.splitlines() != ["environment: []", "contained"] or ran.exit_code or ran.limit:
        return (
            None,
            f"bubblewrap does not contain a process on this machine ({ran.why or ran.stdout[:200] or ran.stderr[-300:]})",
        )
    return sandbox, ""


def _run_apart(sandbox: Sandbox, code: str) -> Ran:
    """Runs code once on a new event loop, even if this thread already has a running loop."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, sandbox.run(code)).result()


def _lay_out(box: Path, code: str, pictures: tuple[bytes, ...]) -> None:
    """Writes the files in /box so that the code's user can read them."""
    (box / "code.py").write_text(code, encoding="utf-8", errors="replace")
    (box / "images").mkdir()
    for number, data in enumerate(pictures):
        kind = "png" if data.startswith(b"\x89PNG") else "jpg"
        (box / "images" / f"{number}.{kind}").write_bytes(data)
    for name in ("driver.py", "runner.py"):
        shutil.copyfile(HERE / name, box / name)
    for path in (box, *box.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


async def _read(stream: asyncio.StreamReader, most: int) -> bytes:
    """Reads a stream up to `most` bytes. Bytes after the first `most` bytes are read and dropped,
    so that the writing process need not wait."""
    kept = bytearray()
    while data := await stream.read(1 << 16):
        kept += data[: most - len(kept)]
    return bytes(kept)


def _read_report(report: bytes, said: bytes, limits: SandboxLimits) -> Ran:
    """Parses the driver's report. The report is a length in eight bytes, a JSON text of this
    length, then the files of the figures."""
    length = int.from_bytes(report[:8], "big")
    try:
        told = json.loads(report[8 : 8 + length]) if 0 < length <= len(report) - 8 else None
        at, figures = 8 + length, []
        for size in [] if told is None else told["figures"][: limits.figures]:
            figures.append(report[at : at + int(size)])
            at += int(size)
        if told is not None:
            return Ran(
                stdout=str(told["stdout"]),
                stderr=str(told["stderr"]),
                exit_code=int(told["exit_code"]),
                limit=str(told["limit"]),
                why=str(told["why"]),
                figures=tuple(f for f in figures if f),
                num_figures=int(told["num_figures"]),
                seconds=float(told["seconds"]),
            )
    except (ValueError, LookupError, TypeError) as error:
        raise SandboxFault(f"its report cannot be read ({type(error).__name__})") from error
    raise SandboxFault(
        f"no report; it said: {said[-300:].decode('utf-8', 'replace').strip() or 'nothing'}"
    )
