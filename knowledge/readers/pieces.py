"""The decompressed bytes of a range, piece by piece, and a window that cuts records out of these bytes."""

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
    """Some decompressed bytes of a dump, or an unreadable place; then `fault` gives the reason."""

    data: bytes
    offset: int
    """The byte of the file at which the piece (for bz2: its stream or block) begins."""
    last: bool = False
    """True for the last piece of the file."""
    fault: str = ""


def read_pieces(part: ByteRange) -> Iterator[Piece | None]:
    """Yields the pieces that begin in the range, then None, then the later pieces to the end of the file.

    The later pieces complete a record that crosses the range's end. Later pieces are decompressed only when the caller
    asks for them.
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
    """A window over the bytes of a range; readers cut records out of the window.

    Attributes:
        data: the bytes that were read and not yet dropped.
        owned: records that begin before this index belong to the range.
        in_range: whether further pieces of the range follow.
        ended: whether `data` reaches the end of the file.
        owns_end: whether, in addition, the range's last piece reaches the end of the file.
    """

    def __init__(self, part: ByteRange) -> None:
        self.part = part
        self.data, self.owned, self.in_range, self.ended, self.owns_end = b"", 0, True, False, False
        self._pieces = read_pieces(part)
        self._origins: list[tuple[int, int]] = []
        """The pieces in the window, each as (index in `data`, byte of the file)."""

    def more(self) -> str:
        """Appends the next piece; returns its fault or "". At the end of the range or file, nothing may be left to
        append."""
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
        """Drops the first bytes of the window."""
        self.data, self.owned = self.data[num_bytes:], max(0, self.owned - num_bytes)
        kept = [(i - num_bytes, o) for i, o in self._origins]
        first = max((k for k, (i, _) in enumerate(kept) if i <= 0), default=0)
        self._origins = kept[first:]

    def replace(self, begin: int, end: int, data: bytes) -> None:
        """Replaces some bytes with shorter data; later bytes keep their recorded place in the file."""

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
