"""Rows that are read from a data set's files are those of the data set."""

from concurrent.futures import ThreadPoolExecutor

import lance
import pyarrow as pa
import pytest

from questloom.knowledge.store.lance_files import RowFiles


@pytest.mark.parametrize(("start", "stop"), [(0, 25), (9, 11), (10, 20), (24, 25), (7, 7)])
def test_rows_are_right_across_the_borders_of_files(tmp_path, start, stop):
    path = str(tmp_path / "table.lance")
    table = pa.table(
        {"key": [f"Q{n}" for n in range(25)], "record": [b"%d" % n for n in range(25)]}
    )
    data = lance.write_dataset(table, path, max_rows_per_file=10)
    assert len(data.get_fragments()) == 3
    found = RowFiles(path, data).read(("record", "key"), start, stop)
    assert found == [[b"%d" % n for n in range(start, stop)], [f"Q{n}" for n in range(start, stop)]]


def test_many_threads_read_at_once(tmp_path):
    path = str(tmp_path / "table.lance")
    table = pa.table({"key": [f"Q{n}" for n in range(20_000)]})
    rows = RowFiles(path, lance.write_dataset(table, path, max_rows_per_file=10_000))

    def read(n: int) -> list:
        return rows.read(("key",), 40 * n, 40 * n + 40)[0]

    with ThreadPoolExecutor(8) as threads:
        for n, found in enumerate(threads.map(read, range(500))):
            assert found == [f"Q{i}" for i in range(40 * n, 40 * n + 40)]
