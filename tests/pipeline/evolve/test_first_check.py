"""What a loop lacks is told before its first round; and what docs/loop.md shows of the section `evolve` is what the program takes."""

import gc
import re
import weakref
from pathlib import Path

import pytest
import yaml

from questloom.agent.play_settings import PlaySettings
from questloom.agent.setup import PlayPlace, open_engine
from questloom.files.opened import Opened
from questloom.models.model_settings import ModelSettings
from questloom.pipeline.commands.demo_train import tiny_base
from questloom.pipeline.evolve.first_check import check_players
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.records.errors import InputError

PAGE = (Path(__file__).parents[3] / "docs" / "loop.md").read_text(encoding="utf-8")


def shown(tmp_path: Path, **policy) -> dict:
    """The recipe that the page shows for eight GPUs, with a folder in place of the model's and a launcher that is here."""
    found = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
    found["evolve"]["policy"].update({"model": str(tmp_path), **policy})
    found["evolve"]["train"]["launcher"][0] = "sh"
    return found


def made(data: dict, tmp_path: Path) -> Recipe:
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(data))
    return load_recipe(str(tmp_path / "my.yaml"))


def test_the_recipe_that_the_page_shows_is_taken_up_to_the_model(tmp_path):
    recipe = made(shown(tmp_path), tmp_path)
    check_players(recipe)
    assert recipe.evolve.train and recipe.evolve.train.trainer == "grpo" and recipe.evolve.policy
    with pytest.raises(Exception, match=r"evolve\.policy\.model .*: is no folder"):
        check_players(made(shown(tmp_path, model="/nowhere/model"), tmp_path))


def test_the_shipped_loop_is_taken_with_a_model(tmp_path):
    check_players(load_recipe("learning_loop", (f"evolve.policy.model={tmp_path}",)))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (
            "limits",
            {"calls": 7},
            r"evolve\.policy\.limits\.calls: is 7, and GRPO would train with 30",
        ),
        (
            "tools",
            {"tools": ["text_search"], "max_new_pictures": 5},
            r"evolve\.policy\.tools\.tools: is \['text_search'\], and GRPO would train with",
        ),
        ("engine", "oracle", r"trains weights that the engine oracle does not play"),
        ("engine", "openai", r"evolve\.policy\.engine openai: needs a model in the role 'agent'"),
        ("model", "", r"evolve\.policy\.engine transformers: needs evolve\.policy\.model"),
    ],
)
def test_a_policy_that_is_measured_otherwise_than_it_is_trained_or_cannot_play_is_refused(
    tmp_path, key, value, words
):
    with pytest.raises(Exception, match=words):
        check_players(made(shown(tmp_path, **{key: value}), tmp_path))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("launcher", ["no-such-launcher"], "is no program that is found here"),
        ("config", "grpo-nothing", "no such settings"),
        ("set", ["step.stepss=3"], "is unknown"),
        ("model", "./nowhere", r"evolve\.train\.model \./nowhere: is no folder"),
    ],
)
def test_a_trainer_that_cannot_start_is_refused(tmp_path, key, value, words):
    data = shown(tmp_path)
    data["evolve"]["train"][key] = value
    with pytest.raises(Exception, match=words):
        check_players(made(data, tmp_path))


def test_a_home_directory_is_not_expanded_and_the_message_says_how_to_write_it(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "model").mkdir()
    with pytest.raises(
        InputError, match=f"~ is not expanded in settings. Write it out: {tmp_path}/model"
    ):
        check_players(made(shown(tmp_path, model="~/model"), tmp_path))
    check_players(made(shown(tmp_path, model=f"{tmp_path}/model"), tmp_path))


def test_the_tools_order_means_nothing_and_a_setting_of_the_trainer_may_follow_the_policy(tmp_path):
    data = shown(tmp_path, limits={"calls": 7})
    data["evolve"]["policy"]["tools"] = {
        **data["teach"]["tools"],
        "tools": data["teach"]["tools"]["tools"][::-1],
    }
    data["evolve"]["train"]["set"].append("play.limits={calls: 7}")
    check_players(made(data, tmp_path))


def test_mode_sft_trains_on_the_teachers_episodes_and_has_no_grpo(tmp_path):
    data = shown(tmp_path)
    data["evolve"]["mode"] = "sft"
    data["evolve"]["train"]["model"] = str(tmp_path)
    with pytest.raises(Exception, match="in mode sft none plays"):
        check_players(made(data, tmp_path))
    data["evolve"]["train"] |= {"trainer": "sft", "config": "vsearcher", "set": []}
    check_players(made(data, tmp_path))


def test_what_is_closed_lets_go_of_the_model_so_that_a_trainer_has_its_memory():
    settings = PlaySettings(engine="transformers", model=str(tiny_base()), device="cpu")
    with Opened() as opened:
        engine, _ = open_engine(settings, PlayPlace("", lambda: "", ModelSettings(), opened), ())
        model = weakref.ref(engine._model.model)
        del engine
    gc.collect()
    assert model() is None


def test_where_the_teacher_plays_errors_name_the_teachers_section(tmp_path):
    with pytest.raises(InputError, match=r"^teach\.model \./nowhere: is no folder"):
        check_players(load_recipe("demo", ("teach.engine=transformers", "teach.model=./nowhere")))
    sft = load_recipe(
        "demo",
        (
            "teach.engine=transformers",
            "teach.model=./nowhere",
            "evolve.mode=sft",
            "evolve.policy={engine: oracle}",
        ),
    )
    with pytest.raises(InputError, match=r"^teach\.model \./nowhere: is no folder"):
        check_players(sft)
    with pytest.raises(InputError, match=r"^evolve\.policy\.model \./nowhere: is no folder"):
        check_players(
            load_recipe("demo", ("evolve.policy={engine: transformers, model: ./nowhere}",))
        )


def test_a_model_by_name_is_no_folder_that_is_looked_for():
    check_players(load_recipe("demo", ("evolve.policy={engine: transformers, model: some/model}",)))


@pytest.mark.parametrize("launcher", [[], ["sh", "--quiet"]])
def test_a_launcher_is_looked_for_by_its_first_word(tmp_path, launcher):
    data = shown(tmp_path)
    data["evolve"]["train"]["launcher"] = launcher
    check_players(made(data, tmp_path))


def test_other_tools_or_limits_are_named_with_both_values_and_both_ways_to_make_them_the_same(
    tmp_path,
):
    with pytest.raises(InputError) as caught:
        check_players(made(shown(tmp_path, limits={"calls": 7}), tmp_path))
    assert 'evolve.policy.limits.calls, or add "play.limits.calls=…" to evolve.train.set' in str(
        caught.value
    )
    assert "(play.limits.calls of grpo-vsearcher)" in str(caught.value)
    with pytest.raises(
        InputError,
        match=r"evolve\.policy\.tools\.max_new_pictures: is 4, and GRPO would train with 5",
    ):
        check_players(
            made(
                shown(tmp_path, tools={"tools": ["text_search", "image_search", "visit", "crop"]}),
                tmp_path,
            )
        )


def test_sampling_may_differ_between_measuring_and_training(tmp_path):
    check_players(made(shown(tmp_path, temperature=0.1, top_p=0.5), tmp_path))
