"""The report of a loop: curves by hand, what a round cost, and that the page says whose stages and families are shown."""

import json

import pytest

from questloom.pipeline.evolve.loop_folder import LoopFolder, write_json
from questloom.pipeline.evolve.loop_report import (
    _cost,
    _curves,
    _round,
    _trained,
    build_loop_report,
    curve,
)
from questloom.pipeline.evolve.scores import Mean
from questloom.pipeline.evolve.update import update
from tests.pipeline.evolve.made import IDS, a_loop, a_round
from tests.pipeline.evolve.made_run import Try, a_run, asked, played


def test_a_curve_places_values_between_its_bounds_with_a_margin_on_each_side():
    made = curve(
        "p", [("1", 0.0, 0.0, 0.5), ("2", 1.0, 0.5, 1.0), ("3", 0.25, 0.0, 0.5)], low=0, high=1
    )
    assert [(p.x, p.y) for p in made.points] == [(28.0, 136.0), (210.0, 14.0), (392.0, 105.5)], (
        "420 by 150 with 28 left and right, 14 above and below"
    )
    assert [(p.low, p.high) for p in made.points] == [(136.0, 75.0), (75.0, 14.0), (136.0, 75.0)]
    assert made.line == "28,136 210,14 392,105.5" and (made.top, made.bottom) == ("1", "0")
    assert made.points[2].label == "round 3: 0.25 (0.00 to 0.50)"


def test_a_curve_of_scores_lies_between_minus_five_and_five_and_a_round_without_a_value_is_left_out():
    made = curve(
        "s", [("1", -5.0, -5.0, -4.0), None, ("3", 5.0, 4.0, 5.0)], low=-5, high=5, digits=1
    )
    assert [(p.x, p.y) for p in made.points] == [(28.0, 136.0), (392.0, 14.0)] and made.points[
        1
    ].label == "round 3: 5.0 (4.0 to 5.0)"


def test_a_single_round_is_a_point_at_the_left():
    assert [(p.x, p.y) for p in curve("p", [("1", 0.5, 0.0, 1.0)], low=0, high=1).points] == [
        (28.0, 75.0)
    ]
    assert curve("p", [], low=0, high=1).points == ()


def test_the_curves_are_the_share_of_good_matches_the_pass_rate_and_the_score_with_its_error():
    def shown(number: int, good: dict, passed: dict, score: Mean | None) -> dict:
        return {
            "number": number,
            "verified": {"good_match": good, "pass_rate": passed},
            "score": score,
        }

    half, none = {"good": 2, "judged": 4}, {"good": 0, "judged": 0}
    made = _curves(
        [
            shown(1, half, none, Mean(1.0, 0.5, 9)),
            shown(2, none, half, None),
            shown(3, half, half, Mean(4.9, 0.5, 9)),
            shown(4, half, half, Mean(-4.9, 0.5, 9)),
        ]
    )
    assert [(c.title, c.bottom, c.top, len(c.points)) for c in made] == [
        ("good_match, share of tasks", "0", "1", 3),
        ("pass rate of the rollouts", "0", "1", 3),
        ("score of the recipe (± standard error)", "-5", "5", 3),
    ]
    assert made[0].points[0].label == "round 1: 0.50 (0.15 to 0.85)", "Wilson's interval of 2 of 4"
    assert [p.label for p in made[2].points] == [
        "round 1: 1.00 (0.50 to 1.50)",
        "round 3: 4.90 (4.40 to 5.00)",
        "round 4: -4.90 (-5.00 to -4.40)",
    ]


def test_a_round_shows_its_edits_and_what_recurs_with_their_tasks_and_its_broken_ones_apart(
    tmp_path,
):
    loop = a_loop(tmp_path)
    at = a_round(
        loop, 1, finding=("filters", "text_search"), tags=("fake_hard", *("good_match",) * 7)
    )
    update(loop, at, None)
    made = _round(at)
    assert (
        [row.id for row in made["broken"]] == ["task0"]
        and made["num"] == 8
        and made["train"] is None
    )
    assert [row.id for row in made["edits"][0]["shown"]] == list(IDS[:4])
    assert [(row.id, why) for row, why in made["recurring"][0]["shown"]] == [
        (task, "made") for task in IDS[:4]
    ]
    at.write("train", {"command": [], "model": "", "tasks": 8, "why": "w"})
    assert _round(at)["train"]["why"] == "w"


def test_an_edit_that_rests_on_another_rounds_tasks_shows_those_that_are_here(tmp_path):
    loop = a_loop(tmp_path)
    at = a_round(loop, 1, finding=("filters", "text_search"))
    update(loop, at, None)
    left = at.read("update")
    at.write("update", {**left, "edits": [{**left["edits"][0], "tasks": ["elsewhere", "task1"]}]})
    assert [row.id for row in _round(at)["edits"][0]["shown"]] == ["task1"]


def test_what_a_round_cost_is_told_by_its_parts(tmp_path):
    loop = a_loop(tmp_path)
    at = a_round(loop, 1)
    assert _cost(at) == {"questions": "9 kept of 9 seeds"}
    played(a_run(at.batch, loop.recipe, [asked(1)]), "policy", (asked(1), [Try()] * 3))
    played(a_run(at.unsolved, loop.recipe, [asked(1)]), "teacher", (asked(1), [Try()]))
    rows = at.read("verify")["tasks"]
    at.write(
        "verify",
        {
            **at.read("verify"),
            "tasks": [{**rows[0], "probes": 4}, {**rows[1], "probes": 4}, *rows[2:]],
        },
    )
    (at.path / "train").mkdir()
    (at.path / "train" / "metrics.jsonl").write_text(
        json.dumps({"update": 3, "seconds": 2.0}) + "\n"
    )
    assert _cost(at) == {
        "questions": "9 kept of 9 seeds",
        "policy": "3 episodes, 3 calls, 30 tokens sampled",
        "teacher": "1 episodes, 1 calls, 10 tokens sampled",
        "probes": "8 episodes played on",
        "training": "3 updates, 2 s",
    }


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            [
                {"update": 1, "play_seconds": 600.0, "update_seconds": 400.0, "rollouts": 1500.0},
                {"update": 2, "seconds": 1.0},
            ],
            "2 updates, 1,500 rollouts, 1,001 s",
        ),
        ([{"update": 2000, "seconds": 3.4}], "2,000 updates, 3 s"),
    ],
)
def test_training_is_told_in_updates_rollouts_and_seconds(tmp_path, lines, words):
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert _trained(tmp_path / "metrics.jsonl") == words


@pytest.fixture
def page(tmp_path) -> tuple[LoopFolder, str]:
    loop = a_loop(tmp_path)
    update(loop, a_round(loop, 1, finding=("filters", "text_search")), None)
    return loop, build_loop_report(loop).read_text()


def test_the_page_says_that_stages_and_families_of_strategies_are_ours(page):
    assert "strategy diversity (families of our own)" in page[
        1
    ] and "held responsible (a stage of ours, not of ODE's four)" in page[1].replace("&#39;", "'")


def test_the_page_has_the_behaviour_of_each_round_and_a_dash_where_an_older_loop_did_not_measure_it(
    page,
):
    loop, shown = page
    for words, value in (
        ("dynamic pictures a rollout", "1.00"),
        ("secondary use a rollout", "0.25"),
        ("chain diversity", "0.12"),
        ("strategy diversity", "0.12"),
    ):
        assert f'<td class="n">{value}</td>' in shown.split(f"<th>{words}")[1].split("</tr>")[0], (
            words
        )
    verified = loop.round(1).read("verify")
    del verified["behaviour"]["strategy_diversity"]
    loop.round(1).write("verify", verified)
    assert (
        '<td class="n">–</td>'
        in build_loop_report(loop).read_text().split("strategy diversity")[1].split("</tr>")[0]
    )


def test_the_page_escapes_what_models_and_the_web_say_and_loads_nothing(page, tmp_path):
    loop = a_loop(tmp_path / "hostile")
    at = a_round(loop, 1, finding=("filters", "text_search"))
    rows = [{**row, "question": "<script>alert(1)</script>"} for row in at.read("verify")["tasks"]]
    at.write("verify", {**at.read("verify"), "tasks": rows})
    update(loop, at, None)
    shown = build_loop_report(loop).read_text()
    assert (
        "<script>" not in shown
        and "&lt;script&gt;alert(1)" in shown
        and "http" not in shown.replace("http-equiv", "")
    )


def test_the_page_says_which_recipe_is_frozen_and_by_what(page):
    loop, shown = page
    assert "is frozen" not in shown
    write_json(
        loop.path / "best.json",
        {
            "round": 1,
            "by": "held-out tasks",
            "scores": {"1": {"score": 2.0, "error": 0.5, "tasks": 8}, "2": None},
        },
    )
    words = " ".join(build_loop_report(loop).read_text().split())
    assert (
        "The recipe of <b>round 1</b> is frozen, by held-out tasks: round 1: 2.00 ± 0.50; round 2: no score."
        in words
    )
    assert {p.name for p in (loop.path / "report").iterdir()} == {
        "index.html",
        "base.css",
        "loop.css",
    }


def test_a_round_that_is_under_way_is_not_on_the_page_yet(page):
    loop, _ = page
    a_round(loop, 2, made=loop.recipe, parent=1)
    assert "<h2>Round 2</h2>" not in build_loop_report(loop).read_text()
