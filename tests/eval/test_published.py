"""Published scores: every one has a source and a benchmark of the table, printed means recompute, and AXPO's 69.6 is where it belongs."""

import pytest
import yaml

from questloom.eval.published import HARNESSES, TABLE, published, published_for, published_text
from questloom.eval.statements import statements


def test_every_score_has_a_source_and_is_of_a_benchmark_of_the_table():
    assert len(published()) > 600
    for row in published():
        assert (
            "arXiv" in row.source
            and 0 <= row.percent <= 100
            and set(row.benchmarks) <= set(statements())
        )
        for name in row.benchmark.split("+") if row.benchmarks else ():
            base, _, subset = name.partition(":")
            assert not subset or subset in statements()[base].subsets


def test_the_means_that_the_papers_print_recompute():
    for table in yaml.safe_load(TABLE.read_text()):
        for scores in (s for harness in HARNESSES for s in table.get(harness, {}).values()):
            if table["columns"][-1].startswith("=") and "-" not in scores:
                assert sum(scores[:-1]) / len(scores[:-1]) == pytest.approx(scores[-1], abs=0.06), (
                    table["source"],
                    scores,
                )


def test_axpos_69_6_is_its_8b_base_at_pass_at_4_and_the_32b_has_75_1():
    of = {
        (row.agent, row.metric): row.percent
        for row in published()
        if row.source.startswith("AXPO") and row.benchmark == "=mean of nine"
    }
    assert (
        of["Qwen3-VL-8B-Thinking", "pass@4"] == 69.6
        and of["Qwen3-VL-32B-Thinking", "pass@4"] == 75.1
        and of["Qwen3-VL-32B-Thinking", "pass@1"] == 62.9
    )


def test_scores_on_a_subset_or_on_two_benchmarks_together_are_found_under_each():
    assert {row.benchmark for row in published_for("mmsearch")} == {
        "mmsearch",
        "mmsearch:vsearcher",
    }
    assert any(
        row.agent == "VSearcher-8B" and row.percent == 30.8
        for row in published_for("browsecomp_vl_2")
    )
    assert not published_for("demo")


def test_the_list_of_a_benchmark_has_each_of_its_published_scores_under_its_source():
    lines = published_text("mm_browsecomp").splitlines()
    rows = published_for("mm_browsecomp")
    assert lines[0] == f"{len(rows)} published scores"
    for row in rows:
        place = next(
            n
            for n, line in enumerate(lines)
            if line.split()
            == [*f"{row.harness} {row.agent} {row.percent:.1f} {row.benchmark}".split()]
        )
        assert next(
            line for line in reversed(lines[:place]) if not line.startswith(" ")
        ).startswith(row.source)
    assert (
        published_text("math_vr").startswith("18 published scores")
        and published_text("demo") == "no published scores"
    )
