"""Yields the decompressed bytes of a byte range in pieces. Readers cut records out of a window over
the decompressed bytes."""

import bz2
import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from questloom.knowledge.readers.byte_ranges import ByteRange, next_stream, open_dump
from questloom.knowledge.readers.bz2_blocks import read_blocks
from questloom.records.errors import InputError

CHUNK = 1 << 18


class Piece(NamedTuple):
    """Some decompressed bytes of a dump; for an unreadable place, `fault` gives the reason."""

    data: bytes
    offset: int
    """The byte of the file where the piece (for bz2: its stream or block) begins."""
    last: bool = False
    """Whether the piece is the last of the file."""
    fault: str = ""


def read_pieces(part: ByteRange) -> Iterator[Piece | None]:
    """Yields the pieces that begin in the range. When the range ends, the generator yields None
    once, and then the pieces up to the end of the file.

    The pieces after None complete a record that extends beyond the range. The pieces after None are
    decompressed only when the caller asks for them.
    """
    with open_dump(part.path) as file:
        match part.kind:
            case "plain":
                yield from _plain(file, part)
            case "streams":
                yield from _streams(file, part)
            case "gz":
                yield from _gz(file, part)
            case _:
                for block in read_blocks(file, part.start, part.end):
                    yield block and Piece(block.data, block.offset, block.last, block.fault)


def _plain(file: BinaryIO, part: ByteRange) -> Iterator[Piece | None]:
    size = file.seek(0, os.SEEK_END)
    at = file.seek(part.start)
    while at < size:
        if at == part.end:
            yield None
        data = file.read(min(CHUNK, part.end - at) if at < part.end else CHUNK)
        yield Piece(data, at, at + len(data) >= size)
        at += len(data)


def _streams(file: BinaryIO, part: ByteRange) -> Iterator[Piece | None]:
    file.seek(part.start)
    begin, data, stream = part.start, file.read(CHUNK), bz2.BZ2Decompressor()
    read, passed = part.start + len(data), False
    while data:
        try:
            content = stream.decompress(data)
        except OSError as error:
            following = next_stream(file, begin + 1)
            yield Piece(
                b"", begin, not following, f"the bz2 stream that begins here is damaged ({error})"
            )
            if not following:
                return
            begin, stream = file.seek(following), bz2.BZ2Decompressor()
            data = file.read(CHUNK)
            read = begin + len(data)
            if begin >= part.end and not passed:
                passed = True
                yield None
            continue
        data = stream.unused_data or file.read(CHUNK)
        read += 0 if stream.unused_data else len(data)
        yield Piece(content, begin, stream.eof and not data)
        if stream.eof:
            begin, stream = read - len(data), bz2.BZ2Decompressor()
            if begin >= part.end and data and not passed:
                passed = True
                yield None
        elif not data:
            yield Piece(b"", begin, True, "the file ends within the bz2 stream that begins here")


def _gz(file: BinaryIO, part: ByteRange) -> Iterator[Piece | None]:
    data, stream = file.read(CHUNK), zlib.decompressobj(31)
    read = len(data)
    while data:
        begin = read - len(data)
        try:
            content = stream.decompress(data)
        except zlib.error as error:
            yield Piece(b"", begin, True, f"the gz data is damaged near here ({error})")
            return
        data = stream.unused_data or file.read(CHUNK)
        read += 0 if stream.unused_data else len(data)
        yield Piece(content, begin, stream.eof and not data)
        if stream.eof:
            stream = zlib.decompressobj(31)
        elif not data:
            yield Piece(b"", part.end, True, "the file ends within the gz data")


class Window:
    """A window over the bytes of a range, from which readers cut records.

    Attributes:
        data: the bytes that were read and not yet dropped.
        owned: an index in `data`; records that begin before this index belong to the range.
        in_range: whether further pieces belong to the range.
        ended: whether `data` reaches to the end of the file.
        owns_end: whether the range's last piece also reaches to the end of the file.
    """

    def __init__(self, part: ByteRange) -> None:
        self.part = part
        self.data, self.owned, self.in_range, self.ended, self.owns_end = b"", 0, True, False, False
        self._pieces = read_pieces(part)
        self._origins: list[tuple[int, int]] = []
        """The pieces in the window, each as (index in `data`, byte of the file)."""

    def more(self) -> str:
        """Appends the next piece to the window; returns the piece's fault, or "" if the piece has
        none. At the end of the range or of the file, the window may stay unchanged."""
        piece = next(self._pieces, None) if not self.ended else None
        if piece is None:
            self.ended = self.ended or not self.in_range
            self.in_range = False
            return ""
        self._origins.append((len(self.data), piece.offset))
        self.data += piece.data
        self.ended = piece.last
        if self.in_range:
            self.owned, self.owns_end = len(self.data), piece.last
        if piece.last:
            self.in_range = False
        return piece.fault

    def drop(self, num_bytes: int) -> None:
        """Drops the given number of bytes at the start of the window."""
        self.data, self.owned = self.data[num_bytes:], max(0, self.owned - num_bytes)
        kept = [(i - num_bytes, o) for i, o in self._origins]
        first = max((k for k, (i, _) in enumerate(kept) if i <= 0), default=0)
        self._origins = kept[first:]

    def replace(self, begin: int, end: int, data: bytes) -> None:
        """Replaces some bytes by shorter data; the recorded file positions of later bytes stay the same."""

        def moved(index: int) -> int:
            return (
                index
                if index <= begin
                else max(begin + len(data), index - (end - begin - len(data)))
            )

        self.data = self.data[:begin] + data + self.data[end:]
        self.owned = moved(self.owned)
        self._origins = [(moved(index), offset) for index, offset in self._origins]

    def place(self, index: int) -> str:
        """Describes a place in `data` by its position in the file."""
        begin, offset = max(
            (o for o in self._origins if o[0] <= index), default=(index, self.part.start)
        )
        if self.part.kind == "plain":
            return f"byte {offset + index - begin:,}"
        return f"byte {offset:,}, and {index - begin:,} bytes on when decompressed"

    def error(self, index: int, what: str) -> InputError:
        """An error that names a place in `data`."""
        return InputError(
            f"{self.part.path}, {self.place(index)}",
            what,
            "Download the file again, or read what is whole of it with --keep-partial.",
        )
