"""The gallery, a static page of data sets (`benchmarks/gallery.py`)."""

import shutil

import pyarrow.parquet as pq
import pytest
from lxml import html
from PIL import Image

from benchmarks.gallery import drawn, rows, write_gallery


def test_each_data_set_gives_its_share_with_answer_picture_and_credit(exported, tmp_path):
    made = write_gallery([exported, exported], tmp_path, number=4, seed=1)
    cards = html.parse(str(tmp_path / "index.html")).xpath("//article")
    assert made == len(cards) == 4
    known = {row["question"]: row["answer"] for row in rows(exported)}
    for card in cards:
        question = card.findtext("h3").partition(". ")[2]
        assert card.findtext("details/b").startswith(known[question])
        assert card.findtext("small").startswith("Picture: ") and "hops" in card.findtext("p")
        with Image.open(tmp_path / card.find("img").get("src")) as picture:
            assert max(picture.size) <= 320


def test_a_picture_whose_licence_is_inferred_is_linked_and_not_copied(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "dataset")
    ledger = tmp_path / "dataset" / "attribution.parquet"
    table = pq.read_table(ledger)
    place = table.schema.names.index("credit")
    credits = [["somebody; inferred: by age"] * table.num_rows]
    pq.write_table(table.set_column(place, table.schema.field("credit"), credits), ledger)
    write_gallery([tmp_path / "dataset"], tmp_path / "gallery", number=3, seed=1)
    page = html.parse(str(tmp_path / "gallery" / "index.html"))
    assert len(page.xpath("//article")) == 3 and not page.xpath("//img")
    assert not list((tmp_path / "gallery").glob("*.jpg"))


def test_the_same_words_are_drawn_once():
    found = drawn([{"id": str(i), "question": f"Who? {i // 2}"} for i in range(6)], 10, 1)
    assert sorted(row["question"] for row in found) == ["Who? 0", "Who? 1", "Who? 2"]


def test_a_folder_without_questions_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no kept questions"):
        rows(tmp_path)
