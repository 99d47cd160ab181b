"""Which recipe is frozen: the one that scored best in the end, on tasks that no round saw where some are held out."""

import dataclasses
import json

import pytest
import yaml

from questloom.files.opened import Opened
from questloom.pipeline.evolve.freeze import freeze
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.recipe import Recipe, recipe_of
from tests.pipeline.evolve.made import a_loop, a_round


def changed(loop: LoopFolder, number: int) -> Recipe:
    """A recipe that differs from the loop's by its number."""
    return dataclasses.replace(
        loop.recipe, draft=dataclasses.replace(loop.recipe.draft, detail_share=0.1 * number)
    )


def frozen(loop: LoopFolder, held_out: dict[int, float] | None = None) -> tuple[dict, list[str]]:
    """`best.json`, and what was said. `held_out` are scores on fresh tasks, by round."""
    said: list[str] = []

    def forward(_: LoopFolder, tried: RoundFolder, *rest: object) -> None:
        assert tried.path.parent.name == "held_out" and tried.parent == tried.number
        a_round(LoopFolder(loop.path), 1, score=0.0)  # what the round itself says is not looked at
        source = a_round(
            a_loop(loop.path / f"elsewhere{tried.number}"), 1, score=(held_out or {})[tried.number]
        )
        for step in ("verify", "diagnose"):
            tried.write(step, source.read(step))

    freeze(loop, Opened(), workers=1, forward=forward, say=said.append)
    return json.loads((loop.path / "best.json").read_text()), said


def rounds(
    loop: LoopFolder, *scores: float, recipes: tuple[int, ...] = (1, 2, 3), model: str = ""
) -> None:
    """Rounds that ended with such scores, each with the recipe of its number."""
    for number, (score, recipe) in enumerate(zip(scores, recipes, strict=False), 1):
        at = a_round(loop, number, score=score, made=changed(loop, recipe), model=model)
        at.write("train", {"command": [], "model": f"model {number}", "tasks": 8, "why": ""})


@pytest.mark.parametrize(
    ("scores", "best"), [((1.0, 3.0, 2.0), 2), ((3.0, 1.0, 2.0), 1), ((1.0, 2.0, 3.0), 3)]
)
def test_the_recipe_that_scored_best_is_frozen_and_neither_the_worst_nor_the_last(
    tmp_path, scores, best
):
    loop = a_loop(tmp_path)
    rounds(loop, *scores)
    made, said = frozen(loop)
    assert made["round"] == best and made["by"] == "its own round" and not said
    assert made["scores"][str(best)]["score"] == max(
        found["score"] for found in made["scores"].values()
    )
    text = (loop.path / "best.yaml").read_text()
    assert recipe_of(yaml.safe_load(text), "best") == changed(loop, best) and text.startswith(
        "name: made\n"
    ), "as a person would write it"


def test_of_equal_scores_the_earlier_recipe_is_frozen(tmp_path):
    loop = a_loop(tmp_path)
    rounds(loop, 1.0, 2.0, 2.0)
    assert frozen(loop)[0]["round"] == 2


def test_where_tasks_are_held_out_each_recipe_is_tried_on_them_by_the_last_policy_and_its_own_round_does_not_count(
    tmp_path,
):
    loop = a_loop(tmp_path, held_out=8)
    rounds(loop, 3.0, 1.0, 0.0)
    made, said = frozen(loop, {1: 1.0, 2: 2.5, 3: 0.5})
    assert made["round"] == 2 and made["by"] == "held-out tasks"
    assert {number: round(found["score"], 1) for number, found in made["scores"].items()} == {
        "1": 1.1,
        "2": 2.5,
        "3": 0.6,
    }
    assert {loop.held_out(n).model for n in (1, 2, 3)} == {"model 3"} and loop.held_out(
        2
    ).recipe == changed(loop, 2)
    assert said == [f"evolve: the recipe of round {n} on held-out tasks" for n in (1, 2, 3)]


def test_a_recipe_that_two_rounds_had_is_tried_once_for_the_first_of_them(tmp_path):
    loop = a_loop(tmp_path, held_out=8)
    rounds(loop, 1.0, 1.0, 1.0, recipes=(1, 2, 1))
    made, said = frozen(loop, {1: 1.0, 2: 2.0})
    assert (
        sorted(made["scores"]) == ["1", "2"] and made["by"] == "held-out tasks" and len(said) == 2
    )


def test_a_single_recipe_needs_no_comparison(tmp_path):
    loop = a_loop(tmp_path, held_out=8)
    rounds(loop, 1.0, 1.0, recipes=(1, 1))
    made, said = frozen(loop)
    assert (made["round"], made["by"], said) == (1, "its own round", [])


def test_what_was_begun_on_held_out_tasks_goes_on_as_it_was_begun(tmp_path):
    loop = a_loop(tmp_path, held_out=8)
    rounds(loop, 1.0, 1.0)
    loop.held_out(1).begin(changed(loop, 1), model="begun", parent=1)
    frozen(loop, {1: 1.0, 2: 2.0})
    assert loop.held_out(1).model == "begun"


def test_a_recipe_whose_tasks_a_provider_spoiled_has_no_score_and_loses(tmp_path):
    loop = a_loop(tmp_path)
    rounds(loop, 1.0, -4.0)
    spoiled = a_round(loop, 1, tags=("infra_failure",) * 8)
    assert spoiled.read("diagnose")["score"] is None
    made, _ = frozen(loop)
    assert made["round"] == 2 and made["scores"]["1"] is None and made["scores"]["2"]["tasks"] == 8


def test_what_is_frozen_stays(tmp_path):
    loop = a_loop(tmp_path)
    rounds(loop, 1.0, 2.0)
    frozen(loop)
    a_round(loop, 1, score=5.0)
    assert frozen(loop)[0]["round"] == 2
