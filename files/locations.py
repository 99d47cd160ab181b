"""File operations that work in the same way for local paths, `s3://bucket/…` and `gs://bucket/…`.

For a local path, `location` returns a `pathlib.Path`. For an object store, `location` returns a `BucketPath`
(`buckets.py`), with the methods of pathlib that the project uses.

An object store has no folders and cannot rename anything, but each object appears as a whole or not
at all. In a bucket, `write_whole` and `whole_file` therefore need only one upload. If a folder has
several objects, one object marks the folder as complete. The marking object is written last and
deleted first. Credentials come only from the environment, where the providers' own tools also look
for them.
"""

import atexit
import errno
import os
import re
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from questloom.files import buckets
from questloom.files.buckets import THREADS, BucketPath, asking, is_remote
from questloom.records.errors import InputError

Location = Path | BucketPath
GRACE_SECONDS = 5
LEFTOVER_SECONDS = 86_400.0


def location(path: str | Location, *parts: str) -> Location:
    """Returns the location that a path means: a local path, or an address in `s3://` or `gs://`.

    Raises: InputError: the address has an unknown scheme, or contains credentials.
    """
    if re.match(r"(s3|gs):/[^/]", str(path)):
        raise InputError(
            str(path),
            "has one slash where an address has two",
            "Give s3://BUCKET/… or gs://BUCKET/….",
        )
    if isinstance(path, Path):
        return Path(path, *parts)
    found = (
        path if isinstance(path, BucketPath) else BucketPath.of(path) if is_remote(path) else None
    )
    if found is not None:
        return found.joinpath(*parts)
    if "://" in str(path):
        raise InputError(
            str(path).split("://")[0] + "://…",
            "is no kind of address that is known here",
            "Give a local path, s3://BUCKET/… or gs://BUCKET/….",
        )
    return Path(str(path), *parts)


def open_binary(path: str | Location, block: int = 0) -> BinaryIO:
    """Opens a file for reading. From a bucket, only the needed byte ranges are fetched.

    Args:
        path: path of the file.
        block: minimum number of bytes that one request to a bucket fetches; 0 for the default.

    Raises:
        FileNotFoundError: the file does not exist.
        OSError: a local file cannot be read.
        ProviderFault: a bucket cannot be read.
    """
    found = location(path)
    return found.open("rb", block) if isinstance(found, BucketPath) else open(found, "rb")


def readable(path: Location) -> Path | BinaryIO:
    """The form in which pyarrow can read the location: a local path stays unchanged, and an object
    becomes an open file.
    """
    return path.open("rb") if isinstance(path, BucketPath) else path


def size_of(path: Location) -> int:
    """Returns the size of a file in bytes."""
    return path.size() if isinstance(path, BucketPath) else path.stat().st_size


def listed(folder: Location, pattern: str = "*") -> list[Location]:
    """The files and folders directly in a folder whose names match a pattern, sorted. The list is
    empty if the folder does not exist.
    """
    return list(sorted(folder.glob(pattern)))  # type: ignore[type-var]


def remove_tree(path: Location, *, ignore_errors: bool = False) -> None:
    """Removes a folder with everything in it. If the folder is missing in a bucket, nothing
    happens.
    """
    if isinstance(path, BucketPath):
        path.remove_tree()
    else:
        shutil.rmtree(path, ignore_errors=ignore_errors)


@contextmanager
def whole_file(path: Location) -> Iterator[Path]:
    """Opens a local file for writing. If the `with` block ends without an error, the written file
    gets the name `path`, by a rename on a disk or by an upload to a bucket.
    """
    if isinstance(path, BucketPath):
        part = scratch() / uuid.uuid4().hex
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        yield part
        if isinstance(path, BucketPath):
            path.upload(part)
        else:
            os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Location, *, last: str) -> Iterator[Path]:
    """Makes an empty local folder that the caller fills. If the `with` block ends without an error,
    the folder replaces `path`.

    Args:
        path: the target folder. A local folder is first made under a temporary name beside its
            target, and then renamed.
        last: name of the file in the folder that is written last. In a bucket, nothing can be
            renamed. Therefore the file `last` is deleted first and written last. While the file
            `last` exists, the folder is complete.
    """
    if isinstance(path, BucketPath):
        with tempfile.TemporaryDirectory(prefix="questloom-", dir=scratch()) as folder:
            yield Path(folder)
            _upload_folder(Path(folder), path, last)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    part.mkdir()
    try:
        yield part
        _put(part, path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _put(part: Path, path: Path) -> None:
    """Renames a temporary folder to its final path. If several processes rename their folders to
    the same path at once, the last folder stays there.
    """
    placed = False
    while not placed:
        old = path.with_name(f".{path.name}.{uuid.uuid4().hex}.old")
        with suppress(FileNotFoundError):
            path.rename(old)
        try:
            part.rename(path)
            placed = True
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        shutil.rmtree(old, ignore_errors=True)


def _remove_leftovers(path: Path) -> None:
    """Removes the temporary folders that killed processes have left behind. Recent temporary
    folders stay, because a process may still write into them.
    """
    for left in (
        *path.parent.glob(f".{path.name}.*.part"),
        *path.parent.glob(f".{path.name}.*.old"),
    ):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > LEFTOVER_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def _upload_folder(folder: Path, target: BucketPath, last: str) -> None:
    files = {
        str(file.relative_to(folder)): file for file in sorted(folder.rglob("*")) if file.is_file()
    }
    assert last in files, f"{last} was not written"
    target.joinpath(last).unlink(missing_ok=True)
    stale = [old for old in target.files() if str(old).removeprefix(f"{target}/") not in files]
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda old: old.unlink(missing_ok=True), stale))
        list(
            pool.map(
                lambda name: target.joinpath(name).upload(files[name]),
                (name for name in files if name != last),
            )
        )
    target.joinpath(last).upload(files[last])


@cache
def _scratch_of(process: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="questloom-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def scratch() -> Path:
    """The temporary folder of this process for local copies, under TMPDIR. The folder is deleted
    when the process ends.
    """
    return _scratch_of(os.getpid())


_COPIES: dict[tuple[int, str, str], Path] = {}
_COPYING = threading.Lock()


def local_copy(path: Location) -> Path:
    """Returns a path on this machine for a file or folder, because memory maps and some libraries
    can read only local files.

    A local path is returned unchanged. A file in a bucket is copied to the folder `scratch` once
    per process, and again if the file has changed.

    Raises:
        FileNotFoundError: the path does not exist.
    """
    if not isinstance(path, BucketPath):
        return path
    with _COPYING:
        key = (os.getpid(), str(path), path.version())
        if key not in _COPIES:
            folder = scratch() / uuid.uuid4().hex
            folder.mkdir()
            _COPIES[key] = _fetch(path, folder / path.name)
        return _COPIES[key]


def _fetch(path: BucketPath, target: Path) -> Path:
    if path.is_file():
        path.download(target)
        return target
    files = {file: target / str(file).removeprefix(f"{path}/") for file in path.files()}
    for file, local in files.items():
        if not local.resolve().is_relative_to(target.resolve()):  # an object may have any name
            raise InputError(
                str(file), "is no name of a file within its folder", "Rename the object."
            )
        local.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda file: file.download(files[file]), files))
    return target


def check_locations(
    *, reads: Iterable[str | Location] = (), writes: Iterable[str | Location] = ()
) -> None:
    """Checks whether locations can be used. All buckets are checked at the same time. The function
    does not check local inputs, because the code that opens them does so.

    Args:
        reads: the locations that must exist and be readable.
        writes: the folders in which the program must be able to list, write and delete files; they
            may not exist yet.

    Raises:
        InputError: a location does not exist or cannot be accessed; or the path of a folder leads
            to a file; or the provider does not answer in 20 seconds, or its package is not
            installed.
    """
    reads, writes = tuple(reads), tuple(writes)
    for path in writes:
        if isinstance(found := location(path), Path):
            _check_writable(found)
    asked = [
        (found, writing)
        for paths, writing in ((reads, False), (writes, True))
        for path in paths
        if isinstance(found := location(path), BucketPath)
    ]
    if not asked:
        return

    ended: dict[int, InputError | None] = {}

    def check(number: int) -> None:
        found, writing = asked[number]
        try:
            found.check(writing=writing)
            ended[number] = None
        except InputError as error:
            ended[number] = error

    # Daemon threads: the search for credentials may hang for minutes, and the command must end
    # sooner.
    threads = [
        threading.Thread(target=check, args=(number,), daemon=True) for number in range(len(asked))
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + buckets.CHECK_SECONDS + GRACE_SECONDS
    for thread in threads:  # all threads before the first error, so that no probe is left behind
        thread.join(max(0.0, deadline - time.monotonic()))
    for number in range(len(asked)):
        if (error := ended.get(number, asked[number][0].silent())) is not None:
            raise error


def _check_writable(folder: Path) -> None:
    """Writes a test file into the folder. Makes the folder if it is missing. The test file also
    reveals a read-only disk or /proc, which access rights do not show.
    """
    at = folder.absolute()
    while not os.path.lexists(at):
        at = at.parent
    try:
        os.rmdir(tempfile.mkdtemp(prefix=buckets.PROBE, dir=at))
    except OSError as error:
        raise InputError(
            str(folder),
            f"cannot be written ({at}: {error.strerror})",
            "Name another folder, or correct the rights.",
        ) from error


def reaching(path: str | Location):
    """A context that turns the errors of another library about a bucket into `ProviderFault`. For
    local paths, the context does nothing.
    """
    return asking(BucketPath.of(str(path))) if is_remote(path) else nullcontext()
