import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.files.locations import whole_file
from questloom.transforms.ingest.part_files import (
    PartWriter,
    groups,
    merge_runs,
    partition_of,
    read_parts,
    write_runs,
)

keys = st.text(st.characters(codec="utf-8"), max_size=4)


@given(st.lists(st.lists(st.tuples(keys, st.integers(0, 10**6)), max_size=30), max_size=5))
def test_merged_runs_are_all_rows_in_order(runs):
    rows = [
        [
            (key, f"{order:07d} {run} {place}", b"r" * (order % 50))
            for place, (key, order) in enumerate(found)
        ]
        for run, found in enumerate(runs)
    ]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("questloom.transforms.ingest.part_files.RUN_ROWS", 3)
        for number, found in enumerate(rows):
            write_runs(Path(folder), f"{number}", {"t": list(found)})
        merged = [
            tuple(row.values())[:3]
            for table in merge_runs(Path(folder), "t")
            for row in table.to_pylist()
        ]
    assert merged == sorted(row for found in rows for row in found)


@given(st.lists(st.tuples(keys, keys, st.binary(max_size=5)), max_size=40), st.integers(1, 5))
def test_a_partition_holds_the_rows_whose_keys_hash_to_it_whoever_wrote_them(rows, num):
    with tempfile.TemporaryDirectory() as folder:
        for task in range(2):
            writer = PartWriter(Path(folder), f"t{task}", num)
            for row in rows[task::2]:
                writer.add("kind", row)
            writer.close()
        for partition in range(num):
            table = read_parts(Path(folder), "kind", partition)
            found = [
                (key, order, record) for key, group in groups(table) for order, record, _ in group
            ]
            assert sorted(found) == sorted(
                row for row in rows if partition_of(row[0], num) == partition
            )
            assert [row[:2] for row in found] == sorted(row[:2] for row in found)


def test_a_file_that_was_not_finished_does_not_appear(tmp_path):
    def fails():
        with whole_file(tmp_path / "x" / "file") as part:
            part.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert list((tmp_path / "x").iterdir()) == []
