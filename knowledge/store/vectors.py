"""CLIP vectors of the store's pictures. The vectors are computed after ingest, in a separate step that needs a model.

`vectors.lance` has one row per picture, sorted by image id. A reader sees the whole table of
vectors or nothing. The table's schema names the model. Vectors are rounded, because their last
digits depend on the shape of the batch.

The pictures are split into parts, so that workers can share the pictures and a killed job can be
resumed. The vectors of a finished part stay in a file beside the table until all parts are
finished.
"""

import io
from collections.abc import Callable, Iterator

import lance
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from questloom.files.locations import Location, location, remove_tree
from questloom.files.parquet import write_whole
from questloom.knowledge.store.lance_files import open_lance, read_batches, reading, write_lance
from questloom.knowledge.store.layout import VECTORS, table_path
from questloom.records.errors import InputError
from questloom.records.identity import SCORE_DIGITS, sha256_hex

PART = 2048
"""Number of pictures per part. One part takes 8 s on one core with the small checkpoint, and some
minutes with ViT-B/32."""
BATCH = 16
PARTS = "vectors-parts"

Compute = Callable[[list[bytes]], np.ndarray]
"""A function from the files of some pictures to their unit vectors, float (pictures, width)."""


def add_vectors(
    store_path: str,
    compute: Compute,
    model_name: str,
    batch: int = BATCH,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Computes the vectors of all pictures in this process and returns their number. Vectors that the same model has
    already computed are kept.

    Args:
        store_path: path of a complete store.
        compute: function that returns the vectors of up to `batch` pictures.
        model_name: name of the checkpoint, stored with the vectors.
        batch: pictures per call.
        progress: function that is called with (number of finished pictures, total number).
    """
    total = num_pictures(store_path)
    if not have_vectors(store_path, model_name):
        for part in range(num_parts(store_path)):
            write_part(
                store_path,
                compute,
                model_name,
                part,
                batch,
                (lambda done: progress(done, total)) if progress else None,
            )
        gather_parts(store_path, model_name)
    return total


def num_pictures(store_path: str) -> int:
    """The number of pictures in a store."""
    return open_lance(table_path(store_path, "images")).count_rows()


def num_parts(store_path: str) -> int:
    """The number of parts into which the pictures are split."""
    return -(-num_pictures(store_path) // PART)


def have_vectors(store_path: str, model_name: str) -> bool:
    """Whether every picture of a store has a vector from this model; True for a store without pictures."""
    total, existing = num_pictures(store_path), vectors_of(store_path)
    if not total:
        return True
    return (
        existing is not None
        and existing.schema.metadata.get(b"model") == model_name.encode()
        and existing.count_rows() == total
    )


def finished_parts(store_path: str, model_name: str) -> int:
    """The number of parts that are finished."""
    return sum(1 for _ in _folder(store_path, model_name).glob("*.parquet"))


def write_part(
    store_path: str,
    compute: Compute,
    model_name: str,
    part: int,
    batch: int = BATCH,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Computes the vectors of a part, unless the part is finished.

    Args:
        store_path: path of a complete store.
        compute: function that returns the vectors of up to `batch` pictures.
        model_name: name of the checkpoint.
        part: number of the part, from 0.
        batch: pictures per call.
        progress: function that is called with the number of finished pictures, including earlier parts.
    """
    path = _folder(store_path, model_name) / f"part-{part:06d}.parquet"
    if path.exists():
        return
    keys: list[str] = []
    rows: list[np.ndarray] = []
    images = open_lance(table_path(store_path, "images"))
    for found in read_batches(
        store_path,
        images,
        columns=["key", "bytes"],
        offset=part * PART,
        limit=PART,
        batch_size=batch,
        strict_batch_size=True,
    ):
        vectors = np.asarray(compute(found.column("bytes").to_pylist()), np.float32)
        assert vectors.shape[0] == found.num_rows, (
            f"{model_name} gave {vectors.shape} for {found.num_rows} pictures"
        )
        keys += found.column("key").to_pylist()
        rows.append(np.round(vectors, SCORE_DIGITS) + np.float32(0))
        if progress:
            progress(part * PART + len(keys))
    whole = np.concatenate(rows)
    file = io.BytesIO()
    flat = pa.FixedSizeListArray.from_arrays(
        pa.array(whole.reshape(-1), pa.float32()), whole.shape[1]
    )
    pq.write_table(pa.table({"key": keys, "vector": flat}), file)
    write_whole(path, file.getvalue())


def gather_parts(store_path: str, model_name: str) -> None:
    """Writes the table of all vectors from the parts, then removes the parts."""
    folder, number = _folder(store_path, model_name), num_parts(store_path)
    if not number:
        return

    def read(part: int) -> pa.Table:
        return pq.read_table(io.BytesIO((folder / f"part-{part:06d}.parquet").read_bytes()))

    def batches() -> Iterator[pa.RecordBatch]:
        for part in range(number):
            yield from read(part).cast(schema).to_batches()

    try:
        schema = pa.schema(
            [("key", pa.string()), ("vector", read(0).schema.field("vector").type)],
            metadata={"model": model_name},
        )
        write_lance(f"{store_path.rstrip('/')}/{VECTORS}", schema, batches())
    except OSError:
        if not have_vectors(
            store_path, model_name
        ):  # otherwise another process has written the table
            raise
    remove_tree(location(store_path, PARTS), ignore_errors=True)


def _folder(store_path: str, model_name: str) -> Location:
    return location(store_path, PARTS, sha256_hex(model_name)[:16])


def vectors_of(store_path: str) -> lance.LanceDataset | None:
    """The data set of vectors; None until `add_vectors` has finished."""
    try:
        return open_lance(f"{store_path.rstrip('/')}/{VECTORS}")
    except FileNotFoundError:
        return None


def load_vectors(store_path: str) -> tuple[list[str], np.ndarray, str]:
    """Loads the image ids, their vectors float32 (pictures, width) in the same order, and the model's name. If the
    store has no pictures, ids, vectors and name are empty.

    Raises:
        InputError: the store has pictures but no vectors yet.
    """
    data = vectors_of(store_path)
    if data is None:
        if not open_lance(table_path(store_path, "images")).count_rows():
            return [], np.zeros((0, 0), np.float32), ""
        raise InputError(
            store_path,
            "the store has no picture vectors",
            "Compute them (`add_vectors`), or search text only.",
        )
    with reading(store_path):
        table = data.to_table()
    flat = table.column("vector").combine_chunks().flatten().to_numpy()
    return (
        table.column("key").to_pylist(),
        flat.reshape(table.num_rows, -1),
        data.schema.metadata[b"model"].decode(),
    )
