"""This program is process 1 inside the sandbox. The driver starts the untrusted code with limits,
watches the code, and reports on stdout. This program uses only the standard library.

This file is copied into the sandbox and run there. No other module imports it. No other process in
the sandbox can kill process 1. When process 1 ends, all other processes in the sandbox die. The
kernel limits what each process may use. The driver also checks all processes together, fifty times
a second.
"""

import ctypes
import json
import os
import resource
import select
import signal
import stat
import sys
import time

WATCH_SECONDS = 0.02
OUT_OF_MEMORY = 70
"""The exit code of `runner.py` if the untrusted code raised a MemoryError."""
FIGURES = "/tmp/figures"
PR_SET_DUMPABLE = 4


def main() -> None:
    told = json.loads(sys.argv[1])
    # Otherwise code of the same user could write into this process, or into its report through /proc/1/fd.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    os.mkdir(FIGURES)
    os.chmod(FIGURES, 0o777)
    outputs = (os.pipe(), os.pipe())
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        become_the_code(told, outputs)
    for _, end in outputs:
        os.close(end)
    watch = Watch(told, child, [start for start, _ in outputs], began)
    watch.until_the_end()
    kill_all()
    report(told, watch, time.monotonic() - began)


def become_the_code(told: dict, outputs: tuple) -> None:
    """Runs in the child process. Sets the limits and the user id, then executes `runner.py`. This
    function never returns."""
    try:
        silent = os.open("/dev/null", os.O_RDONLY)
        for target, source in enumerate((silent, outputs[0][1], outputs[1][1])):
            os.dup2(source, target)
        os.closerange(3, 1024)
        os.environ.pop("PWD", None)  # bubblewrap sets it
        os.nice(5)
        if told["user"]:
            os.setgroups([])
            os.setgid(told["user"])
            os.setuid(told["user"])
        memory, cpu = told["memory_bytes"], int(told["seconds"]) + 2
        for kind, most in (
            (resource.RLIMIT_DATA, memory),
            (resource.RLIMIT_AS, 4 * memory),
            (resource.RLIMIT_CPU, cpu),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, told["file_bytes"]),
            (resource.RLIMIT_NOFILE, 128),
            (resource.RLIMIT_STACK, 8 << 20),
            (resource.RLIMIT_NPROC, told["tasks"] + 8),
        ):  # the watch stops the code first and reports it
            resource.setrlimit(kind, (most, most))
        os.execv(sys.executable, [sys.executable, "-I", "/box/runner.py"])
    except BaseException as error:
        os.write(2, f"the sandbox could not start the code: {error}".encode())
    os._exit(127)


class Watch:
    """Reads what the untrusted code prints, and stops the code when it reaches a limit."""

    def __init__(self, told: dict, child: int, streams: list, began: float) -> None:
        self.told, self.child, self.streams = told, child, streams
        self.end = began + told["seconds"]
        self.texts = {stream: bytearray() for stream in streams}
        self.exit_code: int | None = None
        self.limit = self.why = ""

    def until_the_end(self) -> None:
        waiting = select.poll()
        for stream in self.streams:
            os.set_blocking(stream, False)
            waiting.register(stream, select.POLLIN | select.POLLHUP)
        watched = 0.0
        while self.exit_code is None and not self.limit:
            for stream, _ in waiting.poll(1000 * WATCH_SECONDS):
                if not self.read(stream):
                    waiting.unregister(stream)
            self.reap()
            if time.monotonic() - watched >= WATCH_SECONDS:
                self.look()
                watched = time.monotonic()
        self.look()
        for stream in self.streams:
            while self.read(stream):
                pass
        if self.exit_code == OUT_OF_MEMORY:
            self.passed(
                "memory", f"it asked for more than {self.told['memory_bytes'] >> 20} MiB of memory"
            )

    def read(self, stream: int) -> int:
        """Reads a stream and returns the number of bytes that were read. The number is 0 at the end
        of the stream, or if no bytes are waiting."""
        try:
            data = os.read(stream, 1 << 16)
        except BlockingIOError:
            return 0
        text, most = self.texts[stream], self.told["output_bytes"]
        text += data[: most - len(text)]
        if len(data) and len(text) >= most:
            self.passed("output", f"it printed more than {most} bytes")
            return 0
        return len(data)

    def reap(self) -> None:
        """Cleans up after child processes that have ended. Orphaned processes also become children
        of process 1."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.child:
                self.exit_code = os.waitstatus_to_exitcode(status)
                if self.exit_code == -signal.SIGXCPU:
                    self.passed("time", "it used up its processor time")

    def look(self) -> None:
        if time.monotonic() > self.end:
            self.passed("time", f"it did not end within {self.told['seconds']:g} s")
        memory = tasks = 0
        for name in os.listdir("/proc"):
            if not name.isdigit() or name == "1":
                continue
            try:
                with open(f"/proc/{name}/status") as file:
                    for line in file:
                        if line.startswith(("RssAnon:", "RssShmem:")):
                            memory += int(line.split()[1]) << 10
                        elif line.startswith("Threads:"):
                            tasks += int(line.split()[1])
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue  # the process has just ended
        tmp = os.statvfs("/tmp")
        if tmp.f_files - tmp.f_ffree > self.told["tmp_files"]:
            self.passed("output", f"it made more than {self.told['tmp_files']} files")
        if memory > self.told["memory_bytes"]:
            self.passed(
                "memory", f"it used more than {self.told['memory_bytes'] >> 20} MiB of memory"
            )
        if tasks >= self.told["tasks"]:
            self.passed("processes", f"it started {self.told['tasks']} processes and threads")

    def passed(self, limit: str, why: str) -> None:
        if not self.limit:
            self.limit, self.why = limit, why


def kill_all() -> None:
    """Kills all other processes in the sandbox."""
    end = time.monotonic() + 2
    while time.monotonic() < end:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.002)


def figures(told: dict) -> tuple:
    """Reads the files in the folder `figures`, within the limits. Returns the files by name, and
    the number of all files there. Links and special files are left out."""
    found: list[bytes] = []
    num, room = 0, told["figure_bytes"]
    try:
        folder = os.open(FIGURES, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # the code has removed or replaced the file
        return found, num
    for name in sorted(os.listdir(folder))[:1000]:
        try:
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        except OSError:
            continue
        try:
            facts = os.fstat(file)
            if not stat.S_ISREG(facts.st_mode) or not facts.st_size:
                continue
            num += 1
            if facts.st_size > room or len(found) == told["figures"]:
                continue
            with open(file, "rb", closefd=False) as opened:
                data = opened.read(facts.st_size)
        finally:
            os.close(file)
        found.append(data)
        room -= len(data)
    return found, num


def report(told: dict, watch: Watch, seconds: float) -> None:
    stdout, stderr = (
        bytes(watch.texts[stream]).decode("utf-8", "replace") for stream in watch.streams
    )
    pictures, num_pictures = figures(told)
    head = json.dumps(
        {
            "stdout": stdout,
            "stderr": stderr,
            "exit_code": -9 if watch.exit_code is None else watch.exit_code,
            "limit": watch.limit,
            "why": watch.why,
            "seconds": seconds,
            "figures": [len(p) for p in pictures],
            "num_figures": num_pictures,
        }
    ).encode()
    with os.fdopen(1, "wb") as out:
        out.write(len(head).to_bytes(8, "big") + head)
        for picture in pictures:
            out.write(picture)


main()
