"""Places: local paths stay ordinary paths; objects appear whole, are read by ranges, and what cannot be used is told before work starts."""

import os
import pickle
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from questloom.files import buckets
from questloom.files.buckets import BucketPath
from questloom.files.locations import (
    check_locations,
    listed,
    local_copy,
    location,
    open_binary,
    readable,
    remove_tree,
    size_of,
    whole_file,
    whole_folder,
)
from questloom.files.parquet import read_metadata, read_records, write_records, write_whole
from questloom.records.errors import InputError, ProviderFault
from questloom.records.outcomes import Rejection
from tests.small_buckets import BUCKET, forget_connections, free_port

NAMES = ("Ann [1]?.txt", "é & ü, 100 %.jpg", "a*b.txt", "plain.txt", "x=1+2.txt")


def test_a_local_path_is_an_ordinary_path(tmp_path):
    assert location(str(tmp_path), "a", "b") == tmp_path / "a" / "b" and isinstance(
        location(tmp_path), Path
    )


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("s3:/bucket/x", "one slash"),
        ("ftp://host/x", "no kind of address"),
        ("s3:///x", "names no bucket"),
        ("s3://key:secret@bucket/x", "holds credentials"),
        ("gs://token@bucket/x", "holds credentials"),
    ],
)
def test_addresses_that_cannot_be_are_refused_and_credentials_are_not_repeated(address, what):
    with pytest.raises(InputError, match=what) as caught:
        location(address)
    assert "secret" not in str(caught.value) and "token@" not in str(caught.value)


def test_a_path_that_lost_a_slash_is_caught():
    with pytest.raises(InputError, match="one slash"):
        location(Path("s3://bucket/x"))


def test_names_are_those_of_pathlib():
    path = location("gs://b/runs//one/", "kept-00001.parquet")
    assert (
        str(path) == "gs://b/runs/one/kept-00001.parquet"
        and path == location("gs://b") / "runs/one" / "kept-00001.parquet"
    )
    assert (path.name, path.stem, path.suffix, str(path.parent.parent)) == (
        "kept-00001.parquet",
        "kept-00001",
        ".parquet",
        "gs://b/runs",
    )
    assert (
        str(path.with_name("x")) == "gs://b/runs/one/x" and pickle.loads(pickle.dumps(path)) == path
    )
    with pytest.raises(TypeError):
        Path(path)  # what can only read local files refuses it


def test_what_is_written_is_listed_read_and_removed_by_any_name(bucket):
    root = location(bucket)
    assert not root.exists() and listed(root) == []
    for name in NAMES:
        write_whole(root / name, name.encode())
        write_whole(root / "sub" / name, b"")
    write_whole(location(bucket + "-beside"), b"no part of it")
    assert [p.name for p in listed(root)] == sorted((*NAMES, "sub")) and [
        p.is_dir() for p in listed(root)
    ].count(True) == 1
    assert [p.name for p in listed(root, "*.txt")] == sorted(n for n in NAMES if n.endswith(".txt"))
    assert {name: (root / name).read_bytes().decode() for name in NAMES} == {
        name: name for name in NAMES
    }
    assert (
        [size_of(p) for p in listed(root / "sub")] == [0] * len(NAMES)
        and (root / "sub").is_dir()
        and not (root / "sub").is_file()
    )
    (root / NAMES[0]).unlink()
    (root / NAMES[0]).unlink(missing_ok=True)
    assert not (root / NAMES[0]).exists()
    remove_tree(root)
    assert not root.exists() and location(bucket + "-beside").exists()


@pytest.mark.parametrize(
    "read",
    [
        lambda p: p.read_bytes(),
        lambda p: p.open(),
        lambda p: p.size(),
        lambda p: list(p.iterdir()),
        lambda p: p.version(),
    ],
)
def test_what_is_missing_is_a_missing_file(bucket, read):
    with pytest.raises(FileNotFoundError):
        read(location(bucket, "nothing"))
    assert read_metadata(location(bucket, "nothing.parquet")) is None


def test_any_order_of_seeks_and_reads_gives_the_object_and_fetches_ranges_only(bucket, monkeypatch):
    data, draw = random.Random(1).randbytes(3_000_000), random.Random(2)
    path = location(bucket, "object")
    write_whole(path, data)
    fetched = []
    whole = BucketPath.range
    monkeypatch.setattr(
        BucketPath,
        "range",
        lambda self, start, stop: fetched.append(stop - start) or whole(self, start, stop),
    )
    with open_binary(path, 100_000) as file:
        file.seek(1_500_000)
        assert file.read(10) == data[1_500_000:1_500_010] and sum(fetched) == 100_000
        file.seek(-8, 2)
        assert file.read() == data[-8:] and sum(fetched) == 200_000, (
            "the end comes as one block: footers stand there"
        )
        for _ in range(40):
            at, size = draw.randrange(len(data) + 10), draw.randrange(250_000)
            assert file.seek(at) == at and file.read(size) == data[at : at + size]
    assert max(fetched) < 400_000


def test_records_in_a_bucket_are_the_bytes_of_those_on_disk(bucket, tmp_path):
    rows = [
        Rejection(item_id=f"{n:05d}", seed_id="", stage="read", reason="error", title="é" * n)
        for n in range(1200)
    ]
    for path in (location(tmp_path), location(bucket)):
        assert write_records(path / "r.parquet", Rejection, rows, source="abc") == 1200
    assert (tmp_path / "r.parquet").read_bytes() == location(bucket, "r.parquet").read_bytes()
    assert (
        list(read_records(location(bucket, "r.parquet"), Rejection)) == rows
        and read_metadata(location(bucket, "r.parquet"))["source"] == "abc"
    )
    assert pq.read_table(readable(location(bucket, "r.parquet"))).equals(
        pq.read_table(tmp_path / "r.parquet")
    )
    write_whole(location(bucket, "bad.parquet"), b"no parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(read_records(location(bucket, "bad.parquet"), Rejection))


@pytest.mark.parametrize("where", ["local", "bucket"])
def test_a_file_whose_writer_fails_is_not_there(where, bucket, tmp_path):
    path = location(tmp_path if where == "local" else bucket, "folder", "file")
    parts = []

    def fail():
        with whole_file(path) as part:
            parts.append(part)
            part.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not path.exists() and not parts[0].exists()
    with whole_file(path) as part:
        part.write_bytes(b"whole")
    assert path.read_bytes() == b"whole" and not part.exists()


def test_a_folder_in_a_bucket_is_whole_while_its_last_file_is_there(bucket, monkeypatch):
    target = location(bucket, "dataset")

    def write(names):
        with whole_folder(target, last="README.md") as folder:
            for name in names:
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text(name)

    write(["README.md", "data/1", "data/2"])
    upload, seen = BucketPath.upload, []

    def failing(self, source):
        seen.append((self.name, (target / "README.md").exists()))
        if self.name == "4":
            raise ProviderFault("s3", "gone")
        upload(self, source)

    monkeypatch.setattr(BucketPath, "upload", failing)
    with pytest.raises(ProviderFault):
        write(["README.md", "data/3", "data/4"])
    assert not (target / "README.md").exists() and not any(there for _, there in seen)
    monkeypatch.setattr(
        BucketPath, "upload", lambda self, source: (seen.append(self.name), upload(self, source))
    )
    seen.clear()
    write(["README.md", "data/3", "data/4"])
    assert seen[-1] == "README.md" and [
        str(f).removeprefix(f"{target}/") for f in target.files()
    ] == ["README.md", "data/3", "data/4"]


def test_a_local_folder_is_replaced_by_rename_and_left_alone_by_a_failure(tmp_path):
    for text in ("one", "two"):
        with whole_folder(tmp_path / "f", last="x") as folder:
            (folder / text).write_text(text)
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "f", last="x"):
        raise ZeroDivisionError
    assert [p.name for p in (tmp_path / "f").iterdir()] == ["two"]


def test_two_that_write_a_folder_at_once_do_not_share_it_and_the_last_one_stays(tmp_path):
    with whole_folder(tmp_path / "f", last="x") as first:
        (first / "a").write_text("first")
        with whole_folder(tmp_path / "f", last="x") as second:
            (second / "b").write_text("second")
        assert [p.name for p in (tmp_path / "f").iterdir()] == ["b"]
        (first / "c").write_text("first")
    assert sorted(p.name for p in (tmp_path / "f").iterdir()) == ["a", "c"]
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_what_a_killed_writer_left_goes_after_a_day_and_not_before(tmp_path):
    for name, hours in (("young", 1), ("stale", 25)):
        left = tmp_path / f".f.{name}.part"
        left.mkdir()
        (left / "a").write_text("a")
        os.utime(left, (time.time() - 3600 * hours,) * 2)
    with whole_folder(tmp_path / "f", last="x") as folder:
        (folder / "x").write_text("x")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".f.young.part", "f"]


def test_a_local_copy_is_fetched_once_and_again_where_the_object_changed(bucket):
    path = location(bucket, "a", "file.zim")
    write_whole(path, b"one")
    first = local_copy(path)
    assert first.name == "file.zim" and first.read_bytes() == b"one" and local_copy(path) is first
    write_whole(path, b"two")
    assert local_copy(path).read_bytes() == b"two"
    write_whole(location(bucket, "a", "b", "c"), b"three")
    assert sorted(
        str(p.relative_to(local_copy(location(bucket))))
        for p in local_copy(location(bucket)).rglob("*")
        if p.is_file()
    ) == ["a/b/c", "a/file.zim"]


def test_memory_maps_of_a_copy_read_what_was_written(bucket):
    path, table = location(bucket, "t.arrow"), pa.table({"a": list(range(1000))})
    with (
        whole_file(path) as part,
        pa.OSFile(str(part), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    assert pa.ipc.open_file(pa.memory_map(str(local_copy(path)))).read_all().equals(table)


# Before work starts


def test_a_place_that_can_be_used_is_left_as_it_was(bucket, tmp_path):
    check_locations(writes=[bucket, str(tmp_path / "new" / "folder"), tmp_path])
    assert not location(bucket).exists() and not any(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["taken", "taken/below", "/proc/no/such"])
def test_a_local_folder_that_cannot_be_written_is_named(tmp_path, place):
    (tmp_path / "taken").write_text("x")
    with pytest.raises(InputError, match=f"{place}: cannot be written"):
        check_locations(writes=[tmp_path / place])


@pytest.mark.parametrize(
    ("path", "what"),
    [("/nothing/here", "nothing is there"), ("-that-is-not-there/x", "there is no bucket")],
)
def test_a_missing_object_or_bucket_is_named(bucket, path, what):
    address = f"{bucket.partition(BUCKET)[0]}{BUCKET}{path}"
    with pytest.raises(InputError, match=what):
        check_locations(reads=[address])
    if "bucket" in what:
        with pytest.raises(InputError, match=what):
            check_locations(writes=[address])


class _Forbidding(BaseHTTPRequestHandler):
    def _refuse(self):
        body = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = _refuse

    def log_message(self, *args):
        pass


def test_refused_credentials_are_told_and_never_shown(s3, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Forbidding)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    forget_connections()
    try:
        for asked in ({"reads": [s3]}, {"writes": [s3]}):
            with pytest.raises(InputError, match=r"not allowed .*AWS_ACCESS_KEY_ID") as caught:
                check_locations(**asked)
            assert "very-secret" not in str(caught.value)
    finally:
        server.shutdown()


@pytest.mark.parametrize(
    ("scheme", "name"), [("s3", "AWS_ENDPOINT_URL"), ("gs", "STORAGE_EMULATOR_HOST")]
)
def test_a_store_that_does_not_answer_is_told_within_a_minute(scheme, name, s3, monkeypatch):
    monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    monkeypatch.setattr(buckets, "CHECK_SECONDS", 5)
    forget_connections()
    started = time.monotonic()
    with pytest.raises(InputError, match=r"cannot be used|did not answer"):
        check_locations(writes=[f"{scheme}://bucket/{n}" for n in range(4)])
    assert time.monotonic() - started < 20


def test_without_the_providers_package_the_fix_is_named(monkeypatch):
    forget_connections()
    monkeypatch.setitem(buckets.EXTRAS, "s3", ("no_such_package", "s3"))
    with pytest.raises(InputError, match=r"pip install 'questloom\[s3\]'"):
        check_locations(reads=["s3://bucket/x"])


def test_a_store_that_fails_in_the_middle_is_a_providers_fault(s3, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setitem(buckets._CONNECT, "retries", {"mode": "standard", "max_attempts": 1})
    forget_connections()
    with pytest.raises(ProviderFault, match=f"s3://{BUCKET}"):
        location(s3, "x").read_bytes()
