"""Colour profiles (ICC, version 2) made up for tests: no more than a decoder needs."""

import struct

_Point = tuple[float, float, float]
ADOBE_RGB = ((0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457))
DISPLAY_P3 = (
    (0.51512, 0.24120, -0.00105),
    (0.29198, 0.69225, 0.04189),
    (0.15710, 0.06657, 0.78407),
)
SRGB = ((0.43607, 0.22249, 0.01392), (0.38515, 0.71687, 0.09708), (0.14307, 0.06061, 0.71410))
"""The primaries of three colour spaces, as XYZ at D50."""


def rgb_profile(primaries: tuple[_Point, _Point, _Point], gamma: float) -> bytes:
    """Red, green and blue by their primaries and one gamma."""
    curves = {name: _curve(gamma) for name in (b"rTRC", b"gTRC", b"bTRC")}
    return _profile(
        b"RGB ",
        {
            name: _xyz(point)
            for name, point in zip((b"rXYZ", b"gXYZ", b"bXYZ"), primaries, strict=True)
        }
        | curves,
    )


def grey_profile(gamma: float) -> bytes:
    """Grey of one gamma."""
    return _profile(b"GRAY", {b"kTRC": _curve(gamma)})


def ink_profile(lab_of: dict[tuple[int, int, int, int], _Point]) -> bytes:
    """Cyan, magenta, yellow, black: the L*a*b* of combinations of full inks; white where none is given."""
    grid = b""
    for number in range(16):
        lightness, a, b = lab_of.get(
            (number >> 3 & 1, number >> 2 & 1, number >> 1 & 1, number & 1), (100, 0, 0)
        )
        grid += bytes((round(lightness * 2.55), round(a + 128), round(b + 128)))
    identity = bytes(range(256))
    matrix = b"".join(_fixed(x) for x in (1, 0, 0, 0, 1, 0, 0, 0, 1))
    return _profile(
        b"CMYK",
        {
            b"A2B0": b"mft1\0\0\0\0"
            + bytes((4, 3, 2, 0))
            + matrix
            + identity * 4
            + grid
            + identity * 3
        },
        b"Lab ",
    )


def _fixed(number: float) -> bytes:
    return struct.pack(">i", round(number * 65536))


def _xyz(point: _Point) -> bytes:
    return b"XYZ \0\0\0\0" + b"".join(map(_fixed, point))


def _curve(gamma: float) -> bytes:
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"


def _profile(space: bytes, tags: dict[bytes, bytes], connection: bytes = b"XYZ ") -> bytes:
    white = (0.9642, 1.0, 0.8249)
    tags = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", 5) + b"test\0" + b"\0" * 78,
        b"cprt": b"text\0\0\0\0none\0",
        b"wtpt": _xyz(white),
        **tags,
    }
    table, body, start = b"", b"", 128 + 4 + 12 * len(tags)
    for name, data in tags.items():
        table += name + struct.pack(">II", start + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    head = struct.pack(
        ">I4s4s4s4s4s12s4s",
        start + len(body),
        b"",
        b"\x02\x10",
        b"prtr" if space == b"CMYK" else b"mntr",
        space,
        connection,
        b"",
        b"acsp",
    )
    head = head.ljust(68, b"\0") + b"".join(map(_fixed, white))
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + body
