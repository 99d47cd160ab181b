"""Recipes: what is shipped loads, and what is wrong is refused with its place and a way out."""

import dataclasses
from pathlib import Path

import pytest

from questloom.pipeline.recipe import (
    IDENTITY,
    MODELS_IDENTITY,
    RECIPES,
    Recipe,
    load_recipe,
    recipe_of,
)
from questloom.pipeline.settings import ModelRules
from questloom.records.errors import InputError
from questloom.transforms.episodes.episode_rules import JUDGED, PLAYED, TeachRules


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_shipped_recipe_loads(path):
    assert load_recipe(path.stem).name == path.stem


@pytest.mark.parametrize(
    ("data", "where", "fix"),
    [
        ({"sedes": {}}, "sedes", "Did you mean seeds"),
        ({"models": {"llm": {"language": "de"}}}, "models.llm.language", "Known keys there"),
        ({"seeds": {"cuont": 5}}, "seeds.cuont", "Did you mean seeds.count"),
        ({"seeds": {"count": -1}}, "seeds.count", "Correct the value"),
        ({"seeds": {"count": "many"}}, "seeds.count", "Correct the value"),
        ({"draft": {"detail_share": 1.5}}, "draft.detail_share", "Correct the value"),
        (
            {"draft": {"hops": {"easy": 2}}, "seeds": {"levels": {"easy": 1, "hard": 1}}},
            "seeds.levels.hard",
            "Set draft.hops.hard",
        ),
        (
            {"filters": {"near_duplicate_similarity": 0.4}},
            "filters.near_duplicate_similarity",
            "Correct the value",
        ),
        (
            {"certificate": {"trust": {"declard": 1}}},
            "certificate.trust.declard",
            "Did you mean certificate.trust.declared",
        ),
        (
            {"models": {"endpoints": [{"name": "a", "base_url": "ftp://x"}]}},
            "models.endpoints",
            "Correct the value",
        ),
        (
            {"models": {"endpoints": [{"name": "a", "base_url": "http://x", "prcies": {}}]}},
            "models.endpoints.0.prcies",
            "Did you mean models.endpoints.0.prices",
        ),
        (
            {"models": {"roles": {"agent": {"endpoint": "a", "modle": "m"}}}},
            "models.roles.agent.modle",
            "Did you mean models.roles.agent.model",
        ),
        (
            {"models": {"roles": {"judge_query": {"endpoint": "a", "model": "m"}}}},
            "models.roles.judge_query",
            "judge_retrieval",
        ),
        (
            {"models": {"roles": {"agnet": {"endpoint": "a", "model": "m"}}}},
            "models.roles.agnet",
            "Did you mean agent",
        ),
        (
            {"models": {"llm": {"guidance": {"judge_answer": "Be strict."}}}},
            "models.llm.guidance.judge_answer",
            "The roles are word_plan",
        ),
        ({"seedz": {"count": 5}}, "seedz", "Did you mean seeds"),
        ({"seedz": 5}, "seedz", "Did you mean seed?"),
        ({"seeds": {"levels": {"mediun": 0}}}, "levels.mediun", "Did you mean seeds.levels.medium"),
        ({"seeds": {"domains": {"place": 1}}}, "domains.place", "Known keys there: artifact"),
        ({"seeds": {"rules": {"rar": 1}}}, "seeds.rules.rar", "Did you mean seeds.rules.rare"),
        ({"seeds": {"methods": {"path": 1}}}, "methods.path", "Did you mean seeds.methods.paths"),
        (
            {"seeds": {"abilities": {"search": 1}}},
            "abilities.search",
            "Known keys there: perception",
        ),
        ({"draft": {"hops": {"hrad": 2}}}, "hops.hrad", "Did you mean draft.hops.hard"),
        ({"draft": {"rounds": {"esay": 2}}}, "rounds.esay", "Did you mean draft.rounds.easy"),
        ({"draft": {"explore": {"claims": {"esay": 2}}}}, "claims.esay", "explore.claims.easy"),
        ({"export": {"level_ratio": {"esay": 4}}}, "level_ratio.esay", "level_ratio.easy"),
        ({"teach": {"live": {"tetx": {}}}}, "teach.live.tetx", "Did you mean teach.live.text"),
        (
            {"external": [{"path": "a", "lisence": "CC0"}]},
            "external.0.lisence",
            "Did you mean external.0.licence",
        ),
        ({"run": {"zzz": 1}}, "run.zzz", "Known keys there: calls, in_flight"),
        ({"teach": {"tools": {"tools": ["zoom"]}}}, "teach.tools.tools.0", "Correct the value"),
        ({"filters": {"oracle_tools": []}}, "filters.oracle_tools", "Correct the value"),
        ({"base": "demo"}, "base", "Known keys there"),  # only a file has one
    ],
)
def test_a_wrong_recipe_names_the_key_and_the_fix(data, where, fix):
    with pytest.raises(InputError) as caught:
        recipe_of(data, "my.yaml")
    assert (
        "my.yaml" in caught.value.where and where in caught.value.where and fix in caught.value.fix
    )


def test_an_unknown_recipe_lists_those_that_are_shipped():
    with pytest.raises(InputError, match=r"Did you mean demo.*: demo, demo_without_python"):
        load_recipe("dmeo")


def test_a_file_that_is_no_yaml_is_refused(tmp_path):
    (tmp_path / "bad.yaml").write_text("seeds: [1, 2")
    with pytest.raises(InputError, match="YAML"):
        load_recipe(str(tmp_path / "bad.yaml"))


def test_an_override_reaches_a_nested_key():
    assert load_recipe("demo", ("seeds.count=17",)).seeds.count == 17


def test_how_a_run_is_executed_does_not_change_what_it_is():
    assert load_recipe("demo", ("run.in_flight=3",)).fingerprint == load_recipe("demo").fingerprint
    assert load_recipe("demo", ("seeds.count=17",)).fingerprint != load_recipe("demo").fingerprint


def test_a_folder_of_a_recipes_name_does_not_hide_it(tmp_path, monkeypatch):
    (tmp_path / "demo").mkdir()  # as `make demo` leaves one
    monkeypatch.chdir(tmp_path)
    assert load_recipe("demo").name == "demo"


def test_a_raised_budget_is_the_same_recipe():
    assert (
        load_recipe("demo", ("models.budget_calls=5",)).fingerprint
        == load_recipe("demo", ("models.budget_calls=6",)).fingerprint
    )
    assert load_recipe("demo", ("seed=5",)).fingerprint != load_recipe("demo").fingerprint


def test_the_oracles_tools_are_part_of_what_the_questions_are_and_the_teachers_are_not():
    recipe = load_recipe("demo")
    assert load_recipe("demo", ("filters.oracle_tools=[visit]",)).fingerprint != recipe.fingerprint
    assert load_recipe("demo", ("teach.tools.tools=[visit]",)).fingerprint == recipe.fingerprint


def file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_recipe_overrides_its_base_deeply_and_the_resolved_one_holds_no_base(tmp_path):
    file(
        tmp_path,
        "middle.yaml",
        "base: demo\nname: middle\nseeds: {count: 5}\ndraft: {rounds: {easy: 2}}\nexport: {formats: [verl, trl]}",
    )
    recipe, demo = (
        load_recipe(
            file(
                tmp_path, "top.yaml", "base: middle.yaml\nname: top\nexport: {formats: [sharegpt]}"
            )
        ),
        load_recipe("demo"),
    )
    assert (recipe.name, recipe.seeds.count, recipe.export.formats) == ("top", 5, ("sharegpt",))
    assert (
        dict(recipe.draft.rounds) == {**demo.draft.rounds, "easy": 2}
        and recipe.seeds.readable == demo.seeds.readable
    )
    assert "base" not in recipe.resolved()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("base: a.yaml", "circle: a.yaml -> a.yaml"),
        ("base: b.yaml", "circle: a.yaml -> b.yaml -> a.yaml"),
        ("base: dmeo", "no such recipe"),
        ("base: [demo]", "names no recipe"),
        ("base: demo\nsedes: {}", "Did you mean seeds"),
        ("base: list.yaml", "is no mapping"),
    ],
)
def test_a_base_that_cannot_be_is_refused(tmp_path, text, said):
    file(tmp_path, "b.yaml", "base: a.yaml")
    file(tmp_path, "list.yaml", "[1]")
    with pytest.raises(InputError, match=said):
        load_recipe(file(tmp_path, "a.yaml", text))


def test_every_setting_bears_on_the_questions_on_the_episodes_or_is_named_as_bearing_on_neither():
    assert {f.name for f in dataclasses.fields(Recipe)} == {
        *IDENTITY,
        "models",
        "teach",
        "run",
        "evolve",
    }
    assert {f.name for f in dataclasses.fields(ModelRules)} == {
        *MODELS_IDENTITY,
        "budget_money",
        "budget_tokens",
        "budget_calls",
    }
    assert {f.name for f in dataclasses.fields(TeachRules)} == {
        *PLAYED,
        *JUDGED,
        "device",
        "reference",
        "episodes_at_once",
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"levels": {"easy": 0}},
        {"rules": {"rare": 0}},
        {"methods": {"paths": 0, "injection": 0}},
        {"domains": {"other": -1}},
    ],
)
def test_weights_that_draw_nothing_or_less_are_refused(changes):
    with pytest.raises(InputError, match=f"seeds.{next(iter(changes))}"):
        recipe_of({"seeds": changes}, "test")
