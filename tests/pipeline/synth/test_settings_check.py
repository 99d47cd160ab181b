"""A setting that asks for what the rest of the recipe rules out is refused before work starts, by name and with what to set instead."""

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.evolve.edits import Edit, refusal
from questloom.pipeline.plan import forecast
from questloom.pipeline.recipe import RECIPES, load_recipe, recipe_of
from questloom.pipeline.synth.settings_check import check_settings
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from tests.pipeline.small_world import small_recipe


def models(*roles: str, **more) -> dict:
    return {
        "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
        "roles": {role: {"endpoint": "e", "model": "m"} for role in roles},
    } | more


REFUSED = {
    "another language and the graph writer": ({"language": "zh"}, "language: zh", "writer=llm"),
    "another language and the graph writer, with models for other roles": (
        {"language": "fr", "models": models("default")},
        "language: fr",
        "language=en",
    ),
    "more questions than seeds": (
        {"seeds": {"count": 20, "accepted": 21}},
        "seeds.accepted",
        "seeds.count",
    ),
    "more details and computations than questions": (
        {"draft": {"detail_share": 0.6, "computation_share": 0.5}},
        "draft.detail_share",
        "Lower one",
    ),
    "ladders without the method that makes them": (
        {"seeds": {"ladders": True, "methods": {"paths": 1, "injection": 0}}},
        "seeds.ladders",
        "injection",
    ),
    "the oracle and no filter in which it plays": (
        {"filters": {"oracle": True, "solvable": False}},
        "filters.oracle",
        "filters.solvable=true",
    ),
    "the oracle and a model in its place": (
        {"filters": {"oracle": True}, "models": models("answer_with_search")},
        "filters.oracle",
        "filters.oracle=false",
    ),
    "the oracle and a default model in its place": (
        {"filters": {"oracle": True}, "models": models("default")},
        "filters.oracle",
        "filters.oracle=false",
    ),
    "the oracle and another language than English": (
        {
            "filters": {"oracle": True},
            "language": "de",
            "writer": "llm",
            "models": models("word_plan", "check_words"),
        },
        "filters.oracle",
        "filters.oracle=false",
    ),
    "samples and no model": ({"filters": {"samples": 4}}, "filters.samples", "filters.samples=1"),
    "samples and a model of a filter that is off": (
        {"filters": {"samples": 4, "no_tools": False}, "models": models("answer_direct")},
        "filters.samples",
        "=1",
    ),
    "a judge and no model": ({"models": {"judge": True}}, "models.judge", "judge_answer"),
    "a judge and a model that is none": (
        {"models": models("answer_direct", judge=True)},
        "models.judge",
        "judge_answer",
    ),
}
TAKEN = {
    "the llm writer in another language": {
        "language": "zh",
        "writer": "llm",
        "models": models("default"),
    },
    "the oracle and models for other roles": {
        "filters": {"oracle": True},
        "models": models("answer_direct", "judge_answer", judge=True),
    },
    "samples and a model": {"filters": {"samples": 4}, "models": models("answer_text_only")},
    "no oracle and a model": {"models": models("default", judge=True)},
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_be_taken_and_do_nothing_is_refused_by_name_and_with_the_fix(case):
    changes, key, fix = REFUSED[case]
    with pytest.raises(InputError) as caught:
        check_settings(recipe_of(changes, "test"))
    assert caught.value.where == f"recipe key {key}" and fix in caught.value.fix


@pytest.mark.parametrize("case", TAKEN)
def test_what_does_something_is_taken(case):
    check_settings(recipe_of(TAKEN[case], "test"))


@pytest.mark.parametrize("name", sorted(path.stem for path in RECIPES.glob("*.yaml")))
def test_the_shipped_recipes_are_taken_and_run_without_a_model_too(name):
    check_settings(load_recipe(name))
    check_settings(load_recipe(name, ("writer=graph",)))


def test_job_plan_and_loop_refuse_before_anything_is_written(small, tmp_path):
    recipe = small_recipe(language="zh")
    with pytest.raises(InputError, match="knows en and de only"):
        run_synth(recipe, store=small, out=str(tmp_path / "run"), opened=Opened())
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="knows en and de only"):
        forecast(recipe, store=small, opened=Opened())
    edit = Edit(
        action="set",
        path="filters.samples",
        before=1,
        after=2,
        stage="filters",
        cause="c",
        tasks=("a",),
        why="w",
    )
    assert "no filter asks a model" in refusal(
        edit, small_recipe(), citable={"c": ("a",)}, dead_ends=(), earlier=(), least=1
    )
