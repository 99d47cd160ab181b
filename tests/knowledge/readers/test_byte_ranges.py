"""Each record is read by exactly one range, whatever the format and wherever the ranges begin."""

import bz2
import gzip
import io

import pytest

from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.bz2_blocks import (
    BLOCK_MARK,
    decompress_block,
    find_marks,
    read_blocks,
)
from questloom.knowledge.readers.mediawiki_xml import read_pages, read_site
from questloom.records.errors import InputError


def _read(path, range_bytes, index=""):
    site = read_site(str(path))
    return [
        page
        for part in plan_ranges(str(path), range_bytes=range_bytes, index=index)
        for page in read_pages(part, site)
    ]


@pytest.mark.parametrize("form", ["plain", "one stream", "many streams", "gz"])
@pytest.mark.parametrize("range_bytes", [97, 1000, 5003, 1 << 40])
def test_ranges_of_any_size_read_every_page_once(
    tmp_path, make_dump, multistream, form, range_bytes
):
    data = make_dump(num=60)
    path = tmp_path / "dump"
    path.write_bytes(
        {
            "plain": data,
            "one stream": bz2.compress(data, 1),
            "many streams": multistream(data, 7001),
            "gz": gzip.compress(data),
        }[form]
    )
    titles = [page.title for page in _read(path, range_bytes)]
    assert titles == [f"Page {n}" for n in range(1, 61)]


def test_one_stream_is_split_at_its_blocks_and_many_streams_at_their_starts(
    tmp_path, make_dump, multistream
):
    data = make_dump(num=400)
    for name, content, kind in (
        ("one", bz2.compress(data, 1), "blocks"),
        ("many", multistream(data, 20_000), "streams"),
    ):
        (tmp_path / name).write_bytes(content)
        parts = plan_ranges(str(tmp_path / name), range_bytes=2000)
        assert {part.kind for part in parts} == {kind}
        assert len(parts) > 3
        assert [p.end for p in parts[:-1]] == [p.start for p in parts[1:]]


def test_blocks_begin_at_any_bit_and_each_is_decompressed_alone():
    data = bytes(range(256)) * 3000
    packed = bz2.compress(data, 1)
    marks = find_marks(packed, BLOCK_MARK)
    assert len(marks) == -(-len(data) // 100_000) or len(marks) > 5
    assert any(mark % 8 for mark in marks)
    assert b"".join(block.data for block in read_blocks(io.BytesIO(packed), 0, 1 << 40)) == data
    first = decompress_block(packed, marks[0], marks[1])
    assert data.startswith(first)
    with pytest.raises((OSError, ValueError, EOFError)):
        decompress_block(packed, marks[0] + 1, marks[1])


def test_a_mark_that_occurs_by_chance_inside_a_block_does_not_cut_it(monkeypatch):
    import questloom.knowledge.readers.bz2_blocks as blocks

    data = bytes(range(251)) * 3000
    packed = bz2.compress(data, 1)
    true = find_marks(packed, BLOCK_MARK)
    chance = true[1] + 4001

    def with_chance(window, mark, start=0):
        found = find_marks(window, mark, start)
        at = packed.find(window[:64]) * 8 if len(window) >= 64 else -1
        if mark == BLOCK_MARK and at >= 0 and start * 8 <= chance - at < len(window) * 8:
            found = sorted([*found, chance - at])
        return found

    monkeypatch.setattr(blocks, "find_marks", with_chance)
    assert b"".join(block.data for block in read_blocks(io.BytesIO(packed), 0, 1 << 40)) == data


def test_an_index_gives_the_streams_and_shows_that_a_dump_is_cut(tmp_path, make_dump, page):
    streams = [make_dump([]).removesuffix(b"</mediawiki>\n")]
    streams += [
        "".join(page(n, f"T {n}", "text [[a]].") for n in range(k, k + 5)).encode()
        for k in (1, 6, 11)
    ]
    packed, lines = b"", ""
    for number, stream in enumerate(streams):
        if number:
            lines += "".join(f"{len(packed)}:{n}:T {n}: with colon\n" for n in range(5))
        packed += bz2.compress(stream)
    packed += bz2.compress(b"</mediawiki>\n")
    dump, index = tmp_path / "d.xml.bz2", tmp_path / "i.txt.bz2"
    dump.write_bytes(packed)
    index.write_bytes(bz2.compress(lines.encode()))
    parts = plan_ranges(str(dump), index=str(index), range_bytes=1)
    assert len(parts) == 4
    assert [p.title for p in _read(dump, 1, str(index))] == [f"T {n}" for n in range(1, 16)]
    dump.write_bytes(packed[:400])
    with pytest.raises(InputError, match="its index names byte"):
        plan_ranges(str(dump), index=str(index))
    index.write_text("no index\n")
    with pytest.raises(InputError, match="is no multistream index"):
        plan_ranges(str(dump), index=str(index))


def test_a_missing_an_empty_and_a_misnamed_file_are_named(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "x.bz2").write_bytes(b"<mediawiki>")
    for name, what in (
        ("none", "cannot be opened"),
        ("empty", "is empty"),
        ("x.bz2", "not compressed as its name says"),
    ):
        with pytest.raises(InputError, match=what) as caught:
            plan_ranges(str(tmp_path / name))
        assert name in caught.value.where
