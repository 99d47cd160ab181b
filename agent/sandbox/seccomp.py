"""The system call filter is a list of allowed calls, compiled by libseccomp.

The filter allows the system calls that CPython makes (seen by strace) with numpy, Pillow, OpenCV,
matplotlib, scipy, SQLite, threads, asyncio and common shell programs. The filter also allows calls
that other C libraries and machines use for the same purposes (`open` for `openat`). Every other
system call fails, even calls that future kernels will add. A refused call fails in one of two ways:

* Most refused calls fail with ENOSYS ("function not implemented"), as on a kernel that lacks the
  call. After ENOSYS, a C library uses an older call, such as `clone` instead of `clone3`. A filter
  can check the flags of `clone`, but not the flags of `clone3`.
* The calls in `_FORBIDDEN` fail with EPERM ("not permitted"), because harmless code may try these
  calls and should see the right error. The list `_FORBIDDEN` only decides which error is returned.

The filter refuses some calls on purpose, although programs use them. Calls that store data outside
of processes (memfd, System V segments, extended attributes) are refused, because the memory check
does not count this data. Namespaces, mounts, keys, tracing and io_uring are refused, because the
code does not need them. Only connected pairs of sockets are allowed, because asyncio needs them.
All other sockets are refused: AF_VSOCK, for example, connects a virtual machine to its host, and no
network namespace blocks it. A system call by another calling convention (32-bit, x32) kills the
process.
"""

import errno
import stat
import tempfile
from typing import Any

MACHINES = ("x86_64", "aarch64")
"""Supported machines, named as in `platform.machine()`. Other machines may have a call's arguments
in another order (`clone` on s390x), so they are not supported."""

_FILES = """
open openat creat close close_range read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek sendfile copy_file_range fadvise64
fallocate truncate ftruncate fsync fdatasync fcntl flock dup dup2 dup3 stat lstat fstat newfstatat statx statfs fstatfs access faccessat faccessat2
getdents getdents64 getcwd chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat readlink readlinkat
chmod fchmod fchmodat chown fchown lchown fchownat utime utimes futimesat utimensat umask
getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
"""
_MEMORY = "brk mmap munmap mremap mprotect madvise msync"
_PROCESSES = """
fork vfork execve exit exit_group wait4 waitid kill tgkill getpid getppid gettid getpgid getpgrp setpgid getsid setsid
getuid geteuid getgid getegid getresuid getresgid getgroups setuid setgid setgroups
set_tid_address set_robust_list get_robust_list rseq futex membarrier arch_prctl getrlimit setrlimit prlimit64 getrusage getpriority setpriority
sched_yield sched_getaffinity sched_setaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min getcpu
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigpending rt_sigtimedwait sigaltstack restart_syscall
"""
"""`driver.py` calls setuid, setgid and setgroups as root. The untrusted code has no permission for
setuid, setgid and setgroups."""
_TIME = "clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times alarm getitimer setitimer pause"
_WAITING = "pipe pipe2 poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait"
_PAIRS = "recvfrom shutdown getsockname getpeername getsockopt"
_MACHINE = "uname sysinfo getrandom"
ALLOWED = tuple(" ".join((_FILES, _MEMORY, _PROCESSES, _TIME, _WAITING, _PAIRS, _MACHINE)).split())
"""Calls that are allowed with any arguments; `_rules` has calls that are allowed only with some arguments."""

_FORBIDDEN = """
socket ptrace process_vm_readv process_vm_writev pidfd_getfd mount umount2 pivot_root chroot unshare setns bpf perf_event_open userfaultfd personality
add_key request_key keyctl io_uring_setup memfd_create shmget msgget semget mq_open kexec_load init_module finit_module open_by_handle_at
"""
"""Calls that fail with EPERM."""

NEW_NAMESPACES = 0x7E020000
"""The flags of `clone` that make a new namespace: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER,
NEWPID, NEWNET."""
_AF_UNIX = 1
_PRCTL = {"PR_SET_DUMPABLE": 4, "PR_SET_NAME": 15, "PR_GET_NAME": 16, "PR_CAPBSET_READ": 23}
_IOCTL = {
    "TCGETS": 0x5401,
    "TIOCGPGRP": 0x540F,
    "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
}
"""The allowed ioctl requests: queries and flags of file descriptors. The request TIOCSTI is not
allowed, because it types into the terminal."""
_INT, _POINTER = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
"""The bits of an argument that the filter compares. The kernel reads only 32 bits of an int
argument, so the filter must ignore the other 32 bits."""


class NoFilterError(Exception):
    """The system call filter cannot be made on this machine."""


def syscall_filter(machine: str) -> bytes:
    """Makes the filter as a classic BPF program (seccomp(2)), which bubblewrap reads by --seccomp.

    Args:
        machine: the kind of machine, one of `MACHINES`.

    Raises:
        NoFilterError: the machine is not in `MACHINES`, or libseccomp is missing or too old.
    """
    if machine not in MACHINES:
        raise NoFilterError(f"no system call filter is known for {machine}")
    library = _library()
    architecture = {"x86_64": library.Arch.X86_64, "aarch64": library.Arch.AARCH64}[machine]
    try:
        made = library.SyscallFilter(library.ERRNO(errno.ENOSYS))
        if architecture != library.system_arch():
            made.add_arch(architecture)
            made.remove_arch(library.system_arch())
        made.set_attr(library.Attr.ACT_BADARCH, library.KILL_PROCESS)
        for name in ALLOWED:
            made.add_rule(library.ALLOW, _number(library, name))
        for name, argument, mask, value in _rules():
            made.add_rule(
                library.ALLOW,
                _number(library, name),
                library.Arg(argument, library.MASKED_EQ, mask, value),
            )
        for name in _FORBIDDEN.split():
            made.add_rule(library.ERRNO(errno.EPERM), _number(library, name))
        with tempfile.TemporaryFile() as file:
            made.export_bpf(file)
            file.seek(0)
            return file.read()
    except OSError as error:
        raise NoFilterError(f"libseccomp makes no system call filter ({error})") from error


def _rules() -> list[tuple[str, int, int, int]]:
    """Rules of the form (call, position of an argument, mask, value). The call is allowed if the
    masked argument equals the value."""
    return [
        ("clone", 0, NEW_NAMESPACES, 0),
        ("socketpair", 0, _INT, _AF_UNIX),
        ("sendto", 4, _POINTER, 0),  # only to the other end of the pair, not to an address
        ("mknod", 1, stat.S_IFMT(_INT), stat.S_IFIFO),
        ("mknodat", 2, stat.S_IFMT(_INT), stat.S_IFIFO),
        *(("prctl", 0, _INT, option) for option in _PRCTL.values()),
        *(("ioctl", 1, _INT, request) for request in _IOCTL.values()),
    ]


def _library() -> Any:
    """A Python binding of the C library libseccomp. The module looks for the library when it is
    imported."""
    try:
        import pyseccomp
    except ModuleNotFoundError as error:
        raise NoFilterError("pyseccomp is not installed (pip install pyseccomp)") from error
    except (RuntimeError, OSError, AttributeError) as error:
        raise NoFilterError(
            f"libseccomp cannot be loaded ({error}; Debian and Ubuntu: apt-get install libseccomp2)"
        ) from error
    return pyseccomp


def _number(library: Any, name: str) -> int:
    """The number of a system call on this machine. libseccomp translates this number for other machines and leaves out
    calls that they lack (`open` on arm64)."""
    number: int = library.resolve_syscall(library.Arch.NATIVE, name)
    if number == -1:
        raise NoFilterError(
            f"libseccomp does not know the system call {name}; 2.5 or later is needed"
        )
    return number
