"""Which questions a step takes: each at most once an epoch, by the step's number alone, none twice in a step; and what a run says of its teacher."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.records.errors import InputError
from questloom.train.rollouts.questions import QuestionCourse, Questions, teacher_tools
from questloom.transforms.stages.run_folder import RunFolder
from tests.train.grpo_world import question

QUESTIONS = tuple(question(number)[0] for number in range(8))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), st.integers(0, 5), st.integers(0, 20))
def test_an_epoch_takes_no_question_twice_and_a_steps_number_says_which(per_step, seed, step):
    course = QuestionCourse(QUESTIONS, per_step, seed)
    epoch = step - step % course.per_epoch
    taken = [
        asked.question.id
        for each in range(epoch, epoch + course.per_epoch)
        for asked in course.of(each)
    ]
    assert len(taken) == len(set(taken)) == course.per_epoch * per_step > len(QUESTIONS) - per_step
    assert course.of(step) == QuestionCourse(QUESTIONS, per_step, seed).of(step)
    assert [asked.number for asked in course.of(step)] == list(range(per_step))


def test_epochs_differ_in_their_order_and_seeds_do():
    course = QuestionCourse(QUESTIONS, 8, 0)
    orders = {
        tuple(asked.question.id for asked in made)
        for made in (course.of(0), course.of(1), QuestionCourse(QUESTIONS, 8, 1).of(0))
    }
    assert len(orders) == 3


def test_further_questions_are_others_than_the_step_has_and_may_run_out():
    course = QuestionCourse(QUESTIONS, 5, 0)
    asked = course.of(0)
    more = course.more(0, asked, 2)
    assert [each.number for each in more] == [5, 6] and not {each.question.id for each in more} & {
        each.question.id for each in asked
    }
    assert len(course.more(0, [*asked, *more], 4)) == 1


def test_a_step_that_takes_more_than_there_are_is_refused():
    with pytest.raises(InputError, match=r"step.questions: is 9, and the run has 8"):
        QuestionCourse(QUESTIONS, 9, 0)


def run_of(folder: Path, **sections) -> RunFolder:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recipe.json").write_text(json.dumps({"recipe": sections}))
    return RunFolder(str(folder))


def test_the_teachers_tools_are_those_that_it_played_with_and_else_those_of_the_runs_recipe(
    tmp_path,
):
    run = run_of(tmp_path / "run", teach={"tools": {"tools": ["visit"], "handles": False}})
    assert teacher_tools(run) == {"tools": ["visit"], "handles": False}
    run_of(tmp_path / "run" / "episodes" / "teacher", teach={"tools": {"tools": ["crop"]}})
    assert teacher_tools(run) == {"tools": ["crop"]}
    assert teacher_tools(run_of(tmp_path / "other", models={})) == {}
    with pytest.raises(InputError, match="is no run"):
        teacher_tools(RunFolder(str(tmp_path)))


def test_a_role_that_the_runs_recipe_names_and_nothing_asks_for_is_refused(tmp_path):
    recipe = {"models": {"roles": {"judge_query": {"endpoint": "e", "model": "m"}}}}
    with pytest.raises(InputError, match=r"recipe.json, key models.roles.judge_query: is no role"):
        assert Questions(run_of(tmp_path / "run"), (), (), recipe).models
