"""Opens and writes Lance data sets: local, `s3://` or `gs://`. Lance connects to buckets with its
own clients, which read credentials from the environment."""

import os
import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate
from typing import Any

import lance
import pyarrow as pa
from lance.file import LanceFileReader, LanceFileSession

from questloom.files.locations import location, reaching, remove_tree
from questloom.records.errors import InputError

OPEN_FILES = 256
"""Number of files of a data set that stay open for `RowFiles`. A file holds a million rows."""
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


def storage_options(path: str) -> dict[str, str] | None:
    """Options for object stores that Lance does not read from the environment; no option is a
    secret."""
    endpoint = (
        next((os.environ[name] for name in ENDPOINTS if os.environ.get(name)), "")
        if path.startswith("s3://")
        else ""
    )
    if not endpoint:
        return None
    return {"aws_endpoint_url": endpoint, "allow_http": str(endpoint.startswith("http://")).lower()}


def open_lance(path: str) -> lance.LanceDataset:
    """Opens a Lance data set.

    Raises:
        FileNotFoundError: the data set does not exist; InputError: the data set is damaged; ProviderFault: a bucket
            cannot be read.
    """
    with reaching(path):
        try:
            return lance.dataset(path, storage_options=storage_options(path))
        except ValueError as error:
            if "was not found" in str(error):  # Lance has no error class for a missing data set
                raise FileNotFoundError(2, "no such data set", path) from error
            raise _damaged(path, error) from error


@contextmanager
def reading(store: str) -> Iterator[None]:
    """A context in which a table of a store is read. The context turns Lance's errors into the
    project's errors.

    Raises:
        InputError: the table is damaged; ProviderFault: a bucket cannot be read.
    """
    try:
        with reaching(store):
            yield
    except InputError:
        raise
    except (OSError, ValueError) as error:  # pa.ArrowInvalid is a ValueError
        raise _damaged(store, error) from error


def _damaged(path: str, error: Exception) -> InputError:
    what = " ".join(str(error).split()).partition(", /")[0][
        :200
    ]  # the rest of the message is a place in Lance's source
    return InputError(
        path,
        f"a table of the store cannot be read ({what})",
        "Remove the store and run `questloom ingest` again.",
    )


def read_batches(store: str, data: lance.LanceDataset, **what: Any) -> Iterator[pa.RecordBatch]:
    """Yields the batches of `data.to_batches(**what)`. Each batch is read in the context `reading`,
    which translates Lance's errors."""
    batches = iter(data.to_batches(**what))
    while True:
        with reading(store):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


class RowFiles:
    """Reads consecutive rows of a data set directly from its files, since `lance.LanceDataset.take`
    plans a query for each request.

    Args:
        path: path of a data set that is written once and never changed.
        data: the opened data set.
    """

    def __init__(self, path: str, data: lance.LanceDataset) -> None:
        fragments = data.get_fragments()
        self._names = [fragment.data_files()[0].path for fragment in fragments]
        self._starts = [0, *accumulate(fragment.physical_rows for fragment in fragments)]
        self._path = path
        self._session: LanceFileSession | None = None
        # Lance's reader raises "Already borrowed" where two threads read at once.
        self._one_at_a_time = threading.Lock()
        self._open = lru_cache(OPEN_FILES)(self._open_file)

    def _open_file(self, number: int, columns: tuple[str, ...]) -> LanceFileReader:
        if self._session is None:
            self._session = LanceFileSession(f"{self._path}/data", storage_options(self._path))
        return self._session.open_reader(self._names[number], list(columns))

    def read(self, columns: tuple[str, ...], start: int, stop: int) -> list[list]:
        """The values of some columns in the rows [start, stop), a list for each column."""
        found: list[list] = [[] for _ in columns]
        while start < stop:
            number = bisect_right(self._starts, start) - 1
            first, end = self._starts[number : number + 2]
            num = min(stop, end) - start
            with self._one_at_a_time:
                results = self._open(number, columns).read_range(
                    start - first, num, batch_size=num, batch_readahead=1
                )
                batches = list(results.to_batches())
            for batch in batches:
                for values, name in zip(found, columns, strict=True):
                    values.extend(batch.column(name).to_pylist())
            start += num
        return found


def write_lance(path: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Writes a data set in place of the old data set at the path. A process that reads the path
    sees the whole new data set or nothing of it."""
    found = location(path)
    if found.exists():
        remove_tree(found)
    with reaching(path):
        lance.write_dataset(
            pa.RecordBatchReader.from_batches(schema, batches),
            path,
            storage_options=storage_options(path),
        )
