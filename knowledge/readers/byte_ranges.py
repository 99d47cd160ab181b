"""Splits a dump into byte ranges, so that many workers can read it. Each record belongs to exactly
one range.

The first bytes of the file determine the file's format, whatever its name. A range owns the pieces
(chunks, bz2 streams or bz2 blocks) that begin in the range; the module `pieces` reads pieces.

* plain: a range can begin at any byte of the file.
* bz2 with many streams (Wikimedia's multistream dumps): ranges begin where streams begin. The
  dump's index, or the magic bytes of bz2, show where streams begin.
* bz2 with one stream: a range can begin at any byte; `bz2_blocks` finds the blocks.
* gz: there is only one range, because a gz file cannot be entered in the middle.
"""

import bz2
import os
import re
from dataclasses import dataclass
from typing import BinaryIO

from questloom.files.locations import open_binary
from questloom.records.errors import InputError

RANGE_BYTES = 16 << 20
"""Number of bytes of the file in one range. A range of a compressed dump holds about 60 MB of XML,
which one core reads in three seconds."""
STREAM_SEARCH = 8 << 20
"""Maximum number of bytes that are searched for the start of a stream. A multistream dump starts a
stream every 100 pages (a few 100 kB)."""
PIECE = 1 << 18
MAX_BLOCK = 1 << 21
"""Maximum number of compressed bytes from the start of a stream to the end of its first block."""
_STREAM_START = re.compile(rb"BZh[1-9]1AY&SY")


@dataclass(frozen=True, kw_only=True)
class ByteRange:
    """The bytes [start, end) of a file, and the way to read these bytes."""

    path: str
    start: int
    end: int
    kind: str
    """The way to read the range: "plain", "streams", "blocks" or "gz"."""


def open_dump(path: str) -> BinaryIO:
    """Opens a local file or an object in a bucket for reading. If the file is an object in a
    bucket, only the ranges that are read are downloaded.

    Raises:
        InputError: the file cannot be opened.
    """
    try:
        return open_binary(path)  # the caller closes the file
    except OSError as error:
        raise InputError(
            path,
            f"cannot be opened ({error.strerror or error})",
            "Give the path of a dump that can be read.",
        ) from error


def plan_ranges(path: str, *, index: str = "", range_bytes: int = RANGE_BYTES) -> list[ByteRange]:
    """Splits a dump into byte ranges that cover the whole file. The division into ranges depends on
    the file alone, not on the number of workers.

    Args:
        path: path of the dump.
        index: path of a multistream dump's index, with lines `offset:page id:title`, plain or bz2.
            If an index is given, ranges begin at the offsets in the index. An offset in the index
            beyond the file's end shows that the dump is truncated.
        range_bytes: number of bytes of the file per range.

    Raises:
        InputError: the file is missing, empty or of another format than its name says, or the index does not fit the
            dump.
    """
    with open_dump(path) as file:
        magic = file.read(4)
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            raise InputError(path, "the file is empty", "Download it again.")
        if magic[:2] == b"\x1f\x8b":
            return [ByteRange(path=path, start=0, end=size, kind="gz")]
        wanted = range(range_bytes, size, range_bytes)
        if not re.match(rb"BZh[1-9]", magic):
            if path.endswith((".bz2", ".gz")):
                raise InputError(
                    f"{path}, byte 0",
                    "is not compressed as its name says",
                    "Download it again, or name it after its format.",
                )
            kind, starts = "plain", [0, *wanted]
        elif index:
            kind, starts = "streams", _starts_of_index(index, path, size, range_bytes)
        else:
            kind, starts = "streams", sorted({0, *(next_stream(file, at) for at in wanted)})
            if len(starts) == 1 and wanted:
                kind, starts = "blocks", [0, *wanted]
    return [
        ByteRange(path=path, start=a, end=b, kind=kind)
        for a, b in zip(starts, [*starts[1:], size], strict=True)
    ]


def next_stream(file: BinaryIO, at: int) -> int:
    """Returns the first start of a stream at or after a byte, or 0 if no stream starts within
    STREAM_SEARCH bytes."""
    file.seek(at)
    data, searched = b"", 0
    # The search reads small pieces: 8 MB at every range would download most of a dump in a bucket.
    while len(data) < STREAM_SEARCH and (piece := file.read(min(PIECE, STREAM_SEARCH - len(data)))):
        data += piece
        end = len(data)
        for found in _STREAM_START.finditer(data, searched):
            stream, used = bz2.BZ2Decompressor(), found.start()
            try:  # ten such bytes may occur by chance; only a real start decompresses
                while used < min(STREAM_SEARCH, found.start() + MAX_BLOCK):
                    if used == len(data):
                        data += (piece := file.read(min(PIECE, STREAM_SEARCH - len(data))))
                        if not piece:
                            break
                    if stream.decompress(data[used:], 1):
                        return at + found.start()
                    used = len(data)
            except OSError:
                continue
        searched = max(0, end - 9)  # a start may straddle two pieces
    return 0


def _starts_of_index(index: str, path: str, size: int, range_bytes: int) -> list[int]:
    """Returns the offsets of streams from a multistream index. Leaves out each offset that would
    make a range shorter than `range_bytes`."""
    starts = [0]
    fix = "Give the index of this dump, or leave it out."
    with open_dump(index) as raw:
        lines = bz2.open(raw) if raw.read(3) == b"BZh" else raw  # noqa: SIM115  # closed with `raw`
        raw.seek(0)
        try:
            for line in lines:
                offset = line.split(b":", 1)[0]
                if not offset.isdigit():
                    raise InputError(
                        index, f"is no multistream index: a line begins with {offset[:40]!r}", fix
                    )
                if int(offset) >= size:
                    raise InputError(
                        path,
                        f"ends at byte {size:,}, but its index names byte {int(offset):,}",
                        "Download the dump again.",
                    )
                if int(offset) >= starts[-1] + range_bytes:
                    starts.append(int(offset))
        except (OSError, EOFError) as error:
            raise InputError(index, f"cannot be read ({error})", fix) from error
    return starts
