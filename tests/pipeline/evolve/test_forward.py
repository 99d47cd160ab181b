"""The first step of a round: with which recipe questions are made, which of them earlier rounds had, and which become tasks."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.evolve import forward as step
from questloom.pipeline.evolve.forward import forward, repeats, round_recipe
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.subset import questions_of
from questloom.pipeline.settings import FilterRules
from questloom.records.errors import QuestloomError
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer
from tests.pipeline.evolve.made import a_loop
from tests.pipeline.evolve.made_run import a_run, asked

WORDS = "In which town did the architect of the tall lighthouse in the picture die of old age{}?"


@pytest.mark.parametrize(("mode", "rl_share"), [("rl", 1.0), ("sft", 0.0)])
def test_a_round_draws_with_its_own_seed_without_what_was_asked_and_all_of_it_is_for_one_use(
    tmp_path, mode, rl_share
):
    loop = a_loop(tmp_path, mode=mode)
    loop.round(1).begin(loop.recipe, model="", parent=0)
    made = round_recipe(loop, loop.round(1), seed=77)
    assert made.seed == 77 and made.seeds.exclude == (
        *loop.recipe.seeds.exclude,
        str(loop.round(1).path / "exclude.txt"),
    )
    assert (made.export.benchmark_share, made.export.shares, made.export.rl_share) == (
        0.0,
        {"train": 1.0},
        rl_share,
    )
    same = dataclasses.replace(
        made,
        seed=loop.recipe.seed,
        seeds=loop.recipe.seeds,
        export=loop.recipe.export,
        run=loop.recipe.run,
    )
    assert same == loop.recipe, "nothing else differs from the round's recipe"


# what an earlier round had


def a_question(number: int, words: str = "", **fields: Any):
    made = asked(number, **fields)
    answer = Answer(
        value=Value(kind="string", text=f"town {number}"), text=f"town {number}", type="string"
    )
    return made.replace(
        text=words or f"What is number {number} called, and by whom?",
        answer=fields.get("answer", answer),
    )


ON, OFF = FilterRules(duplicates=True), FilterRules(duplicates=False)


@pytest.mark.parametrize("filters", [ON, OFF])
def test_a_question_about_a_thing_or_over_a_picture_that_a_task_had_is_a_repeat_whatever_it_asks(
    filters,
):
    before = [a_question(1), a_question(2)]
    made = [
        a_question(3, anchor="Q101"),
        a_question(4, source_image_id=before[1].source_image_id),
        a_question(5),
        a_question(6, anchor=""),
        a_question(7, anchor=""),
    ]
    assert repeats(made, before, filters) == {made[0].id: before[0].id, made[1].id: before[1].id}


def test_questions_without_a_thing_that_is_shown_are_no_repeats_of_each_other():
    before, made = [a_question(1, anchor="")], [a_question(2, anchor="")]
    assert repeats(made, before, OFF) == {}


def test_the_same_words_or_nearly_the_same_are_a_repeat_where_the_recipe_drops_duplicates():
    before = [
        a_question(1, WORDS.format("")),
        a_question(2, "Who is it, after all, that this small statue in the picture shows?"),
    ]
    nearly, other = a_question(3, WORDS.format(" there")), a_question(4)
    same = a_question(5, before[1].text, answer=before[1].answer, anchor=before[1].anchor)
    assert repeats([nearly, other, same], before, ON) == {
        nearly.id: before[0].id,
        same.id: before[1].id,
    }
    assert repeats([nearly, other], before, OFF) == {}


def test_the_same_path_to_the_same_answer_is_a_repeat_where_the_recipe_drops_duplicates():
    bound = {"x0": "Q1", "x1": "Q2"}
    before = [a_question(1, bindings=bound)]
    again = a_question(2, bindings=bound, answer=before[0].answer)
    assert (
        repeats([again], before, ON) == {again.id: before[0].id}
        and repeats([again], before, OFF) == {}
    )


def test_questions_of_one_round_that_are_alike_are_no_repeats():
    made = [a_question(1, WORDS.format("")), a_question(2, WORDS.format(" there"))]
    assert repeats(made, [], ON) == {} and repeats(made, [a_question(3)], ON) == {}


def test_a_question_that_was_asked_already_is_compared_with_no_other():
    before = [a_question(1, WORDS.format("")), a_question(2)]
    made = a_question(3, WORDS.format(" there"), anchor="Q102")
    assert repeats([made], before, ON) == {made.id: before[1].id}, (
        "by its thing, before its words are looked at"
    )


# the step


def funnel(code: int = 0) -> Any:
    return SimpleNamespace(
        verdict=lambda **rules: (code, "3 seeds wait for a provider"),
        counts=[SimpleNamespace(num_out=9), SimpleNamespace(num_out=5)],
        as_json=lambda: {"draft": {"rejected": 4}, "split": {"rejected": 0}},
    )


@pytest.fixture
def synth(monkeypatch) -> list[dict]:
    """Synthesis stood in for by a finished run of six questions; what it was asked for."""
    calls: list[dict] = []

    def made(recipe, *, store, out, opened, workers):
        calls.append(
            {
                "seed": recipe.seed,
                "exclude": recipe.seeds.exclude[-1],
                "store": store,
                "out": out,
                "workers": workers,
            }
        )
        numbers = range(6 * len(calls) - 6, 6 * len(calls))
        a_run(RoundFolder(Path(out).parent).synth, recipe, [a_question(n) for n in numbers])
        return funnel()

    monkeypatch.setattr(step, "run_synth", made)
    return calls


def begun(loop: LoopFolder, at: RoundFolder) -> RoundFolder:
    at.begin(loop.recipe, model="", parent=0)
    return at


def test_a_round_makes_questions_and_takes_as_many_tasks_as_the_recipe_says(tmp_path, synth):
    loop = a_loop(tmp_path, tasks=4, held_out=3)
    at = begun(loop, loop.round(1))
    forward(loop, at, Opened(), workers=3)
    found = at.read("forward")
    assert (found["asked"], found["seeds"], found["kept"], found["repeats"]) == (
        4,
        9,
        6,
        {},
    ) and found["funnel"] == {"draft": 4}
    assert (
        found["tasks"] == sorted(q.id for q in questions_of(at.batch)) and len(found["tasks"]) == 4
    )
    assert found["axes"]["level"] == {"easy": 4} and found["axes"]["cell"] == {
        "arts / perception+search / easy": 4
    }
    assert synth == [
        {
            "seed": loop.seed_of("round 1"),
            "exclude": str(at.path / "exclude.txt"),
            "store": "/store",
            "out": at.synth.path,
            "workers": 3,
        }
    ]
    assert (at.path / "exclude.txt").read_text() == ""


def test_a_later_round_excludes_what_earlier_tasks_were_about_and_the_held_out_ones_what_any_was(
    tmp_path, synth
):
    loop = a_loop(tmp_path, tasks=4, held_out=3)
    for number in (1, 2):
        forward(loop, begun(loop, loop.round(number)), Opened(), workers=1)
    asked_about = {
        number: {
            e for q in questions_of(loop.round(number).batch) for e in (q.seed_entity, q.anchor)
        }
        for number in (1, 2)
    }
    assert (
        set((loop.round(2).path / "exclude.txt").read_text().split()) == asked_about[1]
        and len(asked_about[1]) == 8
    )
    at = begun(loop, loop.held_out(1))
    forward(loop, at, Opened(), workers=1, held_out=True)
    assert set((at.path / "exclude.txt").read_text().split()) == asked_about[1] | asked_about[2]
    assert (
        at.read("forward")["asked"] == 3
        and synth[-1]["seed"] == loop.seed_of("held out") != synth[0]["seed"]
    )


def test_a_question_of_an_earlier_round_becomes_no_task_again(tmp_path, synth, monkeypatch):
    loop = a_loop(tmp_path, tasks=6)
    forward(loop, begun(loop, loop.round(1)), Opened(), workers=1)
    old = questions_of(loop.round(1).batch)
    monkeypatch.setattr(
        step,
        "run_synth",
        lambda recipe, *, out, **how: (
            a_run(loop.round(2).synth, recipe, [old[0], a_question(30)]) and funnel()
        ),
    )
    forward(loop, begun(loop, loop.round(2)), Opened(), workers=1)
    found = loop.round(2).read("forward")
    assert (
        found["repeats"] == {old[0].id: old[0].id}
        and found["tasks"] == [a_question(30).id]
        and found["kept"] == 2
    )


def test_what_waits_for_a_provider_ends_no_step(tmp_path, monkeypatch):
    loop = a_loop(tmp_path)
    at = begun(loop, loop.round(1))
    monkeypatch.setattr(step, "run_synth", lambda *args, **how: funnel(code=1))
    with pytest.raises(QuestloomError, match="3 seeds wait for a provider"):
        forward(loop, at, Opened(), workers=1)
    assert not at.done("forward")
