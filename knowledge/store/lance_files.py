"""Opens and writes Lance data sets: local, `s3://` or `gs://`. Lance connects to buckets with its
own clients, which read credentials from the environment."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import lance
import pyarrow as pa

from questloom.files.locations import location, reaching, remove_tree
from questloom.records.errors import InputError

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
