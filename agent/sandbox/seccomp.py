"""The system call filter: what no honest computation needs and what the other limits do not reach.

Memory outside of any process (memfd, System V segments) would pass the watch over memory; namespaces, mounts, keys, tracing and io_uring
are doors of the kernel that need not stand open. So are sockets of most families: a network namespace does not part AF_VSOCK, by which a
virtual machine speaks to its host. A classic BPF program (seccomp(2)); refused calls fail with EPERM, `clone3` with
ENOSYS, so that the C library takes `clone`, whose flags the filter can read.
"""
import struct

_COMMON = {"memfd_secret": 447, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
           "mount_setattr": 442, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427}
ARCHITECTURES: dict[str, tuple[int, int, int, dict[str, int]]] = {
    "x86_64": (0xC000003E, 56, 41, {
        "ptrace": 101, "shmget": 29, "msgget": 68, "mq_open": 240, "memfd_create": 319, "unshare": 272, "setns": 308, "mount": 165, "umount2": 166,
        "pivot_root": 155, "chroot": 161, "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321, "perf_event_open": 298,
        "userfaultfd": 323, "kexec_load": 246, "init_module": 175, "finit_module": 313, "open_by_handle_at": 304, "process_vm_readv": 310,
        "process_vm_writev": 311, **_COMMON}),
    "aarch64": (0xC00000B7, 220, 198, {
        "ptrace": 117, "shmget": 194, "msgget": 186, "mq_open": 180, "memfd_create": 279, "unshare": 97, "setns": 268, "mount": 40, "umount2": 39,
        "pivot_root": 41, "chroot": 51, "add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280, "perf_event_open": 241,
        "userfaultfd": 282, "kexec_load": 104, "init_module": 105, "finit_module": 273, "open_by_handle_at": 265, "process_vm_readv": 270,
        "process_vm_writev": 271, **_COMMON}),
}
"""By machine: audit architecture, numbers of `clone` and `socket`, and the refused calls by number."""
CLONE3 = 435
NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
SOCKETS = (1, 2, 10)
"""AF_UNIX, AF_INET and AF_INET6: the families that namespaces part."""
_X32 = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16


def syscall_filter(machine: str) -> bytes:
    """The program for a machine of `ARCHITECTURES`, as bubblewrap's --seccomp reads it."""
    architecture, clone, socket, refused = ARCHITECTURES[machine]

    def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    program = [step(_LOAD, _ARCHITECTURE_AT), step(_EQUAL, architecture, 1, 0), step(_RETURN, _KILL), step(_LOAD, _NUMBER_AT),
               step(_AT_LEAST, _X32, 0, 1), step(_RETURN, _ERRNO | _ENOSYS), step(_EQUAL, CLONE3, 0, 1), step(_RETURN, _ERRNO | _ENOSYS)]
    for number in sorted(refused.values()):
        program += [step(_EQUAL, number, 0, 1), step(_RETURN, _ERRNO | _EPERM)]
    families = [step(_EQUAL, family, len(SOCKETS) - place, 0) for place, family in enumerate(SOCKETS)]
    program += [step(_EQUAL, socket, 0, len(SOCKETS) + 2), step(_LOAD, _FIRST_ARGUMENT_AT), *families, step(_RETURN, _ERRNO | _EPERM),
                step(_LOAD, _NUMBER_AT)]
    program += [step(_EQUAL, clone, 0, 3), step(_LOAD, _FIRST_ARGUMENT_AT), step(_ANY_BIT, NEW_NAMESPACES, 0, 1), step(_RETURN, _ERRNO | _EPERM)]
    return b"".join((*program, step(_RETURN, _ALLOW)))
