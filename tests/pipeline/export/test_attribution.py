import pytest

from questloom.files.parquet import write_records
from questloom.pipeline.export.attribution import Attribution, merged


@pytest.mark.parametrize("max_open", [2, 3, 100])
def test_sorted_parts_become_one_order_with_each_picture_once(tmp_path, max_open):
    parts = []
    for n in range(11):
        rows = [
            Attribution(image_id=f"{i:03d}", source_sha256="s", file=f"{i}.jpg", licence="CC0")
            for i in sorted({n, n + 1, 5})
        ]
        parts.append(tmp_path / f"{n:05d}.parquet")
        write_records(parts[-1], Attribution, rows)
    assert [a.image_id for a in merged(parts, max_open=max_open)] == [f"{i:03d}" for i in range(12)]
