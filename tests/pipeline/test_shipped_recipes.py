"""The shipped recipes load, say what their papers publish, and their commented models fit the keys that there are."""

import re

import pytest
import yaml

from questloom.agent.tool_settings import ALL_TOOLS
from questloom.pipeline.recipe import RECIPES, load_recipe, recipe_of
from questloom.records.synthesis import ABILITIES
from tests.agent.tools.calling import WITHOUT_PYTHON


def test_vsearcher_has_the_published_numbers():
    recipe = load_recipe("vsearcher")
    assert (
        recipe.seeds.rare_max_sitelinks,
        recipe.seeds.rare_min_statements,
        set(recipe.seeds.rules),
    ) == (10, 20, {"rare"})
    assert dict(recipe.draft.rounds) == {"easy": 1, "medium": 3, "hard": 5, "benchmark": 10}
    assert dict(recipe.export.level_ratio) == {"easy": 4, "medium": 3, "hard": 3}
    filters = recipe.filters
    assert (filters.answer_in_question, filters.text_only, filters.no_tools) == (True, True, True)
    assert (filters.text_search, filters.image_search, recipe.enhancement.share, recipe.writer) == (
        False,
        False,
        0,
        "llm",
    )


def test_opensearch_vl_has_the_published_numbers():
    recipe = load_recipe("opensearch_vl")
    assert {recipe.draft.hops[level]: share for level, share in recipe.seeds.levels.items()} == {
        2: 0.4,
        3: 0.4,
        4: 0.2,
    }
    assert (
        recipe.seeds.anchor_min_in_degree,
        recipe.seeds.anchor_max_in_degree,
        recipe.draft.max_hub,
    ) == (50, 10_000, 10_000)
    assert recipe.draft.max_answer_words == 6
    assert (recipe.pictures.min_side, recipe.pictures.max_candidates, recipe.enhancement.share) == (
        512,
        8,
        0.1,
    )
    assert (recipe.filters.image_search, recipe.filters.no_tools, recipe.filters.text_only) == (
        True,
        True,
        False,
    )


def test_the_published_recipes_have_their_papers_tools_pictures_and_limits():
    vsearcher, opensearch = load_recipe("vsearcher").teach, load_recipe("opensearch_vl").teach
    assert set(vsearcher.tools.tools) == {"image_search", "text_search", "visit"}
    assert (
        vsearcher.tools.max_new_pictures,
        vsearcher.tools.handles,
        vsearcher.limits.calls,
        vsearcher.rollouts,
    ) == (5, False, 30, 1)
    assert set(opensearch.tools.tools) == {
        "crop",
        "layout_parsing",
        "text_search",
        "image_search",
        "perspective_correct",
        "super_resolution",
        "sharpen",
    }
    assert (opensearch.limits.calls, opensearch.limits.faults, opensearch.rollouts) == (50, 3, 5)


@pytest.mark.parametrize("name", ["vsearcher", "opensearch_vl"])
@pytest.mark.parametrize(
    "key",
    [
        "living_people",
        "stated",
        "margin",
        "max_guess",
        "num_distractors",
        "num_distractors_unstated",
        "quotas",
        "duplicates",
        "visible_text",
        "solvable",
        "bases",
    ],
)
def test_what_no_paper_has_is_marked_as_ours_in_its_line(name, key):
    lines = [
        line
        for line in (RECIPES / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
        if line.strip().startswith(f"{key}:")
    ]
    assert lines and all("# ours" in line for line in lines)


@pytest.mark.parametrize("name", ["vsearcher", "opensearch_vl"])
def test_the_published_recipes_keep_what_claims_prove_and_a_model_can_solve(name):
    recipe = load_recipe(name)
    assert recipe.filters.solvable and tuple(recipe.certificate.bases) == ("closed", "margin")


def test_the_ablations_that_opensearch_vl_names_can_be_set():
    text = (
        (RECIPES / "opensearch_vl.yaml")
        .read_text(encoding="utf-8")
        .partition("name:")[0]
        .replace("#", "")
    )
    named = re.findall(r"[a-z_.]+=[a-z0-9]+", text)
    recipe = load_recipe("opensearch_vl", tuple(named))
    assert len(named) == 6 and {
        recipe.draft.hops[level] for level in ("easy", "medium", "hard")
    } == {0}
    assert not (recipe.filters.no_tools or recipe.filters.image_search or recipe.enhancement.share)


def test_ode_has_the_published_numbers():
    recipe = load_recipe("ode")
    assert dict(recipe.seeds.levels) == {"easy": 0.05, "medium": 0.15, "hard": 0.5, "expert": 0.3}
    # 3.1 balances the abilities; what is read off a picture is easy or medium, and fits into the levels' fifth.
    weights = recipe.seeds.abilities
    read = sum(w for a, w in weights.items() if "search" not in a) / sum(weights.values())
    levels = recipe.seeds.levels
    assert set(weights) == set(ABILITIES) and read < levels["easy"] + levels["medium"]
    assert (
        set(recipe.seeds.methods),
        recipe.evolve.rounds,
        recipe.evolve.tasks,
        recipe.teach.limits.calls,
    ) == ({"exploration"}, 5, 32, 50)


def test_the_commented_blocks_load_once_their_marks_are_removed():
    for name in ("vsearcher", "opensearch_vl", "ode"):
        lines = (RECIPES / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
        starts = [
            n
            for n, line in enumerate(lines)
            if line.strip() in ("# models:", "# endpoints:", "# external:")
        ]
        assert starts
        for start in starts:
            marked = next(
                (n for n in range(start, len(lines)) if not lines[n].lstrip().startswith("#")),
                len(lines),
            )
            lines[start:marked] = [line.replace("# ", "", 1) for line in lines[start:marked]]
        recipe = recipe_of(yaml.safe_load("\n".join(lines)), name)
        assert recipe.models.endpoints and "default" in recipe.models.roles


def test_the_demo_without_python_is_the_demo_but_for_its_name_and_that_tool():
    demo, without = load_recipe("demo").resolved(), load_recipe("demo_without_python").resolved()
    assert (
        without["filters"].pop("oracle_tools")
        == without["teach"]["tools"].pop("tools")
        == list(WITHOUT_PYTHON)
    )
    assert (
        demo["filters"].pop("oracle_tools")
        == demo["teach"]["tools"].pop("tools")
        == list(ALL_TOOLS)
    )
    assert (
        without.pop("name") == "demo_without_python"
        and demo.pop("name") == "demo"
        and without == demo
    )
