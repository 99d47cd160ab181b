"""Treats objects in S3 and Google Cloud Storage as paths. The classes use fsspec's `s3fs` and
`gcsfs` (extras `s3` and `gcs`).

Listings are never cached, because other workers may write at any time. If a fault outlasts the
library's retries, it becomes a `ProviderFault`, and the task stays unfinished. A missing object
raises FileNotFoundError, like a missing file on a disk.
"""

import fnmatch
import io
import json
import os
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, total_ordering
from pathlib import Path
from typing import Any, BinaryIO

import fsspec
from fsspec.asyn import sync
from fsspec.exceptions import FSTimeoutError

from questloom.records.errors import InputError, ProviderFault, QuestloomError
from questloom.records.identity import sha256_hex

EXTRAS = {"s3": ("s3fs", "s3"), "gs": ("gcsfs", "gcs")}
"""For each URL scheme, the package that it needs and the extra in setup.py that installs the
package.
"""
RIGHTS = {
    "s3": "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_PROFILE), and AWS_ENDPOINT_URL for a store that is not Amazon's.",
    "gs": "Set GOOGLE_APPLICATION_CREDENTIALS, or log in with gcloud.",
}
BLOCK = 1 << 20
"""Minimum number of bytes that one request fetches. The end of a file is fetched as one block too,
because many formats have a footer there.
"""
BUFFER = 1 << 16
THREADS = 16
CHECK_SECONDS = 15
PROBE = ".questloom-probe"
_CONNECT = {
    "connect_timeout": 10,
    "read_timeout": 60,
    "retries": {"mode": "standard", "max_attempts": 5},
    "max_pool_connections": 32,
}
_CONNECT_QUICK = {
    "connect_timeout": 5,
    "read_timeout": 15,
    "retries": {"mode": "standard", "max_attempts": 2},
}
_MISSING = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


def is_remote(path: object) -> bool:
    """Whether a path is an address in an object store."""
    return str(path).startswith(tuple(f"{scheme}://" for scheme in EXTRAS))


@cache
def _files(scheme: str, process: int, quick: bool = False) -> Any:
    """The file system for a URL scheme. Each process has only one file system per scheme."""
    package, extra = EXTRAS[scheme]
    try:
        __import__(package)
    except ImportError as error:
        raise InputError(
            f"{scheme}://…",
            f"needs the package {package}",
            f"Install it: pip install 'questloom[{extra}]'.",
        ) from error
    if scheme == "s3":
        found = fsspec.filesystem(
            "s3", use_listings_cache=False, config_kwargs=_CONNECT_QUICK if quick else _CONNECT
        )
        if quick:
            found.retries = 1
        return found
    from gcsfs.core import (
        GCSFileSystem,
    )  # the subclass that `fsspec` gives first asks for the bucket's layout by gRPC

    # An emulator takes no credentials, but google-auth would look for some.
    emulated = {"token": "anon"} if os.environ.get("STORAGE_EMULATOR_HOST") else {}
    return GCSFileSystem(use_listings_cache=False, **emulated)


@contextmanager
def asking(path: "BucketPath") -> Iterator[None]:
    """A context that turns exceptions of the providers' libraries into the project's own
    exceptions. No other code catches the providers' exceptions.
    """
    try:
        yield
    except (*_MISSING, QuestloomError, AssertionError):
        raise
    except (
        Exception
    ) as error:  # exceptions of botocore, google-auth, aiohttp and the providers' libraries
        raise ProviderFault(f"{path.scheme}://{path.bucket}", _words(error)) from error


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


@total_ordering
class BucketPath:
    """An object in a bucket, or all objects under a prefix. The class has those methods of
    `pathlib.Path` that the project uses.

    The class has no `__fspath__`, so libraries that can open only local files refuse its objects. A
    pickled `BucketPath` contains only its address.

    Args:
        scheme: "s3" or "gs".
        bucket: name of the bucket.
        key: key of the object, without slashes at its ends; "" for the bucket itself.
        info: what a listing said about this object.
    """

    def __init__(
        self, scheme: str, bucket: str, key: str = "", info: dict[str, Any] | None = None
    ) -> None:
        self.scheme, self.bucket, self.key, self._info = scheme, bucket, key, info

    @classmethod
    def of(cls, url: str) -> "BucketPath":
        """Parses an address.

        Raises:
            InputError: the address names no bucket, or contains credentials.
        """
        scheme, _, rest = url.partition("://")
        bucket, _, key = rest.partition("/")
        if "@" in bucket or ":" in bucket:
            raise InputError(
                f"{scheme}://…",
                "holds credentials, or no bucket's name",
                f"Give {scheme}://BUCKET/PATH. {RIGHTS[scheme]}",
            )
        if not bucket:
            raise InputError(url, "names no bucket", f"Give {scheme}://BUCKET/PATH.")
        return cls(scheme, bucket, "/".join(part for part in key.split("/") if part))

    # Names and addresses

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bucket}" + (f"/{self.key}" if self.key else "")

    def __repr__(self) -> str:
        return f"BucketPath({str(self)!r})"

    def __reduce__(self):
        return BucketPath, (self.scheme, self.bucket, self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BucketPath) and str(self) == str(other)

    def __lt__(self, other: "BucketPath") -> bool:
        return str(self) < str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def joinpath(self, *parts: str) -> "BucketPath":
        key = "/".join(part for text in (self.key, *parts) for part in str(text).split("/") if part)
        return self if key == self.key else BucketPath(self.scheme, self.bucket, key)

    def __truediv__(self, part: str) -> "BucketPath":
        return self.joinpath(part)

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2] or self.bucket

    @property
    def stem(self) -> str:
        return Path(self.name).stem

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix

    @property
    def parent(self) -> "BucketPath":
        return BucketPath(self.scheme, self.bucket, self.key.rpartition("/")[0])

    def with_name(self, name: str) -> "BucketPath":
        return self.parent / name

    def resolve(self) -> "BucketPath":
        return self

    def is_relative_to(self, other: "BucketPath") -> bool:
        return self == other or str(self).startswith(f"{other}/")

    # What the bucket holds

    @property
    def _fs(self) -> Any:
        return _files(self.scheme, os.getpid())

    def _look(self) -> dict[str, Any] | None:
        """Returns what the object store says about the object. Returns None if the object does not
        exist. Information from a listing is used without another request.
        """
        if self._info is not None:
            return self._info
        try:
            with asking(self):
                return self._fs.info(str(self))
        except _MISSING:
            return None

    def exists(self) -> bool:
        return self._look() is not None

    def is_file(self) -> bool:
        return (self._look() or {}).get("type") == "file"

    def is_dir(self) -> bool:
        return (self._look() or {}).get("type") == "directory"

    def size(self) -> int:
        """Size of the object in bytes."""
        found = self._look()
        if found is None or found["type"] != "file":
            raise FileNotFoundError(2, "no such object", str(self))
        return int(found["size"])

    def version(self) -> str:
        """Returns a string that changes whenever the object changes, or any object under the
        prefix.
        """
        found = self._look()
        if found is None:
            raise FileNotFoundError(2, "no such object", str(self))
        if found["type"] == "file":
            return _version(found)
        return sha256_hex(
            json.dumps([(str(file), _version(file._info or {})) for file in self.files()])
        )

    def iterdir(self) -> Iterator["BucketPath"]:
        """The entries of a listing that lie directly under the prefix. The listing leaves out a
        test object that `check` has written.
        """
        with asking(self):
            entries = self._fs.ls(str(self), detail=True, refresh=True)
        for entry in entries:
            found = BucketPath.of(f"{self.scheme}://{entry['name']}")
            if found != self and found.parent == self and not found.name.startswith(PROBE):
                found._info = entry
                yield found

    def glob(self, pattern: str) -> Iterator["BucketPath"]:
        """The objects and folders directly under the prefix whose names match the pattern."""
        assert "/" not in pattern and "**" not in pattern, pattern
        try:
            yield from (
                found for found in self.iterdir() if fnmatch.fnmatchcase(found.name, pattern)
            )
        except _MISSING:
            return

    def files(self) -> list["BucketPath"]:
        """Every object under the prefix, at any depth, sorted."""
        with asking(self):
            entries = self._fs.find(f"{self}/", detail=True)
        found = []
        for name, entry in sorted(entries.items()):
            if entry["type"] == "file" and not name.endswith("/"):
                path = BucketPath.of(f"{self.scheme}://{name}")
                path._info = entry
                found.append(path)
        return found

    # Reading

    def read_bytes(self) -> bytes:
        with asking(self):
            return self._fs.cat_file(str(self))

    def read_text(self, encoding: str = "utf-8") -> str:
        return self.read_bytes().decode(encoding)

    def open(self, mode: str = "rb", block: int = 0) -> BinaryIO:
        """Opens the object for reading, in ranges of at least `block` bytes."""
        assert mode == "rb", mode
        return io.BufferedReader(_Ranges(self, self.size(), block or BLOCK), BUFFER)  # type: ignore[return-value]

    def range(self, start: int, stop: int) -> bytes:
        """Reads the bytes [start, stop) of the object."""
        with asking(self):
            return self._fs.cat_file(str(self), start=start, end=stop)

    def download(self, target: Path) -> None:
        """Downloads the object into a local file."""
        with asking(self):
            self._fs.get_file(str(self), str(target))

    # Writing: an object appears whole or not at all

    def write_bytes(self, data: bytes) -> None:
        with asking(self):
            self._fs.pipe_file(str(self), data)

    def upload(self, source: Path) -> None:
        """Uploads a local file as this object. The upload is one PUT, or several parts that become
        one object after the last part.
        """
        with asking(self):
            self._fs.put_file(str(source), str(self))

    def unlink(self, missing_ok: bool = False) -> None:
        try:
            with asking(self):
                self._fs.rm_file(str(self))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def remove_tree(self) -> None:
        """Deletes every object under the prefix."""
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda file: file.unlink(missing_ok=True), self.files()))

    def mkdir(self, parents: bool = False, exist_ok: bool = False) -> None:
        """Does nothing: a bucket has no folders."""

    # Before work starts

    def check(self, *, writing: bool) -> None:
        """Checks whether the location can be used. The check makes few retries and has a time
        limit.

        Raises:
            InputError: the bucket or object does not exist, access is denied, or the provider does
                not answer.
        """
        files = _files(self.scheme, os.getpid(), quick=True)
        probe = str(self / f"{PROBE}-{uuid.uuid4().hex}")

        async def ask() -> None:
            try:
                await files._info(str(self))
            except FileNotFoundError:
                await files._ls(f"{self.scheme}://{self.bucket}")
                if not writing:
                    raise _NothingThere from None
            if writing:
                await files._pipe_file(probe, b"")
                await files._rm_file(probe)

        try:
            sync(files.loop, ask, timeout=CHECK_SECONDS)
        except _NothingThere:
            raise InputError(str(self), "nothing is there", "Correct the path.") from None
        except FileNotFoundError as error:
            raise InputError(
                str(self), f"there is no bucket {self.bucket}", "Create it, or correct the path."
            ) from error
        except PermissionError as error:
            right = "reading, writing and deleting" if writing else "reading"
            raise InputError(
                str(self), f"{right} is not allowed ({_words(error)})", RIGHTS[self.scheme]
            ) from error
        except FSTimeoutError:
            raise self.silent() from None
        except (
            Exception
        ) as error:  # exceptions of botocore, google-auth, aiohttp and the providers' libraries
            raise InputError(
                str(self),
                f"cannot be used ({_words(error)})",
                f"See that the store can be reached. {RIGHTS[self.scheme]}",
            ) from error

    def silent(self) -> InputError:
        """The error for a check that did not end within its time limit."""
        return InputError(
            str(self),
            f"did not answer within {CHECK_SECONDS} seconds",
            f"See that the store can be reached. {RIGHTS[self.scheme]}",
        )


class _NothingThere(Exception):
    """The bucket exists, but the object does not."""


def _version(info: dict[str, Any]) -> str:
    return str(
        info.get("ETag")
        or info.get("etag")
        or info.get("generation")
        or info.get("LastModified")
        or info.get("mtime")
        or info.get("size")
    )


class _Ranges(io.RawIOBase):
    """An object in a bucket as a readable file. Each request fetches one block: at the reading
    position, or at the end of the file.
    """

    def __init__(self, path: BucketPath, size: int, block: int) -> None:
        self._path, self._size, self._block = path, size, block
        self._at, self._start, self._data = 0, 0, b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = max(
            0, offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        )
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self._size - self._at)
        if wanted <= 0:
            return 0
        if not self._start <= self._at < self._at + wanted <= self._start + len(self._data):
            stop = min(self._size, self._at + max(wanted, self._block))
            start = max(0, min(self._at, stop - self._block)) if stop == self._size else self._at
            self._data, self._start = self._path.range(start, stop), start
            if len(self._data) != stop - start:
                raise ProviderFault(
                    f"{self._path.scheme}://{self._path.bucket}",
                    f"{self._path} changed while it was read",
                )
        begin = self._at - self._start
        buffer[:wanted] = self._data[begin : begin + wanted]
        self._at += wanted
        return wanted
