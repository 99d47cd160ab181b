"""Writes a store: sorted tables with their digests, then meta.json.

Lance's files differ between two runs even if the rows are the same. Two stores are equal if the digests of their tables
are equal.
"""

import datetime
import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from questloom.files.locations import location, reaching
from questloom.files.parquet import write_whole
from questloom.knowledge.store.lance_files import open_lance, write_lance
from questloom.knowledge.store.layout import META, SCHEMAS, STORE_VERSION, table_path
from questloom.records.identity import digest_of

DIGEST_ROWS = 1024
BATCH_BYTES = 8 << 20
STEMMED = {
    "da": "Danish",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "hu": "Hungarian",
    "it": "Italian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
}
"""Languages for which the search index has a stemmer. In other languages, words are not stemmed,
and ICU finds where words begin and end."""


def write_table(store: str, name: str, batches: Iterable[pa.Table]) -> dict[str, Any]:
    """Writes one table of a store.

    Args:
        store: folder of the store.
        name: name of a table in `layout.SCHEMAS`.
        batches: rows of the table in batches of any size, in the table's fixed order.

    Returns:
        A dict `{"rows": …, "digest": …}`, as meta.json holds it.
    """
    digest = _Digest()
    schema = SCHEMAS[name]

    def checked() -> Iterator[pa.RecordBatch]:
        last = ""
        for table in batches:
            table = table.cast(schema)
            if not table.num_rows:
                continue
            keys = table.column("key").combine_chunks()
            assert last <= keys[0].as_py(), f"{name}: rows are not sorted by key"
            assert not pc.any(pc.less(keys[1:], keys[:-1])).as_py(), (
                f"{name}: rows are not sorted by key"
            )
            last = keys[-1].as_py()
            digest.update(table)
            rows = max(1, BATCH_BYTES * table.num_rows // max(1, table.nbytes))
            yield from table.to_batches(max_chunksize=rows)

    write_lance(table_path(store, name), schema, checked())
    return {"rows": digest.num_rows, "digest": digest.hexdigest()}


def index_passages(store: str, language: str) -> None:
    """Builds the BM25 index over the passages.

    One worker builds the index over all passages. Several workers would split the index in random
    order, which would change the statistics and scores of the index.

    Args:
        store: folder of the store.
        language: language code of the wiki, for stemming.
    """
    data = open_lance(table_path(store, "passages"))
    if data.count_rows():
        with reaching(store):
            data.create_scalar_index(
                "text",
                "INVERTED",
                base_tokenizer="icu",
                language=STEMMED.get(language, "English"),
                stem=language in STEMMED,
                remove_stop_words=False,
                with_position=False,
                num_workers=1,
            )


def write_meta(
    store: str, facts: dict[str, Any], tables: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Writes meta.json, and returns its contents. The file meta.json marks the store as complete.

    Args:
        store: folder of the store.
        facts: wiki, languages, snapshot date, names and dates of dumps.
        tables: the results of `write_table`, by table.
    """
    meta = {
        **facts,
        "version": STORE_VERSION,
        "tables": dict(sorted(tables.items())),
        "digest": digest_of(
            part for name in sorted(tables) for part in (name, tables[name]["digest"])
        ),
        "written": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    write_whole(
        location(store, META),
        json.dumps(meta, indent=1, sort_keys=True, ensure_ascii=False).encode(),
    )
    return meta


class _Digest:
    """The sha256 over the rows of a table in order. The rows are hashed in chunks of exactly
    DIGEST_ROWS, so the size of batches does not change the digest."""

    def __init__(self) -> None:
        self.num_rows = 0
        self._sha = hashlib.sha256()
        self._rest: pa.Table | None = None

    def update(self, table: pa.Table) -> None:
        self.num_rows += table.num_rows
        if self._rest is not None:
            table = pa.concat_tables([self._rest, table])
        whole = table.num_rows - table.num_rows % DIGEST_ROWS
        for start in range(0, whole, DIGEST_ROWS):
            self._add(table.slice(start, DIGEST_ROWS))
        self._rest = table.slice(whole)

    def _add(self, chunk: pa.Table) -> None:
        for column in chunk.columns:
            values = pc.fill_null(column.combine_chunks().cast(pa.large_binary()), b"")
            _, offset_buffer, data = values.buffers()
            offsets = np.frombuffer(offset_buffer, np.int64)[
                values.offset : values.offset + len(values) + 1
            ]
            self._sha.update(np.diff(offsets).tobytes())
            self._sha.update(memoryview(data)[offsets[0] : offsets[-1]] if data else b"")

    def hexdigest(self) -> str:
        if self._rest is not None and self._rest.num_rows:
            self._add(self._rest)
            self._rest = None
        return self._sha.hexdigest()
