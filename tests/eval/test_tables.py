"""Tables hold no markup of others, published lines are marked, and a part of a benchmark never looks like the whole."""

import csv
import io

from questloom.eval.items import Mark
from questloom.eval.plot import calls_plot
from questloom.eval.scores import scores_of
from questloom.eval.tables import COLUMNS, as_csv, as_html, as_markdown, as_text, line_of, sections
from questloom.models.picture_file import decode
from questloom.records.trajectories import AnswerVerdict

VERDICT = AnswerVerdict(outcome="correct", by="rules")


def scores(**changes):
    """Those of an agent that is right once in two attempts."""
    mark = Mark(
        episode_id="e",
        item_id="a",
        rollout=0,
        end="answered",
        strict=VERDICT,
        lenient=VERDICT,
        num_turns=1,
        tokens_in=1200,
    )
    benchmark = {
        "name": "mmsearch",
        "title": "MMSearch",
        "subset": "",
        "partial": False,
        "note": "a | b",
    }
    return {
        "benchmark": benchmark | changes.pop("benchmark", {}),
        "policy": "p",
        "mode": "direct",
        "contamination": None,
        "timing": {"seconds": 2.0, "tool_cost": 1.0},
        **scores_of(["a", "b"], [mark], rollouts=1, seed=0),
        **changes,
    }


def test_markup_in_names_is_shown_and_not_obeyed():
    hostile = scores(policy="<script>x</script>|*p*", benchmark={"title": "<b>T</b>"})
    made = sections([hostile])
    assert "<script>" not in as_html(made) and "&lt;script&gt;" in as_html(made)
    assert "<script>" not in as_markdown(made) and r"\|\*p\*" in as_markdown(made)
    assert (
        next(csv.reader(io.StringIO(as_csv(made).split("\n", 1)[1])))[1]
        == "<script>x</script>|*p* (unfinished)"
    )


def test_published_lines_say_so_and_name_their_source():
    lines = sections([scores()])[0].lines
    assert not lines[0]["published"] and len(lines) > 30
    assert all(
        line["published"].startswith("published: ") and "arXiv" in line["published"]
        for line in lines[1:]
    )
    assert any(line["part"] == "mmsearch:vsearcher" for line in lines[1:])


def test_a_run_has_no_published_scores():
    assert len(sections([scores(benchmark={"name": "demo", "title": "demo"})])[0].lines) == 1


def test_a_part_a_subset_and_an_unfinished_evaluation_are_told():
    line = line_of(scores(benchmark={"subset": "vsearcher", "partial": True}))
    assert (
        line["part"] == "2 (vsearcher) partial"
        and line["agent"] == "p (unfinished)"
        and line["cost"] == "1.0000"
        and line["seconds"] == "2.0"
    )
    assert (
        line["training"] == "not looked for"
        and line["outcomes"] == "1 / 0 / 0 / 0 / 1"
        and line["tokens"] == "1,200 / 0"
    )


def test_outcomes_stand_below_their_titles_though_they_are_stored_by_name():
    strict = scores()["strict"] | {
        "outcomes": {"correct": 1, "judge_failed": 4, "no_answer": 3, "not_played": 5, "wrong": 2}
    }
    assert (
        COLUMNS["outcomes"] == "right / wrong / none / judge failed / not played"
        and line_of(scores(strict=strict))["outcomes"] == "1 / 2 / 3 / 4 / 5"
    )


def test_what_was_found_in_training_data_stands_in_the_line():
    found = {"any": 1, "questions": 2}
    clean = scores_of(["a", "b"], [], rollouts=1, seed=0, clean=frozenset("b"))
    assert line_of(scores(contamination=found, strict=clean["strict"]))["training"].startswith(
        "1 of 2; strict on the rest 0.0 ["
    )
    assert line_of(scores(contamination={"any": 0, "questions": 2}))["training"] == "0 of 2"


def test_the_plot_has_a_panel_a_benchmark_and_the_text_a_line_an_agent():
    two = [scores(), scores(benchmark={"name": "demo", "title": "de$mo"}, policy="q$")]
    one, both = (decode(calls_plot(found)) for found in (two[:1], two))
    assert both.height > 1.5 * one.height and as_text(two).count("\n") == 2
