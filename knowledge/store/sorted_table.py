"""Look-ups in a table of the store that is sorted by `key`. Some keys (the fences) stay in memory.
Pages of rows are read when needed, and cached.

The memory holds every 512th key (the fences) and an LRU cache of pages. A look-up does one binary
search in the fences and one in a page, then reads the rows. The table needs no separate index and
works on object stores. If the table grows, only the number of fences (keys in memory) grows.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from questloom.knowledge.store.lance_files import RowFiles, open_lance, read_batches, reading
from questloom.knowledge.store.layout import PAGE, RECORD_PAGE, table_path

CACHED_PAGES = 1024
CACHED_ID_PAGES = 4096
"""A page of row ids takes 30 kB. Looking up a hub (an entity that very many claims name) reads 20
pages."""


READ_WHOLE = ("claims", "inbound")
"""Tables of which a look-up needs keys and records. Both are read in one request, because a request
takes longer than the reading."""


class SortedTable:
    """Look-ups in one table of a store.

    Args:
        store: folder or URL of the store.
        name: name of the table in `layout.SCHEMAS`.
    """

    def __init__(self, store: str, name: str) -> None:
        self._store, self._data = store, open_lance(table_path(store, name))
        with reading(store):
            self.num_rows: int = self._data.count_rows()
            self._files = RowFiles(table_path(store, name), self._data)
        self._record_page = RECORD_PAGE.get(name, PAGE)
        self._fences: list[str] | None = None
        self._keys = lru_cache(CACHED_PAGES)(lambda page: self._read("key", page, PAGE))
        self._records = lru_cache(CACHED_PAGES)(
            lambda page: self._read("record", page, self._record_page)
        )
        if name in READ_WHOLE:
            pages = lru_cache(CACHED_PAGES)(self._read_whole)
            self._keys = lambda page: pages(page)[0]  # type: ignore[assignment]
            self._records = lambda page: pages(page)[1]  # type: ignore[assignment]
        self._ids = lru_cache(CACHED_ID_PAGES)(
            lambda page: [data.decode() for data in self._read("record", page, self._record_page)]
        )

    def find(self, key: str) -> tuple[int, int]:
        """The rows [start, stop) whose key is `key`."""
        return self._row(key, bisect_left), self._row(key, bisect_right)

    def find_range(self, start: str, stop: str) -> tuple[int, int]:
        """The rows [start, stop) whose keys lie in [start, stop)."""
        return self._row(start, bisect_left), self._row(stop, bisect_left)

    def _row(self, key: str, bisect: Callable[[list[str], str], int]) -> int:
        """The index of the first row at or after a key (with `bisect_left`), or of the first row
        after all rows with the key (with `bisect_right`)."""
        if self._fences is None:
            self._fences = self._read_fences()
        if not self._fences:
            return 0
        page = max(0, bisect(self._fences, key) - 1)
        return page * PAGE + bisect(self._keys(page), key)

    def records(self, start: int, stop: int) -> list[bytes]:
        """The records of the rows [start, stop)."""
        return self._rows(self._records, start, stop)

    def ids(self, start: int, stop: int) -> list[str]:
        """The records of a table of ids; each page is decoded only once, because a look-up can
        return thousands of ids."""
        return self._rows(self._ids, start, stop)

    def _rows(self, pages: Callable[[int], list], start: int, stop: int) -> list:
        size = self._record_page
        out: list = []
        for page in range(start // size, -(-stop // size)):
            out.extend(pages(page)[max(0, start - page * size) : stop - page * size])
        return out

    def get(self, key: str) -> bytes | None:
        """The record of a key that has one row; None if the row does not exist."""
        start, stop = self.find(key)
        return self.records(start, start + 1)[0] if start < stop else None

    def value(self, key: str, column: str) -> bytes | None:
        """The value in a further column, for a key that has one row; None if the key has no row.
        The value is read without the cache."""
        start, stop = self.find(key)
        return self._read_rows((column,), start, start + 1)[0][0] if start < stop else None

    def scan(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Streams the records of the rows [start, stop) in order."""
        stop = self.num_rows if stop is None else min(stop, self.num_rows)
        if start < stop:
            for batch in read_batches(
                self._store, self._data, columns=["record"], offset=start, limit=stop - start
            ):
                yield from batch.column(0).to_pylist()

    def scan_ids(self, start: str, stop: str) -> Iterator[tuple[str, list[str]]]:
        """Streams the keys in [start, stop) of a table of ids, each with its ids in order. A long
        list may come in several parts, one after the other. The rows are read without the cache,
        because they may be many and are read only once."""
        first, end = self.find_range(start, stop)
        if first == end:
            return
        for batch in read_batches(
            self._store, self._data, columns=["key", "record"], offset=first, limit=end - first
        ):
            keys = pc.run_end_encode(batch.column(0))  # Python would be slow row by row
            ids = batch.column(1).cast(pa.large_string()).to_pylist()
            begin = 0
            for key, stop_row in zip(
                keys.values.to_pylist(), keys.run_ends.to_pylist(), strict=True
            ):
                yield key, ids[begin:stop_row]
                begin = stop_row

    def _read(self, column: str, page: int, size: int) -> list:
        return self._read_rows((column,), page * size, (page + 1) * size)[0]

    def _read_whole(self, page: int) -> list[list]:
        """The keys and the records of a page."""
        return self._read_rows(("key", "record"), page * PAGE, (page + 1) * PAGE)

    def _read_rows(self, columns: tuple[str, ...], start: int, stop: int) -> list[list]:
        with reading(self._store):
            return self._files.read(columns, start, min(stop, self.num_rows))

    def _read_fences(self) -> list[str]:
        rows = pa.array(range(0, self.num_rows, PAGE), pa.int64())
        with reading(self._store):
            return self._data.take(rows, columns=["key"]).column("key").to_pylist()
