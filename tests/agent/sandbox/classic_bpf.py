"""What a seccomp filter answers to a call, found by stepping through its program: so the one for another machine can be tried too."""

import struct

ALLOW, KILL_PROCESS, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
AUDIT_ARCHITECTURES = {
    "x86_64": 0xC000003E,
    "aarch64": 0xC00000B7,
    "i386": 0x40000003,
    "arm": 0x40000028,
    "riscv64": 0xC00000F3,
}
"""linux/audit.h."""
_LOAD, _AND, _GO, _RETURN = 0x20, 0x54, 0x05, 0x06
_JUMPS = {
    0x15: lambda a, k: a == k,
    0x25: lambda a, k: a > k,
    0x35: lambda a, k: a >= k,
    0x45: lambda a, k: bool(a & k),
}


def answer(program: bytes, machine: str, number: int, *arguments: int) -> int:
    """The filter's action (SECCOMP_RET_…).

    Args:
        machine: by whose convention the call is made, of `AUDIT_ARCHITECTURES`.
        number: of the call.
        arguments: up to six, of 64 bits each; 0 where none is given.
    """
    data = struct.pack(
        "<IIQ6Q",
        number & 0xFFFFFFFF,
        AUDIT_ARCHITECTURES[machine],
        0,
        *(arguments + (0,) * (6 - len(arguments))),
    )
    steps = list(struct.iter_unpack("=HBBI", program))
    at = held = 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == _LOAD:
            (held,) = struct.unpack_from("<I", data, value)
        elif code == _AND:
            held &= value
        elif code == _GO:
            at += value
        elif code == _RETURN:
            return value
        else:
            at += if_true if _JUMPS[code](held, value) else if_false
