"""The pieces of a dump: each byte once, the last one told as such, None where a range ends, and what is damaged or cut short told as the end of it."""

import bz2
import gzip
import random

import pytest

from questloom.knowledge.readers.byte_ranges import ByteRange
from questloom.knowledge.readers.pieces import CHUNK, Piece, read_pieces

DATA = random.Random(3).randbytes(3 * CHUNK + 100)
FORMS = {
    "plain": DATA,
    "blocks": bz2.compress(DATA, 1),
    "gz": gzip.compress(DATA),
    "streams": b"".join(
        bz2.compress(DATA[at : at + CHUNK], 1) for at in range(0, len(DATA), CHUNK)
    ),
}


def pieces(
    tmp_path, kind: str, content: bytes, start: int = 0, end: int = 1 << 40
) -> list[Piece | None]:
    (tmp_path / "dump").write_bytes(content)
    return list(
        read_pieces(ByteRange(path=str(tmp_path / "dump"), start=start, end=end, kind=kind))
    )


@pytest.mark.parametrize("kind", FORMS)
def test_the_pieces_are_the_whole_file_and_only_after_the_last_does_nothing_follow(tmp_path, kind):
    found = [p for p in pieces(tmp_path, kind, FORMS[kind]) if p is not None]
    assert b"".join(p.data for p in found) == DATA and not any(p.fault for p in found)
    assert len(found) > 3 and [p.last for p in found] == [False] * (len(found) - 1) + [True]


@pytest.mark.parametrize("kind", ["plain", "streams", "blocks"])
def test_after_the_pieces_of_a_range_a_none_stands_once_before_what_follows(tmp_path, kind):
    middle = len(FORMS[kind]) // 2
    found = pieces(tmp_path, kind, FORMS[kind], end=middle)
    at = found.index(None)
    assert (
        found.count(None) == 1
        and all(p.offset < middle for p in found[:at])
        and all(p.offset >= middle for p in found[at + 1 :])
    )
    assert not any(p.last for p in found[:at]) and found[-1].last


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("streams", "the file ends within the bz2 stream"),
        ("gz", "the file ends within the gz data"),
        ("blocks", "the file ends within the bz2 block"),
    ],
)
def test_a_file_that_is_cut_short_ends_with_a_piece_that_says_so(tmp_path, kind, fault):
    found = [p for p in pieces(tmp_path, kind, FORMS[kind][:-500]) if p is not None]
    assert (
        found[-1].last
        and found[-1].fault.startswith(fault)
        and not any(p.last or p.fault for p in found[:-1])
    )


def test_a_damaged_stream_is_told_and_the_next_one_read_and_a_damaged_last_one_is_the_end(tmp_path):
    streams = [bz2.compress(DATA[at : at + CHUNK], 1) for at in range(0, 3 * CHUNK, CHUNK)]
    broken = streams[1][:200] + bytes(50) + streams[1][250:]
    found = [
        p for p in pieces(tmp_path, "streams", streams[0] + broken + streams[2]) if p is not None
    ]
    (told,) = [p for p in found if p.fault]
    assert (
        told.offset == len(streams[0]) and not told.last and found[-1].last and not found[-1].fault
    )
    assert found[-1].data and DATA[2 * CHUNK : 3 * CHUNK].endswith(found[-1].data)
    found = [p for p in pieces(tmp_path, "streams", streams[0] + broken) if p is not None]
    assert found[-1].last and "damaged" in found[-1].fault
