"""The table of benchmarks: all that were promised stand in it, published subsets have their published sizes, and what was not seen says so."""

import pytest
from pydantic import ValidationError

from questloom.eval.adapter import entries, with_pictures
from questloom.eval.rows import open_local
from questloom.eval.statements import TABLE, listing, read_statements, statements


def test_every_benchmark_that_the_four_systems_score_on_has_a_statement():
    assert set(statements()) >= {
        "simplevqa",
        "vdr_bench",
        "vdr_bench_testmini",
        "mmsearch",
        "mmsearch_plus",
        "livevqa",
        "browsecomp_vl_1",
        "browsecomp_vl_2",
        "fvqa",
        "infoseek",
        "mm_browsecomp",
        "hle_vl",
        "mm_searchexam",
        "mathvision",
        "dynamath",
        "math_vr",
        "vstar",
        "visualprobe_hard",
        "hr_bench_4k",
        "hr_bench_8k",
        "hr_mmsearch",
    }


@pytest.mark.parametrize(
    ("name", "subset", "size", "of"),
    [
        ("mmsearch", "vsearcher", 171, 300),
        ("mm_browsecomp", "vsearcher", 122, 224),
        ("simplevqa", "vsearcher", 180, 2025),
        ("simplevqa", "ode", 300, 2025),
        ("browsecomp_vl_1", "", 199, 199),
        ("browsecomp_vl_2", "", 200, 200),
        ("mm_searchexam", "", 283, 283),
    ],
)
def test_published_subsets_are_pinned_by_size(name, subset, size, of):
    statement = statements()[name]
    assert (
        statement.size == of
        and (statement.subsets[subset].size if subset else statement.size) == size
    )


def test_each_says_where_it_lies_what_its_licence_is_and_how_much_of_it_was_seen():
    for statement in statements().values():
        assert (
            bool(statement.hub) != bool(statement.repository)
            and statement.licence
            and statement.size > 0
        )
        assert not statement.repository or statement.file
        assert statement.as_line().startswith(statement.name) and statement.name in listing()
        assert all(
            words in listing() and words in statement.as_text()
            for words in (statement.place, statement.licence)
        ), "nothing is cut off"
        assert statement.note in statement.as_text() and all(
            subset.note in statement.as_text() for subset in statement.subsets.values()
        )
    assert {s.name for s in statements().values() if s.verified == "no"} == {
        "math_vr",
        "hr_mmsearch",
    }


OWN = """
own:
  title: Own
  paper: none
  repository: us/own
  file: rows.json
  size: 2
  licence: CC0
  columns: {id: id, question: q, answer: a}
  verified: "no"
"""


def read(folder, text):
    table = folder / "benchmarks.yaml"
    table.write_text(text, encoding="utf-8")
    return read_statements(table)


def test_a_benchmark_is_added_in_the_table_alone(tmp_path, monkeypatch):
    table = tmp_path / "benchmarks.yaml"
    table.write_text(TABLE.read_text(encoding="utf-8") + OWN, encoding="utf-8")
    monkeypatch.setattr("questloom.eval.statements.TABLE", table)
    statements.cache_clear()
    try:
        assert "rows.json of github.com/us/own; licence CC0" in listing()
        rows = tmp_path / "rows.json"
        rows.write_text(
            '[{"id": 1, "q": "Who?", "a": "Ilse"}, {"id": 2, "q": "When?", "a": "1871"}]'
        )
        opened = open_local(rows)
        found = entries(statements()["own"], opened)
        asked = [with_pictures(entry, opened, {}.__setitem__) for entry in found]
    finally:
        statements.cache_clear()
    assert [(item.question, item.answer.text) for item in asked] == [
        ("Who?", "Ilse"),
        ("When?", "1871"),
    ]


def test_two_benchmarks_of_one_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="two benchmarks have the name own"):
        read(tmp_path, OWN * 2)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("  licence: CC0\n", "", "licence"),
        ("columns:", "colums:", "colums"),
        ("size: 2", "size: two", "size"),
    ],
)
def test_a_key_that_is_missing_misspelt_or_of_a_wrong_type_is_refused(tmp_path, before, after, why):
    with pytest.raises(ValidationError, match=why):
        read(tmp_path, OWN.replace(before, after))
