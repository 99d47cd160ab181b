"""A data set's folder gives its own rows, whatever `datasets` has read before."""

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from questloom.eval.rows import open_local
from questloom.files.data_folders import load_folder
from questloom.transforms.external.external_rules import ExternalRules
from questloom.transforms.external.outside_rows import open_source

CARD = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/*.parquet\n---\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))


def bench(place, answer):
    """A data set with the card and the file names of every other one, as a benchmark's makers upload it."""
    (place / "bench" / "data").mkdir(parents=True, exist_ok=True)
    (place / "bench" / "README.md").write_text(CARD)
    rows = pa.table({"image": ["a.jpg"], "question": ["Who?"], "answer": [answer]})
    pq.write_table(rows, place / "bench" / "data" / "train.parquet")
    return place / "bench"


READERS = {
    "a split": lambda path: load_folder(path, "train"),
    "a folder": lambda path: load_folder(path)["train"],
    "a benchmark": lambda path: open_local(path).rows,
    "outside rows": lambda path: (
        open_source(ExternalRules(path=str(path), name="rows", licence="CC0")).rows
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_of_two_folders_with_one_name_and_one_card_each_gives_its_own_rows(tmp_path, reader):
    def read(path):
        return READERS[reader](path)[0]["answer"]

    assert [read(bench(tmp_path / side, side)) for side in ("left", "right", "left")] == [
        "left",
        "right",
        "left",
    ]
    assert read(bench(tmp_path / "left", "another")) == "another", (
        "also where a folder was filled anew"
    )


def test_a_folder_that_did_not_change_is_prepared_once(tmp_path):
    path = bench(tmp_path, "one")
    first, again = load_folder(path, "train"), load_folder(path, "train")
    assert (
        first.cache_files == again.cache_files
        and len(list((tmp_path / "cache").glob("content-*"))) == 1
    )
