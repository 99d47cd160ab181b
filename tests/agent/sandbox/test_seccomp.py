"""The system call filter: what is not on its list fails, and without the filter there is no sandbox."""

import ctypes.util
import errno
import os
import platform
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyseccomp
import pytest

from questloom.agent.sandbox import open_sandbox
from questloom.agent.sandbox.seccomp import (
    ALLOWED,
    MACHINES,
    NEW_NAMESPACES,
    NoFilterError,
    syscall_filter,
)
from tests.agent.sandbox.classic_bpf import ALLOW, AUDIT_ARCHITECTURES, ERRNO, KILL_PROCESS, answer

PROJECT = Path(__file__).parents[3]
EPERM, ENOSYS = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS
SOME_ARGUMENTS = ("clone", "socketpair", "sendto", "mknod", "mknodat", "prctl", "ioctl")
TIOCSTI, HIGH_BITS = 0x5412, 1 << 32
CLONE_NEWUSER, SIGCHLD = 0x10000000, 17
A_THREAD = 0x3D0F00
"""The flags of pthread_create."""


def number_of(name: str, machine: str) -> int:
    return pyseccomp.resolve_syscall(AUDIT_ARCHITECTURES[machine], name)


@pytest.fixture(scope="module", params=MACHINES)
def of(request):
    """`of("clone", flags)`: the action of the filter of each machine; calls by name or number."""
    program = syscall_filter(request.param)

    def action(call: str | int, *arguments: int, machine: str = request.param) -> int:
        return answer(
            program,
            machine,
            call if isinstance(call, int) else number_of(call, request.param),
            *arguments,
        )

    action.machine = request.param
    return action


def test_the_calls_on_the_list_pass_and_no_other_number_does(of):
    listed = {n for name in ALLOWED if (n := number_of(name, of.machine)) >= 0}
    assert {n for n in range(2000) if of(n) == ALLOW} - {
        number_of(name, of.machine) for name in SOME_ARGUMENTS
    } == listed
    assert len(listed) > 130 and {of(n) for n in (2000, 4000, (1 << 30) - 1)} == {ENOSYS}


@pytest.mark.parametrize("name", ["open", "stat", "poll", "fork", "pipe"])
def test_older_calls_that_arm64_lacks_are_left_out_there(name):
    assert number_of(name, "x86_64") >= 0 > number_of(name, "aarch64") and name in ALLOWED


DOORS = [
    "socket",
    "ptrace",
    "process_vm_writev",
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "unshare",
    "setns",
    "bpf",
    "keyctl",
    "add_key",
    "io_uring_setup",
    "perf_event_open",
    "userfaultfd",
    "personality",
    "memfd_create",
    "shmget",
    "msgget",
    "mq_open",
]
UNLISTED = [
    "clone3",
    "io_uring_enter",
    "fsopen",
    "move_mount",
    "pidfd_open",
    "inotify_init1",
    "setxattr",
    "connect",
    "bind",
    "sendmsg",
    "setsockopt",
    "execveat",
    "openat2",
    "vmsplice",
    "timer_create",
    "mlock",
    "reboot",
]


@pytest.mark.parametrize("name", DOORS)
def test_doors_of_the_kernel_are_not_permitted(of, name):
    assert of(name, 1) == EPERM


@pytest.mark.parametrize("name", UNLISTED)
def test_calls_that_are_not_on_the_list_are_as_on_a_kernel_without_them(of, name):
    assert of(name) == ENOSYS


def test_threads_and_processes_can_be_made_and_namespaces_cannot(of):
    assert of("clone", SIGCHLD) == of("clone", A_THREAD) == ALLOW
    for bit in (1 << place for place in range(32) if NEW_NAMESPACES >> place & 1):
        assert (
            of("clone", bit | SIGCHLD)
            == of("clone", bit | A_THREAD)
            == of("clone", bit | HIGH_BITS)
            == ENOSYS
        )


@pytest.mark.parametrize(
    ("call", "place", "allowed", "tried"),
    [
        ("socketpair", 0, {1}, range(64)),
        ("sendto", 4, {0}, [0, 1, 4096, HIGH_BITS]),
        ("prctl", 0, {4, 15, 16, 23}, range(80)),
        (
            "ioctl",
            1,
            {0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451},
            [*range(0x5400, 0x5480), 0x40049409, 0x8912],
        ),
    ],
)
def test_an_argument_of_the_list_passes_and_no_other(of, call, place, allowed, tried):
    assert {value for value in tried if of(call, *[0] * place, value) == ALLOW} == allowed
    assert of("ioctl", 0, TIOCSTI | HIGH_BITS) == ENOSYS, "the kernel reads 32 bits"


def test_pipes_can_be_named_and_devices_and_sockets_cannot(of):
    places = {"mknod": 1, "mknodat": 2} if of.machine == "x86_64" else {"mknodat": 2}
    for name, place in places.items():
        modes = {
            kind: of(name, *[0] * place, kind | 0o666)
            for kind in (0o010000, 0o020000, 0o060000, 0o140000)
        }
        assert [kind for kind, action in modes.items() if action == ALLOW] == [0o010000]


def test_calls_by_another_machines_convention_kill(of):
    for machine in sorted(set(AUDIT_ARCHITECTURES) - {of.machine}):
        assert {of(n, machine=machine) for n in (0, 1, 11, 4000)} == {KILL_PROCESS}
    if of.machine == "x86_64":
        assert {of(0x40000000 | n) for n in (0, 1, 59, 512, 547)} == {KILL_PROCESS}, "x32"


RAW = """
import ctypes, os
ctypes.CDLL(None, use_errno=True).syscall.restype = ctypes.c_long
done = ctypes.CDLL(None, use_errno=True).syscall(*(ctypes.c_long(a) for a in {arguments}))
print(done if done >= 0 else os.strerror(ctypes.get_errno()))
"""
TRIED = [
    ("tracing", "ptrace", (0,), EPERM),
    ("the network", "socket", (2, 1), EPERM),
    ("the network of six", "socket", (10, 2), EPERM),
    ("a local socket", "socket", (1, 1), EPERM),
    ("the machine's host", "socket", (40, 1), EPERM),
    ("the kernel's ciphers", "socket", (38, 5), EPERM),
    ("the routing tables", "socket", (16, 3), EPERM),
    ("a pair of another family", "socketpair", (30, 1), ENOSYS),
    ("a user namespace", "unshare", (CLONE_NEWUSER,), EPERM),
    ("a user namespace by clone", "clone", (CLONE_NEWUSER | SIGCHLD,), ENOSYS),
    ("a process by clone3", "clone3", (0, 88), ENOSYS),
    ("another's namespace", "setns", (0,), EPERM),
    ("a mount", "mount", (0, 0, 0), EPERM),
    ("a mount of the new kind", "fsopen", (0,), ENOSYS),
    ("a program in the kernel", "bpf", (0, 0, 0), EPERM),
    ("a key", "keyctl", (0, -3, 1), EPERM),
    ("io_uring", "io_uring_setup", (8, 0), EPERM),
    ("counters", "perf_event_open", (0, 0, -1, -1), EPERM),
    ("page faults", "userfaultfd", (1,), EPERM),
    ("a personality", "personality", (0x40000,), EPERM),
    ("memory in a file", "memfd_create", (0, 0), EPERM),
    ("memory of System V", "shmget", (0, 4096, 0o1600), EPERM),
    ("keys typed into the terminal", "ioctl", (0, TIOCSTI, 0), ENOSYS),
    ("keys, asked for in 64 bits", "ioctl", (0, TIOCSTI | HIGH_BITS, 0), ENOSYS),
    ("an unknown call", 4000, (), ENOSYS),
]


@pytest.mark.parametrize(("what", "call", "arguments", "refused"), TRIED, ids=[t[0] for t in TRIED])
def test_confined_code_that_tries_it_is_refused(run, what, call, arguments, refused):
    number = call if isinstance(call, int) else number_of(call, platform.machine())
    ran = run(RAW.format(arguments=(number, *arguments)))
    assert (ran.stdout, ran.stderr, ran.exit_code) == (os.strerror(refused & 0xFFFF) + "\n", "", 0)


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.close(os.eventfd(0))",
        "import ctypes; assert not ctypes.CDLL(None).mlock(ctypes.create_string_buffer(1), 1)",
    ],
)
def test_a_harmless_call_that_nobody_put_on_the_list_fails_inside_and_works_outside(run, code):
    subprocess.run([sys.executable, "-c", code], check=True)
    assert run(code).exit_code == 1


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the code is of x86-64")
def test_a_process_that_calls_as_on_32_bits_is_killed(run):
    ran = run(
        "import ctypes, mmap\nplace = mmap.mmap(-1, 4096, prot=7)\n"
        "place.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')  # mov eax, 20 (getpid); int 0x80; ret\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(place)))())"
    )
    assert ran.stdout == "" and ran.exit_code in (-signal.SIGSYS, -signal.SIGSEGV), (
        "the latter where the kernel has no such calls"
    )


AS_A_USER = """
import asyncio, os
from questloom.agent.sandbox import open_sandbox
sandbox, why = open_sandbox()
assert os.getuid() and sandbox, why
print(asyncio.run(sandbox.run("import os; print(os.getuid()); os.eventfd(0)")))
"""


def test_an_ordinary_user_has_the_same_filter(sandbox):
    if os.getuid():
        pytest.skip("the other tests have run as one")
    nobody = {
        "user": 65534,
        "group": 65534,
        "extra_groups": [],
        "cwd": "/",
        "capture_output": True,
        "text": True,
        "env": {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{PROJECT}:{Path(pyseccomp.__file__).parent}",
        },
    }
    # Root's own interpreter may lie where nobody else can read; the system's can be read by all.
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            fit = (
                subprocess.run(
                    [
                        python,
                        "-c",
                        "import sys, agent, pyseccomp; sys.exit(sys.version_info < (3, 11))",
                    ],
                    **nobody,
                ).returncode
                == 0
            )
        except OSError:
            continue
        if fit:
            break
    else:
        pytest.skip("nobody but root can read a Python here, or the project")
    ran = subprocess.run([python, "-c", AS_A_USER], **nobody)
    if "No permissions to create" in ran.stderr:
        pytest.skip("this machine gives ordinary users no namespaces")
    assert "stdout='65534\\n'" in ran.stdout and "OSError: [Errno 38]" in ran.stdout, ran


def missing(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)


def no_libseccomp(monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "pyseccomp")
    found = ctypes.util.find_library
    monkeypatch.setattr(
        "ctypes.util.find_library", lambda name: None if name == "seccomp" else found(name)
    )


def too_old(monkeypatch) -> None:
    known = pyseccomp.resolve_syscall
    monkeypatch.setattr(
        pyseccomp,
        "resolve_syscall",
        lambda arch, name: -1 if name == "faccessat2" else known(arch, name),
    )


def broken(monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(pyseccomp.SyscallFilter, "export_bpf", fail)


def another_machine(monkeypatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")


@pytest.mark.parametrize(
    ("happens", "says"),
    [
        (missing, "pip install pyseccomp"),
        (no_libseccomp, "apt-get install libseccomp2"),
        (too_old, "does not know the system call faccessat2"),
        (broken, "makes no system call filter"),
        (another_machine, "known for riscv64"),
    ],
)
def test_without_the_filter_there_is_no_sandbox_and_it_says_why(
    monkeypatch, tmp_path, happens, says
):
    started = tmp_path / "started"
    bwrap = tmp_path / "bwrap"
    bwrap.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && {{ echo bubblewrap 0.8.0; exit; }}\ntouch {started}'
    )
    bwrap.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(bwrap))
    happens(monkeypatch)
    found, why = open_sandbox()
    assert found is None and says in why and not started.exists()
    with pytest.raises(NoFilterError):
        syscall_filter(platform.machine())


@pytest.mark.parametrize(
    ("dropped", "escaped"), [("--seccomp", "system calls"), ("--unshare-net", "network")]
)
def test_a_bubblewrap_that_leaves_a_wall_out_is_found_out(
    sandbox, monkeypatch, tmp_path, dropped, escaped
):
    if dropped == "--unshare-net" and len(Path("/proc/net/route").read_text().splitlines()) < 2:
        pytest.skip("this machine has no network to escape to")
    lax = tmp_path / "bwrap"
    lax.write_text(f"""#!{sys.executable}
import os, sys
rest = sys.argv[1:]
if {dropped!r} in rest:
    at = rest.index({dropped!r})
    del rest[at:at + {1 + (dropped == "--seccomp")}]
os.execv({shutil.which("bwrap")!r}, ["bwrap", *rest])
""")
    lax.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(lax))
    found, why = open_sandbox()
    assert found is None and f"escaped: {escaped}" in why
