"""Two runs that differ in a row differ; in the fingerprint of a recipe alone they do not."""

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.same_bytes import HASH, digest, may_differ


def test_a_stages_shard_is_compared_by_its_rows_and_every_other_file_by_its_bytes(tmp_path):
    def shard(folder: str, fingerprint: str, value: int) -> str:
        path = tmp_path / folder / f"{fingerprint}-{value}.parquet"
        path.parent.mkdir(exist_ok=True)
        table = pa.table({"a": [1, value]}).replace_schema_metadata({"fingerprint": fingerprint})
        pq.write_table(table, path)
        return digest(path)

    assert shard("stages", "one", 2) == shard("stages", "two", 2) != shard("stages", "two", 3)
    assert shard("dataset", "one", 2) != shard("dataset", "two", 2)


def test_times_may_differ_and_a_data_set_may_not():
    assert may_differ("demo/run/timing/03-draft/0") and may_differ("demo/store/meta.json")
    assert not may_differ("demo/run/dataset/train-00000-of-00001-abc.parquet")
    assert HASH.sub("", "run/stages/03-draft-0123456789abcdef/kept-00000.parquet") == (
        "run/stages/03-draft/kept-00000.parquet"
    )
