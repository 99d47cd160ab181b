"""Readers over dumps and folders in a bucket: the same as over local ones, and only what is read travels."""

import bz2
import io
import json
import random

import pytest

from questloom.files import buckets
from questloom.files.buckets import BucketPath
from questloom.files.locations import location
from questloom.knowledge.readers import byte_ranges as ranges
from questloom.knowledge.readers import pieces
from questloom.knowledge.readers.byte_ranges import next_stream, plan_ranges
from questloom.knowledge.readers.folder import list_pictures, read_picture
from questloom.knowledge.readers.mediawiki_xml import read_pages, read_site
from questloom.knowledge.readers.zim import plan_zim, read_zim, read_zim_site
from questloom.records.errors import InputError
from tests.small_dumps import BROKEN_JPEG, metadata, picture


@pytest.fixture
def fetched(monkeypatch) -> list[int]:
    """Sizes of the ranges that were asked of the bucket."""
    sizes: list[int] = []
    ask = BucketPath.range
    monkeypatch.setattr(
        BucketPath,
        "range",
        lambda self, start, stop: sizes.append(stop - start) or ask(self, start, stop),
    )
    return sizes


@pytest.mark.parametrize("form", ["plain", "one stream", "many streams"])
def test_a_dump_in_a_bucket_has_the_ranges_and_pages_of_a_local_one(
    s3, tmp_path, make_dump, multistream, form
):
    data = make_dump(num=20)
    content = {
        "plain": data,
        "one stream": bz2.compress(data, 1),
        "many streams": multistream(data, 7001),
    }[form]
    (tmp_path / "dump").write_bytes(content)
    location(s3, "dump").write_bytes(content)
    found = []
    for path in (str(tmp_path / "dump"), f"{s3}/dump"):
        site, parts = read_site(path), plan_ranges(path, range_bytes=1000)
        found.append(
            (
                [(p.start, p.end, p.kind) for p in parts],
                [page for part in parts for page in read_pages(part, site)],
            )
        )
    assert found[0] == found[1] and len(found[0][1]) == 20


def test_a_range_of_a_dump_is_fetched_and_not_the_dump(
    s3, multistream, page, make_dump, fetched, monkeypatch
):
    monkeypatch.setattr(buckets, "BLOCK", 32_000)
    monkeypatch.setattr(pieces, "CHUNK", 32_000)
    draw = random.Random(3)
    pages = [
        page(n, f"Page {n}", "".join(draw.choices("abcdefghij klmnop", k=30_000)))
        for n in range(1, 60)
    ]
    content = multistream(make_dump(pages), 60_000)
    assert len(content) > 700_000
    location(s3, "dump").write_bytes(content)
    parts = plan_ranges(f"{s3}/dump", range_bytes=200_000)
    site = read_site(f"{s3}/dump")
    fetched.clear()
    assert len(parts) >= 3 and list(read_pages(parts[1], site))
    assert sum(fetched) < 0.5 * len(content)


def _next_stream_at_once(file, at):
    """The search over the whole of the bytes, which the one by pieces must agree with."""
    file.seek(at)
    data = file.read(ranges.STREAM_SEARCH)
    for found in ranges._STREAM_START.finditer(data):
        try:
            if bz2.BZ2Decompressor().decompress(data[found.start() :], 1):
                return at + found.start()
        except OSError:
            continue
    return 0


@pytest.mark.parametrize("piece", [11, 64, 1 << 18])
def test_a_stream_is_found_by_pieces_as_in_one_search(monkeypatch, piece):
    monkeypatch.setattr(ranges, "PIECE", piece)
    draw = random.Random(piece)
    for _ in range(30):
        parts = [
            b"BZh91AY&SY" + draw.randbytes(20)
            if draw.random() < 0.4
            else bz2.compress(draw.randbytes(draw.randrange(1, 900)), 1)
            for _ in range(6)
        ]
        data = draw.randbytes(draw.randrange(40)) + b"".join(parts)
        at = draw.randrange(len(data))
        assert next_stream(io.BytesIO(data), at) == _next_stream_at_once(io.BytesIO(data), at)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_folder_of_pictures_in_a_bucket_is_read_as_a_local_one(s3, tmp_path, kind):
    pictures = {
        "Lamp 1.png": picture("red"),
        "Tür & Tor [1].png": picture("navy"),
        "Broken.jpg": BROKEN_JPEG,
    }
    lines = "".join(json.dumps(metadata(name)) + "\n" for name in (*pictures, "Missing.png"))
    table = "file,licence\n" + "".join(f"{name},CC0\n" for name in (*pictures, "Missing.png"))
    for root in (location(tmp_path), location(s3)):
        for name, data in pictures.items():
            (root / name).write_bytes(data)
        (root / f"metadata.{kind}").write_bytes((lines if kind == "jsonl" else table).encode())
    assert list(map(read_picture, list_pictures(s3))) == list(
        map(read_picture, list_pictures(str(tmp_path)))
    )
    sizes = [[p.num_bytes for p in list_pictures(folder)] for folder in (s3, str(tmp_path))]
    assert sizes[0] == sizes[1] and sum(sizes[0]) == sum(map(len, pictures.values()))
    with pytest.raises(InputError, match="is no folder"):
        list_pictures(f"{s3}/nothing")
    gone = next(p for p in list_pictures(s3) if p.path.endswith("Lamp 1.png"))
    location(gone.path).unlink()
    assert read_picture(gone).reason == "picture_unreadable"


def test_a_zim_in_a_bucket_is_copied_once_and_that_is_said(s3, shared, capsys):
    local = shared("zim/wikipedia_cr_all_2015-04.zim")
    location(s3, "wiki.zim").upload(local)
    path = f"{s3}/wiki.zim"
    site, parts = read_zim_site(path), plan_zim(path)
    assert f"{local.stat().st_size:,} bytes to TMPDIR" in capsys.readouterr().err
    assert [x for part in parts for x in read_zim(part, site)] == [
        x for part in plan_zim(str(local)) for x in read_zim(part, site)
    ]
    assert capsys.readouterr().err == "", "a local file needs no word"
    with pytest.raises(InputError, match="no such file"):
        plan_zim(f"{s3}/none.zim")
