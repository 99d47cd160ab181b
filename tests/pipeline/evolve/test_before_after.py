"""What training changed: when the first and the last policy are compared, on which tasks, and what is written of it."""

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.evolve import before_after
from questloom.pipeline.evolve.before_after import BEFORE, compare, read
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from tests.pipeline.evolve.made import a_loop, a_round
from tests.pipeline.evolve.made_run import Try, a_run, asked, played

WRONG = "wrong_answer_given"


@pytest.fixture
def played_by(monkeypatch) -> list[tuple]:
    """Which policies played what, with the plays stood in for by files: the last gets three of four right, the first one."""
    done: list[tuple] = []

    def play(at: RoundFolder, settings, rollouts, policy, store, opened, workers):
        done.append((at.path.parent.name, at.number, settings.model, rollouts, policy, store))
        played(
            at.batch,
            policy,
            (asked(1), [Try("x")] + [Try("y", WRONG)] * 2 + [Try("", "judge_failed")]),
        )

    monkeypatch.setattr(before_after, "play_batch", play)
    return done


def ended(tmp_path, *models: str, **evolve) -> LoopFolder:
    """A loop whose rounds ended with these models."""
    loop = a_loop(tmp_path, **{"held_out": 4, **evolve})
    for number, model in enumerate(models, 1):
        at = a_round(loop, number, model=models[number - 2] if number > 1 else "")
        at.write("train", {"command": [], "model": model, "tasks": 8, "why": ""})
    return loop


def forward(loop: LoopFolder, tried: RoundFolder, opened: Opened, workers: int) -> None:
    if not tried.batch.labels():
        a_run(tried.batch, loop.recipe, [asked(1), asked(2)])
        played(tried.batch, "policy", (asked(1), [Try("x")] * 3 + [Try("y", WRONG)]))


def test_both_policies_play_the_held_out_tasks_of_the_first_recipe(tmp_path, played_by):
    loop, said = ended(tmp_path, "/a", "/b"), []
    compare(loop, Opened(), workers=1, forward=forward, say=said.append)
    assert played_by == [("held_out", 1, "skilled", 4, BEFORE, "/store")] and len(said) == 1
    tried = loop.held_out(1)
    assert (tried.model, tried.parent, tried.recipe) == ("/b", 1, loop.recipe)
    found = read(loop)
    assert (
        found["before"]["good"],
        found["before"]["judged"],
        found["after"]["good"],
        found["after"]["judged"],
    ) == (1, 3, 3, 4)
    one = next(task for task in found["tasks"] if task["id"] == asked(1).id)
    other = next(task for task in found["tasks"] if task["id"] == asked(2).id)
    assert (one["question"], one["answer"], one["level"], one["image"]) == (
        asked(1).text,
        "x",
        "easy",
        asked(1).image_id,
    )
    assert (one["before"]["good"], one["before"]["judged"]) == (1, 3), (
        "what nobody could judge is left out"
    )
    assert other["before"]["judged"] == other["after"]["judged"] == 0, "it was not played"


def test_tasks_that_the_comparison_of_recipes_has_made_are_taken(tmp_path, played_by):
    loop = ended(tmp_path, "/a", "/b")
    loop.held_out(1).begin(loop.recipe, model="/begun", parent=1)
    compare(loop, Opened(), workers=1, forward=forward, say=lambda line: None)
    assert loop.held_out(1).model == "/begun"


@pytest.mark.parametrize(
    ("models", "evolve"),
    [(("", ""), {}), (("/a", "/b"), {"held_out": 0}), (("/a", "/b"), {"mode": "sft"})],
)
def test_nothing_is_compared_where_no_round_trained_the_policy_that_plays_or_nothing_is_held_out(
    tmp_path, played_by, models, evolve
):
    loop = ended(tmp_path, *models, **evolve)
    compare(loop, Opened(), workers=1, forward=forward, say=lambda line: None)
    assert not played_by and read(loop) is None


def test_a_comparison_that_stands_is_not_made_again(tmp_path, played_by):
    loop = ended(tmp_path, "/a")
    for _ in range(2):
        compare(loop, Opened(), workers=1, forward=forward, say=lambda line: None)
    assert len(played_by) == 1
