"""CLIP vectors of the store's pictures: an own step after ingest, since it needs a model.

`vectors.lance` holds one row a picture, sorted by image id; Lance shows it whole or not at all, and its schema names the
model. Vectors are rounded, because a model's last digits depend on the shape of its batch.
"""
from collections.abc import Callable, Iterator

import lance
import numpy as np
import pyarrow as pa

from knowledge.store.lance_files import open_lance, write_lance
from knowledge.store.layout import VECTORS, table_path
from records.errors import InputError
from records.identity import SCORE_DIGITS


def add_vectors(store_path: str, compute: Callable[[list[bytes]], np.ndarray], model_name: str, batch: int = 16,
                progress: Callable[[int, int], None] | None = None) -> int:
    """Computes and writes the vector of every picture; returns how many. Vectors of the same model are left as they are.

    Args:
        store_path: a whole store.
        compute: files of up to `batch` pictures to their unit vectors, float (pictures, width).
        model_name: the checkpoint's name, kept beside the vectors.
        batch: pictures a call.
        progress: called with (done, total).
    """
    images = open_lance(table_path(store_path, "images"))
    total = images.count_rows()
    existing = vectors_of(store_path)
    if existing is not None and existing.schema.metadata.get(b"model") == model_name.encode() and existing.count_rows() == total:
        return total
    if not total:
        return 0

    def computed() -> Iterator[tuple[list[str], np.ndarray]]:
        done = 0
        for rows in images.to_batches(columns=["key", "bytes"], batch_size=batch, strict_batch_size=True):
            vectors = np.asarray(compute(rows.column("bytes").to_pylist()), np.float32)
            assert vectors.shape[0] == rows.num_rows, f"{model_name} gave {vectors.shape} for {rows.num_rows} pictures"
            yield rows.column("key").to_pylist(), np.round(vectors, SCORE_DIGITS) + np.float32(0)
            done += rows.num_rows
            if progress:
                progress(done, total)

    stream = computed()
    first = next(stream)
    schema = pa.schema([("key", pa.string()), ("vector", pa.list_(pa.float32(), first[1].shape[1]))], metadata={"model": model_name})

    def batches() -> Iterator[pa.RecordBatch]:
        for keys, vectors in (first, *stream):
            flat = pa.array(vectors.reshape(-1), pa.float32())
            yield pa.RecordBatch.from_arrays([pa.array(keys), pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])], schema=schema)

    write_lance(f"{store_path.rstrip('/')}/{VECTORS}", schema, batches())
    return total


def vectors_of(store_path: str) -> lance.LanceDataset | None:
    """The data set of vectors, or None before `add_vectors` has finished."""
    try:
        return open_lance(f"{store_path.rstrip('/')}/{VECTORS}")
    except FileNotFoundError:
        return None


def load_vectors(store_path: str) -> tuple[list[str], np.ndarray, str]:
    """Image ids, their vectors float32 (pictures, width) in the same order, and the model's name; all empty for a store without pictures.

    Raises:
        InputError: the store has pictures and no vectors yet.
    """
    data = vectors_of(store_path)
    if data is None:
        if not open_lance(table_path(store_path, "images")).count_rows():
            return [], np.zeros((0, 0), np.float32), ""
        raise InputError(store_path, "the store has no picture vectors", "Compute them (`add_vectors`), or search text only.")
    table = data.to_table()
    flat = table.column("vector").combine_chunks().flatten().to_numpy()
    return table.column("key").to_pylist(), flat.reshape(table.num_rows, -1), data.schema.metadata[b"model"].decode()
