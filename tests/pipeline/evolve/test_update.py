"""What becomes of a recipe between rounds: edits with their evidence, what is refused, roll-backs, dead ends, controls."""

import dataclasses
import json

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.evolve.edits import Edit
from questloom.pipeline.evolve.loop import begin_loop, prepared, run_step
from questloom.pipeline.evolve.loop_folder import LoopFolder, write_json
from questloom.pipeline.evolve.loop_report import build_loop_report
from questloom.pipeline.evolve.update import update
from questloom.pipeline.recipe import load_recipe, recipe_of
from questloom.records.errors import InputError
from tests.pipeline.evolve.made import IDS, a_loop, a_round, recipe

LEAK, PICTURE = ("filters", "text_search"), ("pictures", "not_grounded")


def updated(loop, at):
    update(loop, at, Opened())
    return at.read("update")


def ended(at, model=""):
    at.write("train", {"command": [], "model": model, "tasks": 8, "why": "no trainer"})


@pytest.mark.parametrize(
    ("finding", "path", "after"),
    [(LEAK, "filters.text_search", True), (PICTURE, "grounding.mode", "optional")],
)
def test_a_finding_that_recurs_is_mended_where_it_arises_and_the_edit_cites_its_tasks(
    tmp_path, finding, path, after
):
    loop = a_loop(tmp_path)
    found = updated(loop, a_round(loop, 1, finding=finding))
    assert [(e["path"], e["after"], e["tasks"]) for e in found["edits"]] == [
        (path, after, list(IDS[:4]))
    ]
    assert recipe_of(found["next"], "next") != loop.recipe


def test_what_two_tasks_show_is_no_reason_to_edit(tmp_path):
    loop = a_loop(tmp_path)
    found = updated(loop, a_round(loop, 1, finding=LEAK, cases=2))
    assert (
        found["edits"] == []
        and found["next"] == loop.recipe.resolved()
        and "nothing recurs" in found["note"]
    )


def test_a_round_that_a_provider_spoiled_edits_nothing_though_something_recurs(tmp_path):
    loop = a_loop(tmp_path)
    at = a_round(loop, 1, finding=LEAK, cases=8, tags=("good_match",) * 4 + ("infra_failure",) * 4)
    assert updated(loop, at)["edits"] == [] and at.read("update")["parent"] == 0


def test_a_worse_round_is_rolled_back_and_its_edits_are_not_made_again(tmp_path):
    loop = a_loop(tmp_path)
    first = a_round(loop, 1, finding=PICTURE, score=2.0)
    assert updated(loop, first)["edits"][0]["after"] == "optional"
    ended(first)
    second = a_round(loop, 2, score=-1.0, made=prepared(loop, 2).recipe, parent=1)
    found = updated(loop, second)
    assert found["rolled_back"]["to"] == 1 and found["parent"] == 1
    assert '["grounding.mode","optional"]' in found["dead_ends"]
    assert "grounding.mode" not in {e["path"] for e in found["edits"]}, "that was tried"
    assert recipe_of(found["next"], "next").grounding.mode == "none"
    ended(second)
    third = a_round(loop, 3, finding=PICTURE, made=prepared(loop, 3).recipe)
    assert third.parent == 1 and "grounding.mode" not in {
        e["path"] for e in updated(loop, third)["edits"]
    }


def test_edits_that_a_spoiled_round_handed_on_are_dead_ends_where_the_round_after_is_rolled_back(
    tmp_path,
):
    loop = a_loop(tmp_path)
    first = a_round(loop, 1, finding=PICTURE, score=2.0)
    assert updated(loop, first)["edits"][0]["after"] == "optional"
    ended(first)
    second = a_round(
        loop, 2, tags=("good_match",) * 4 + ("infra_failure",) * 4, made=prepared(loop, 2).recipe
    )
    assert "provider" in updated(loop, second)["note"]
    ended(second)
    third = a_round(loop, 3, finding=PICTURE, score=-1.0, made=prepared(loop, 3).recipe)
    found = updated(loop, third)
    assert third.parent == 1 and found["rolled_back"]["to"] == 1
    assert found["dead_ends"] == ['["grounding.mode","optional"]'] and "grounding.mode" not in {
        e["path"] for e in found["edits"]
    }


def test_a_recipe_that_gives_hardly_any_tasks_is_rolled_back_whatever_they_score(tmp_path):
    loop = a_loop(tmp_path)
    first = a_round(loop, 1, finding=PICTURE)
    updated(loop, first)
    ended(first)
    second = a_round(loop, 2, score=5.0, made=prepared(loop, 2).recipe, parent=1)
    found = second.read("verify")
    second.write("verify", {**found, "tasks": found["tasks"][:3]})
    back = updated(loop, second)["rolled_back"]
    assert back["to"] == 1 and back["tasks"] == [3, 8]


def test_a_round_that_is_worse_by_less_than_the_error_stays(tmp_path):
    loop = a_loop(tmp_path)
    first = a_round(loop, 1, finding=PICTURE)
    updated(loop, first)
    ended(first)
    assert (
        updated(loop, a_round(loop, 2, score=1.995, made=prepared(loop, 2).recipe, parent=1))[
            "rolled_back"
        ]
        is None
    )


def test_dead_ends_are_forgotten_once_the_policy_was_trained(tmp_path):
    loop = a_loop(tmp_path)
    first = a_round(loop, 1)
    updated(loop, first)
    write_json(
        first.path / "update.json",
        {**first.read("update"), "dead_ends": ['["grounding.mode","optional"]']},
    )
    ended(first, model="/new")
    second = a_round(loop, 2, finding=PICTURE, made=prepared(loop, 2).recipe, parent=1)
    assert second.model == "/new"
    assert [e["path"] for e in updated(loop, second)["edits"]] == ["grounding.mode"]


def test_where_the_policy_was_trained_a_fall_in_difficulty_alone_rolls_nothing_back(tmp_path):
    loop = a_loop(tmp_path)
    first = a_round(loop, 1)
    updated(loop, first)
    ended(first, model="/new")
    second = a_round(loop, 2, made=prepared(loop, 2).recipe, parent=1)
    found = second.read("diagnose")
    for task in found["tasks"]:
        task["scores"]["difficulty_match"]["value"] = -5.0
    second.write("diagnose", found)
    assert updated(loop, second)["rolled_back"] is None


def test_the_static_control_edits_nothing_and_the_random_one_as_much_as_the_loop_may(tmp_path):
    static = a_loop(tmp_path / "s", control="static")
    assert updated(static, a_round(static, 1, finding=LEAK))["edits"] == []
    random = a_loop(tmp_path / "r", control="random_edits", max_edits=4)
    found = updated(random, a_round(random, 1))
    assert len(found["edits"]) == 4 and len({e["path"] for e in found["edits"]}) == 4
    again = a_loop(tmp_path / "t", control="random_edits", max_edits=4)
    assert updated(again, a_round(again, 1))["edits"] == found["edits"], "drawn by seed and round"
    assert recipe_of(found["next"], "next").evolve == random.recipe.evolve


def test_a_round_cannot_begin_before_the_one_before_has_ended(tmp_path):
    loop = a_loop(tmp_path)
    updated(loop, a_round(loop, 1))
    with pytest.raises(
        InputError,
        match=f"train has not ended there. Run it first: questloom evolve --out {loop.path} --round 1 --step train",
    ):
        prepared(loop, 2)
    with pytest.raises(InputError, match=f"questloom evolve --out {loop.path}$"):
        _ = loop.round(2).recipe


def test_the_commands_of_a_round_stand_in_its_folder(tmp_path):
    loop = a_loop(tmp_path)
    prepared(loop, 1)
    lines = (loop.round(1).path / "run.sh").read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in lines[2:]] == [
        "forward",
        "verify",
        "diagnose",
        "update",
        "train",
    ]


def test_another_recipe_in_the_same_folder_is_refused(tmp_path):
    loop = a_loop(tmp_path)
    loop.begin(recipe(), store="/store", digest="d")
    with pytest.raises(InputError, match="another recipe"):
        loop.begin(recipe(rounds=3), store="/store", digest="d")


def test_the_report_shows_rounds_edits_with_their_tasks_and_roll_backs(tmp_path):
    loop = a_loop(tmp_path)
    first = a_round(loop, 1, finding=PICTURE, tags=("fake_hard", "too_easy", *("good_match",) * 6))
    updated(loop, first)
    ended(first)
    updated(loop, a_round(loop, 2, score=-1.0, made=prepared(loop, 2).recipe, parent=1))
    page = build_loop_report(loop).read_text()
    for words in (
        "round 2",
        "grounding.mode",
        "What of task0?",
        "Rolled back to the recipe of round 1",
        "training: 1</summary>",
        "secondary use",
        "All tasks and what was found wrong",
    ):
        assert words in page, words
    assert json.loads((loop.round(1).path / "update.json").read_text())["score"] is not None


def of_an_earlier_version(loop):
    """The loop with the files that the first version wrote."""
    facts = json.loads((loop.path / "loop.json").read_text())
    write_json(
        loop.path / "loop.json", {key: value for key, value in facts.items() if key != "version"}
    )
    for at in loop.rounds():
        found = at.read("diagnose")
        at.write(
            "diagnose",
            {
                **found,
                "recurring": [
                    {k: v for k, v in group.items() if k != "whys"} for group in found["recurring"]
                ],
            },
        )
        rows = [
            {k: v for k, v in r.items() if k not in ("chain_outcomes", "chain_answers")}
            for r in at.read("verify")["tasks"]
        ]
        at.write("verify", {**at.read("verify"), "tasks": rows})
    return LoopFolder(loop.path)


def test_a_loop_of_an_earlier_version_is_reported_and_does_not_go_on(tmp_path):
    loop = a_loop(tmp_path, rounds=2)
    first = a_round(loop, 1, finding=PICTURE, parent=0)
    updated(loop, first)
    old = of_an_earlier_version(loop)
    old.begin(recipe(rounds=2), store="/store", digest="d")
    assert "not grounded" in build_loop_report(old).read_text()
    run_step(old, 1, "update", Opened())  # stands
    with pytest.raises(InputError, match="a loop of another version"):
        run_step(old, 1, "train", Opened())
    with pytest.raises(InputError, match="a loop of another version"):
        run_step(old, 2, "forward", Opened())
    assert not old.round(2).has_recipe
    run_step(loop, 1, "update", Opened())


def test_no_round_draws_like_one_of_a_loop_of_another_seed(tmp_path):
    def seeds(seed):
        loop = LoopFolder(tmp_path / str(seed))
        loop.begin(dataclasses.replace(recipe(), seed=seed), store="/store", digest="d")
        return [loop.seed_of(f"round {number}") for number in range(1, 6)] + [
            loop.seed_of("held out")
        ]

    drawn = [each for seed in range(1, 11) for each in seeds(seed)]
    assert len(set(drawn)) == len(drawn) and all(0 <= each < 2**31 for each in drawn)
    assert seeds(1) == drawn[:6]


def test_a_loop_whose_teacher_has_no_model_is_refused_before_its_first_round(tmp_path):
    policy = "evolve.policy={engine: transformers, model: made}"
    with pytest.raises(InputError, match="needs a model in the role 'agent'"):
        begin_loop(str(tmp_path / "loop"), load_recipe("ode", ("writer=graph", policy)), "no store")
    assert not (tmp_path / "loop").exists()


class Models:
    """An editor that proposes and refuses what a test says; keeps what it was shown."""

    def __init__(self, edits=(), refusals=()):
        self.edits, self.refusals, self.shown = list(edits), dict(refusals), []

    def proposed(self, recipe, groups, rows, dead_ends, most):
        self.shown.append((groups, rows, dead_ends, most))
        return self.edits

    def reviewed(self, edits, groups, rows):
        self.shown.append([edit.path for edit in edits])
        return [self.refusals.get(edit.path, "") for edit in edits]


def by_models(monkeypatch, loop, at, **said):
    models = Models(**said)
    monkeypatch.setattr("questloom.pipeline.evolve.update.open_editor", lambda *args: models)
    return updated(loop, at), models


def edit(path, before, after, **fields):
    return Edit(
        **{
            "action": "set",
            "path": path,
            "before": before,
            "after": after,
            "stage": "filters",
            "cause": "text_search",
            "tasks": IDS[:4],
            "why": "w",
            **fields,
        }
    )


def test_what_the_reviewer_refuses_is_not_made_and_stands_with_its_reason(tmp_path, monkeypatch):
    loop = a_loop(tmp_path)
    both = [edit("filters.text_search", False, True), edit("filters.text_search_k", 5, 10)]
    found, models = by_models(
        monkeypatch,
        loop,
        a_round(loop, 1, finding=LEAK),
        edits=both,
        refusals={"filters.text_search": "rests on one case"},
    )
    assert [e["path"] for e in found["edits"]] == ["filters.text_search_k"]
    assert [(e["path"], e["refused"], e["by"]) for e in found["refused"]] == [
        ("filters.text_search", "rests on one case", "model")
    ]
    after = recipe_of(found["next"], "next").filters
    assert (after.text_search, after.text_search_k) == (False, 10) and models.shown[1] == [
        "filters.text_search",
        "filters.text_search_k",
    ]


def test_the_rules_stand_before_the_reviewer_and_hold_for_a_models_edits_too(tmp_path, monkeypatch):
    loop = a_loop(tmp_path)
    wild = [
        edit("filters.text_search_k", 5, 20),
        edit("run.shards", 16, 17),
        edit("filters.text_search", False, True, tasks=IDS[:2]),
    ]
    found, models = by_models(monkeypatch, loop, a_round(loop, 1, finding=LEAK), edits=wild)
    assert (
        found["edits"] == []
        and [e["by"] for e in found["refused"]] == ["rules"] * 3
        and len(models.shown) == 1
    ), "nothing is left to review"
    assert found["next"] == loop.recipe.resolved()


def test_where_the_model_proposes_nothing_the_measured_remedies_are_reviewed(tmp_path, monkeypatch):
    loop = a_loop(tmp_path)
    found, models = by_models(monkeypatch, loop, a_round(loop, 1, finding=LEAK))
    assert [e["path"] for e in found["edits"]] == ["filters.text_search"] == models.shown[1]
    refused, _ = by_models(
        monkeypatch,
        loop,
        a_round(a_loop(tmp_path / "b"), 1, finding=LEAK),
        refusals={"filters.text_search": "no"},
    )
    assert refused["edits"] == [] and refused["next"] == loop.recipe.resolved()


def test_of_more_edits_than_a_round_may_make_the_first_are_made_and_the_others_said(
    tmp_path, monkeypatch
):
    loop = a_loop(tmp_path, max_edits=2)
    many = [
        edit("filters.text_search", False, True),
        edit("filters.text_search_k", 5, 10),
        edit("filters.image_search_k", 5, 10),
    ]
    found, models = by_models(monkeypatch, loop, a_round(loop, 1, finding=LEAK), edits=many)
    assert [e["path"] for e in found["edits"]] == [
        "filters.text_search",
        "filters.text_search_k",
    ] and models.shown[0][3] == 2
    assert [(e["path"], e["refused"]) for e in found["refused"]] == [
        ("filters.image_search_k", "more than 2 edits")
    ]


def test_one_field_is_edited_once(tmp_path, monkeypatch):
    loop = a_loop(tmp_path)
    twice = [edit("filters.text_search_k", 5, 10), edit("filters.text_search_k", 5, 10)]
    found, _ = by_models(monkeypatch, loop, a_round(loop, 1, finding=LEAK), edits=twice)
    assert len(found["edits"]) == 1 and "already" in found["refused"][0]["refused"]


def test_a_fault_that_the_edit_does_not_cite_is_no_ground_for_it(tmp_path, monkeypatch):
    loop = a_loop(tmp_path)
    found, _ = by_models(
        monkeypatch,
        loop,
        a_round(loop, 1, finding=LEAK),
        edits=[edit("filters.text_search", False, True, cause="too_easy")],
    )
    assert found["edits"] == [] and "rests on 0 tasks" in found["refused"][0]["refused"]


def test_a_control_asks_no_model(tmp_path, monkeypatch):
    for control in ("static", "random_edits"):
        loop = a_loop(tmp_path / control, control=control)
        _, models = by_models(monkeypatch, loop, a_round(loop, 1, finding=LEAK))
        assert models.shown == []


@pytest.mark.parametrize(("spoiled", "edits"), [(3, 1), (4, 0), (5, 0)])
def test_from_half_of_the_tasks_spoiled_by_a_provider_a_round_changes_nothing(
    tmp_path, spoiled, edits
):
    loop = a_loop(tmp_path)
    at = a_round(
        loop,
        1,
        finding=LEAK,
        cases=8,
        tags=("good_match",) * (8 - spoiled) + ("infra_failure",) * spoiled,
    )
    found = updated(loop, at)
    assert len(found["edits"]) == edits
    if not edits:
        assert (
            found["note"].startswith(f"a provider failed in {spoiled / 8:.0%} of the tasks")
            and found["next"] == at.recipe.resolved()
        )


def second(tmp_path, *, tasks=8, model="", worse=True, **evolve):
    """A second round of fewer tasks, or one that scored less, edited from the first."""
    loop = a_loop(tmp_path, **evolve)
    first = a_round(loop, 1, finding=PICTURE, score=2.0)
    updated(loop, first)
    ended(first, model=model)
    at = a_round(loop, 2, score=-1.0 if worse else 2.0, made=prepared(loop, 2).recipe, parent=1)
    verified = at.read("verify")
    at.write("verify", {**verified, "tasks": verified["tasks"][:tasks]})
    return loop, at


@pytest.mark.parametrize(("tasks", "back"), [(3, True), (4, False), (5, False)])
def test_a_round_of_less_than_half_the_tasks_is_rolled_back_and_one_of_half_is_not(
    tmp_path, tasks, back
):
    assert bool(updated(*second(tmp_path, tasks=tasks, worse=False))["rolled_back"]) is back


def test_a_roll_back_says_to_which_round_by_which_scores_and_over_which_tasks(tmp_path):
    found = updated(*second(tmp_path))["rolled_back"]
    assert found == {
        "to": 1,
        "score": -0.95,
        "score_before": 2.05,
        "errors": [0.0189, 0.0189],
        "dimensions": "all",
        "tasks": [8, 8],
    }
    trained = updated(*second(tmp_path / "b", model="/new"))["rolled_back"]
    assert trained["dimensions"] == "without the policy's"
    taught = updated(*second(tmp_path / "c", model="/new", mode="sft"))["rolled_back"]
    assert taught["dimensions"] == "all", "in mode sft the teacher played both"


def test_after_a_roll_back_the_loop_goes_on_from_what_the_earlier_round_found(tmp_path):
    loop, at = second(tmp_path)
    found = updated(loop, at)
    assert found["score"] == at.read("diagnose")["score"] and [
        (e["path"], e["cause"]) for e in found["edits"]
    ] == [("grounding.margin", "not_grounded")]
    assert recipe_of(found["next"], "next").grounding == dataclasses.replace(
        loop.round(1).recipe.grounding, margin=0.02
    ), "what came of it is gone"


def test_a_round_without_a_score_is_rolled_back_for_too_few_tasks_alone(tmp_path):
    loop, at = second(tmp_path)
    at.write("diagnose", {**at.read("diagnose"), "tasks": [], "score": None})
    assert updated(loop, at)["rolled_back"] is None
    loop, at = second(tmp_path / "b", tasks=2)
    at.write("diagnose", {**at.read("diagnose"), "tasks": [], "score": None})
    back = updated(loop, at)["rolled_back"]
    assert back["score"] is None and back["score_before"] == 2.05 and len(back["errors"]) == 1


def test_dead_ends_are_kept_while_the_same_policy_plays_and_grow(tmp_path):
    loop, at = second(tmp_path)
    ends = updated(loop, at)["dead_ends"]
    ended(at)
    third = a_round(loop, 3, made=prepared(loop, 3).recipe, parent=1)
    assert updated(loop, third)["dead_ends"] == ends == ['["grounding.mode","optional"]']


def test_the_first_round_has_no_dead_ends_and_is_rolled_back_to_nothing(tmp_path):
    loop = a_loop(tmp_path)
    found = updated(loop, a_round(loop, 1, score=-5.0))
    assert found["dead_ends"] == [] and found["rolled_back"] is None and found["parent"] == 1
