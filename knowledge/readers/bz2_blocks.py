"""Random access into bz2 files: decompresses the blocks that begin in a byte range, at any bit.

A bz2 stream consists of a header, blocks of up to 900 kB, and an end mark with a CRC over the
blocks' CRCs. Each block has its own CRC and can start at any *bit*. This module makes each block a
bz2 stream of its own: a header, the block's bits shifted to a byte boundary, an end mark, and the
block's CRC. The C library can then decompress and check each block alone. Several cores can
therefore read a bz2 file that has only one stream.

Source of the format: bzip2's `decompress.c` and Tsai's "BZIP2: format specification".
"""

import bz2
import functools
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

BLOCK_MARK = 0x314159265359
END_MARK = 0x177245385090
MARK_BITS = 48
READ_SIZE = 1 << 20
LONGEST_BLOCK = 4 << 20
"""Maximum compressed size of a block in bytes: 900 kB of incompressible data, plus ample room."""


class Block(NamedTuple):
    """One decompressed block. If a block is damaged, `data` is empty and `fault` states the reason."""

    offset: int
    """The byte of the file that contains the first bit of the block's mark."""
    data: bytes
    last: bool
    """True for the last block of the file."""
    fault: str = ""


@functools.cache
def _cores(mark: int) -> tuple[re.Pattern[bytes], dict[bytes, int]]:
    """A block's mark contains five whole bytes, which differ between the eight bit alignments.
    Returns a pattern for the five whole bytes of a mark, and a dict from the bytes to their bit
    alignment."""
    shifts = {(mark << (8 - shift)).to_bytes(7, "big")[1:6]: shift for shift in range(8)}
    return re.compile(b"|".join(map(re.escape, shifts))), shifts


def find_marks(data: bytes, mark: int, start: int = 0) -> list[int]:
    """Returns the bit positions of a 48-bit mark in `data` from byte `start` on, in ascending order.

    At each of the eight alignments, five whole bytes of a block's mark are known. One regular
    expression searches for the five whole bytes at all alignments; the bits at both ends are
    compared afterwards. (Eight searches by `bytes.find` take 1.6 times as long.)
    """
    pattern, shifts = _cores(mark)
    found = []
    for core in pattern.finditer(data, start + 1):
        first, shift = core.start() - 1, shifts[core[0]]
        window = int.from_bytes(data[first : first + 7].ljust(7, b"\0"), "big")
        if (
            window >> (8 - shift) & ((1 << MARK_BITS) - 1) == mark
            and first * 8 + shift + MARK_BITS <= len(data) * 8
        ):
            found.append(first * 8 + shift)
    return found


def decompress_block(data: bytes, begin: int, end: int) -> bytes:
    """Decompresses the block in bits [begin, end) of `data`, including the block's mark.

    Raises:
        OSError, ValueError, EOFError: the bits are no whole block, or the CRC does not match.
    """
    num_bits = end - begin
    if num_bits < MARK_BITS + 32:
        raise ValueError("too short for a block")
    bits = int.from_bytes(data[begin // 8 : (end + 7) // 8], "big") >> (-end % 8) & (
        (1 << num_bits) - 1
    )
    crc = bits >> (num_bits - MARK_BITS - 32) & 0xFFFFFFFF
    # A block of level 1 to 9 is also a valid block of level 9.
    stream = (int.from_bytes(b"BZh9", "big") << num_bits | bits) << 80 | END_MARK << 32 | crc
    padding = -num_bits % 8
    return bz2.decompress((stream << padding).to_bytes((32 + num_bits + 80 + padding) // 8, "big"))


def read_blocks(file: BinaryIO, start: int, end: int) -> Iterator[Block | None]:
    """Yields the blocks whose mark begins at byte `start` or later, to the end of the file. Yields
    None once, before the first block that begins at `end` or later.

    A mark may occur by chance inside a block (one position in 2^48). If a block that ends at a mark
    cannot be decompressed, the mark may have occurred by chance, and the block is tried again up to
    a later mark.

    Args:
        file: a seekable bz2 file with one or many streams.
        start: any byte offset.
        end: the end of the caller's range; later blocks are decompressed only when the caller asks for them.
    """
    window = _Window(file, start)
    passed = False
    while window.look_ahead(1):
        offset = window.base + window.marks[0] // 8
        if offset >= end and not passed:
            passed = True
            yield None
        yield window.take()


class _Window:
    """A part of the file that begins with the next block, and the positions of the block marks in
    this part."""

    def __init__(self, file: BinaryIO, start: int) -> None:
        self.file, self.base, self.data, self.at_end = file, start, b"", False
        self.marks: list[int] = []
        """Bit positions of the block marks in `data`."""
        file.seek(start)

    def look_ahead(self, num_marks: int) -> bool:
        """Reads the file until `num_marks` block marks are seen. Returns False if fewer marks are
        found before the end of the file or of the longest possible block."""
        while len(self.marks) < num_marks and not self.at_end:
            if self.marks and len(self.data) > num_marks * LONGEST_BLOCK:
                break
            if not self.marks:
                self._drop(max(0, len(self.data) - 6))
            seam = max(
                0, len(self.data) - 6
            )  # a mark may straddle two pieces, and may be in the list already
            chunk = self.file.read(READ_SIZE)
            self.at_end = not chunk
            self.data += chunk
            self.marks = sorted({*self.marks, *find_marks(self.data, BLOCK_MARK, seam)})
        return len(self.marks) >= num_marks

    def take(self) -> Block:
        """Returns the block at the first mark, and moves the window to the next mark."""
        self.look_ahead(2)
        begin, offset = self.marks[0], self.base + self.marks[0] // 8
        content, fault, used = b"", "the file ends within the bz2 block that begins here", 1
        for num in (1, 2):
            if num == 2:
                self.look_ahead(3)
            end = self._end_of_block(num)
            if end is None:
                break
            try:
                content, fault, used = decompress_block(self.data, begin, end), "", num
                break
            except (OSError, ValueError, EOFError) as error:
                fault = f"the bz2 block that begins here is damaged ({error})"
        self._drop((self.marks[used] if len(self.marks) > used else 8 * len(self.data)) // 8, used)
        return Block(offset, content, not self.look_ahead(1), fault)

    def _end_of_block(self, num: int) -> int | None:
        """Returns the bit at which the first block ends, if mark `num` begins the next block; None
        if the block does not end there."""
        if len(self.marks) <= num:
            ends = (
                find_marks(self.data, END_MARK, self.marks[-1] // 8)
                if num == 1 or len(self.marks) == num
                else []
            )
            return ends[-1] if ends else None
        mark = self.marks[num]
        if (
            mark % 8 == 0 and self.data[mark // 8 - 4 : mark // 8 - 1] == b"BZh"
        ):  # a new stream: an end mark precedes its header
            ends = find_marks(
                self.data[: mark // 8], END_MARK, max(self.marks[0] // 8, mark // 8 - 32)
            )
            if ends:
                return ends[0]
        return mark

    def _drop(self, num_bytes: int, num_marks: int = 0) -> None:
        self.data, self.base = self.data[num_bytes:], self.base + num_bytes
        self.marks = [m - 8 * num_bytes for m in self.marks[num_marks:]]
