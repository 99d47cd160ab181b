"""Popularity files: what is read, in which ranges, and what is refused with its line."""

import pytest

from questloom.knowledge.readers import popularity
from questloom.knowledge.readers.popularity import plan_popularity, read_popularity
from questloom.records.errors import InputError
from questloom.records.knowledge import Popularity
from tests.shared_data import SHARED, needs

GOOD = "id\tsitelinks\tpage_views\tsources\nQ23\t272\t350336\tcards\nQ42\t\t7\t\nQ5\t0\t\t\n"
READ = [
    ("Q23", Popularity(sitelinks=272, page_views=350_336)),
    ("Q42", Popularity(page_views=7)),
    ("Q5", Popularity(sitelinks=0)),
]


def read(path) -> list:
    return [row for part in plan_popularity(str(path)) for row in read_popularity(part)]


@pytest.mark.parametrize("text", [GOOD, GOOD.replace("\n", "\r\n"), GOOD[:-1], "\ufeff" + GOOD])
@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_every_row_is_read_once_however_the_file_is_cut(tmp_path, monkeypatch, text, rows):
    monkeypatch.setattr(popularity, "ROWS", rows)
    (tmp_path / "p.tsv").write_bytes(text.encode())
    assert read(tmp_path / "p.tsv") == READ and len(plan_popularity(str(tmp_path / "p.tsv"))) == -(
        -3 // rows
    )


def test_columns_may_stand_in_any_order_and_one_figure_is_enough(tmp_path):
    (tmp_path / "p.tsv").write_text("page_views\tid\n12\tQ1\n")
    assert read(tmp_path / "p.tsv") == [("Q1", Popularity(page_views=12))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1.* names the columns ''"),
        ("id\tsources\nQ1\tx\n", "names the columns 'id', 'sources'"),
        ("sitelinks\n3\n", "names the columns"),
        ("id\tsitelinks\tpageviews\nQ1\t1\t2\n", "'pageviews'"),
        ("id\tsitelinks\tsitelinks\nQ1\t1\t2\n", "names the columns"),
        ("id,sitelinks\nQ1,3\n", "names the columns 'id,sitelinks'"),
        ("id\tsitelinks\n", "has no line"),
        ("id\tsitelinks\nQ1\t3\t4\n", r"line 2.* has 3 columns, and the first line names 2"),
        ("id\tsitelinks\nQ1\t3\n\nQ2\t3\n", "line 3.* has 1 columns"),
        ("id\tsitelinks\nQ1\t3\nP2\t3\n", r"line 3.* no item's id in the column id \('P2'\)"),
        ("id\tsitelinks\nQ01\t3\n", "no item's id"),
        ("id\tsitelinks\n1\t3\n", "no item's id"),
        ("id\tsitelinks\nQ1 \t3\n", "no item's id"),
        ("id\tsitelinks\nhttp://x/Q1\t3\n", "no item's id"),
        ("id\tsitelinks\nQ1\t-3\n", r"no count in the column sitelinks \('-3'\)"),
        ("id\tsitelinks\nQ1\t3.0\n", "no count"),
        ("id\tpage_views\nQ1\t1,234\n", "no count in the column page_views"),
        ("id\tpage_views\nQ1\tmany\n", "no count"),
        ("id\tpage_views\nQ1\t\u0663\n", "no count"),
        ("id\tpage_views\nQ1\t" + "9" * 30 + "\n", "no count"),
        ("id\tsitelinks\nQ7\t3\nQ1\t4\nQ7\t3\n", "more than one line of Q7"),
    ],
)
def test_what_is_no_popularity_file_is_refused_with_its_place(tmp_path, text, said):
    (tmp_path / "p.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        plan_popularity(str(tmp_path / "p.tsv"))


def test_a_packed_file_and_a_missing_one_are_refused(tmp_path):
    import gzip

    (tmp_path / "p.tsv.gz").write_bytes(gzip.compress(GOOD.encode()))
    with pytest.raises(InputError, match="no text in UTF-8"):
        plan_popularity(str(tmp_path / "p.tsv.gz"))
    with pytest.raises(InputError, match="cannot be opened"):
        plan_popularity(str(tmp_path / "none.tsv"))


@needs("slice/popularity.tsv")
def test_the_real_file_is_read_to_its_last_line():
    found = dict(read(SHARED / "data" / "slice" / "popularity.tsv"))
    assert (
        len(found) == 4_498
        and found["Q23"] == Popularity(sitelinks=272, page_views=350_336)
        and found["Q3"] == Popularity(sitelinks=186)
    )
