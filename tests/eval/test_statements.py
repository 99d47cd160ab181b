"""The table of benchmarks: all that were promised stand in it, published subsets have their published sizes, and what was not seen says so."""

import pytest
from pydantic import TypeAdapter, ValidationError

from questloom.eval.statements import Statement, listing, statements


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


def test_a_misspelt_key_of_the_table_is_refused():
    with pytest.raises(ValidationError, match="colums"):
        TypeAdapter(Statement).validate_python(
            {
                "name": "x",
                "title": "x",
                "paper": "",
                "size": 1,
                "licence": "",
                "colums": {},
                "verified": "no",
            }
        )
