"""The fields that may change: which a recipe has, what a step is, and what is within bounds."""

import pytest

from questloom.pipeline.evolve.evolvable import (
    METHODS,
    Field,
    allowed,
    fields_of,
    stepped,
    with_value,
)
from questloom.pipeline.recipe import load_recipe, recipe_of
from questloom.records.errors import InputError
from questloom.records.evolves import Evolves

NUMBER, COUNT, SWITCH = (
    Evolves("paths", 0.0, 1.0, 0.25),
    Evolves("paths", 1, 4, 1),
    Evolves("filters"),
)
WORD, TEXT = (
    Evolves("pictures", choices=("none", "optional", "strict")),
    Evolves("writer", max_chars=9),
)


def field(rules: Evolves, value) -> Field:
    return Field("x", rules, value)


@pytest.mark.parametrize(
    ("rules", "value", "up", "down"),
    [
        (NUMBER, 0.5, 0.75, 0.25),
        (NUMBER, 0.9, 1.0, 0.65),
        (NUMBER, 0.1, 0.35, 0.0),
        (NUMBER, 1.0, None, 0.75),
        (NUMBER, 0.0, 0.25, None),
        (NUMBER, 2.0, None, 1.0),
        (NUMBER, -1.0, 0.0, None),
        (Evolves("paths", 0, 1, 1 / 3), 0.0, 0.333333, None),
        (COUNT, 2, 3, 1),
        (COUNT, 4, None, 3),
        (COUNT, 1, 2, None),
        (Evolves("paths", 0, 9, 0.5), 2, 2.5, 1.5),
        (NUMBER, 1, None, 0.75),
        (SWITCH, False, True, None),
        (SWITCH, True, None, False),
        (WORD, "none", "optional", None),
        (WORD, "optional", "strict", "none"),
        (WORD, "strict", None, "optional"),
        (WORD, "unknown", None, None),
        (TEXT, "be kind", None, None),
    ],
)
def test_a_step_moves_a_number_by_its_step_within_bounds_a_switch_over_and_a_word_by_one_place(
    rules, value, up, down
):
    made = stepped(field(rules, value), 1), stepped(field(rules, value), -1)
    assert made == (up, down) and [type(each) for each in made] == [type(up), type(down)]


@pytest.mark.parametrize(
    ("rules", "value", "good", "bad"),
    [
        (NUMBER, 0.5, (0, 0.0, 1, 1.0, 0.3), (-0.01, 1.01, "0.3", True)),
        (COUNT, 2, (1, 4), (0, 5, False)),
        (SWITCH, True, (True, False), (1, 0.0, "true")),
        (WORD, "none", ("none", "strict"), ("lax", 1)),
        (TEXT, "", ("", "nine char"), ("ten charac", 3)),
    ],
)
def test_allowed_is_what_is_of_the_fields_kind_and_within_its_bounds(rules, value, good, bad):
    assert [allowed(field(rules, value), each) for each in good] == [True] * len(good)
    assert [allowed(field(rules, value), each) for each in bad] == [False] * len(bad)


def test_a_recipe_has_a_field_for_each_setting_that_says_how_it_may_change_and_for_each_key_and_end():
    found = fields_of(load_recipe("demo"))
    assert {
        "filters.text_search",
        "seeds.levels.easy",
        "seeds.levels.hard",
        "grounding.mode",
        "certificate.margin",
        "enhancement.share",
    } <= set(found)
    assert any(path.startswith("enhancement.") and path.endswith(".1") for path in found), (
        "a pair has two"
    )
    assert found["seeds.domains.person"].value == 1.0, (
        "a key that the recipe does not name is what its declaration says"
    )
    for path, each in found.items():
        assert each.path == path


def test_a_key_that_only_the_recipe_names_is_a_field_too():
    assert (
        fields_of(
            recipe_of(
                {"name": "made", "seeds": {"levels": {"easy": 1.0, "benchmark": 0.5}}}, "test"
            )
        )["seeds.levels.benchmark"].value
        == 0.5
    )


@pytest.mark.parametrize("name", ["demo", "ode", "learning_loop", "vsearcher", "opensearch_vl"])
def test_how_the_loop_goes_is_no_field_so_that_no_edit_moves_what_edits_are_judged_by(name):
    found = fields_of(load_recipe(name, ("evolve.policy={engine: oracle}",)))
    assert found and not [
        path for path in found if path.startswith(("evolve", "teach", "run", "export"))
    ]


@pytest.mark.parametrize(
    ("methods", "some", "none"),
    [
        ("{exploration: 1}", "draft.explore.claims.easy", "draft.hops.easy"),
        ("{paths: 1}", "draft.hops.easy", "draft.explore.claims.easy"),
        ("{paths: 0, injection: 1}", "draft.rounds.easy", "draft.hops.easy"),
        ("{exploration: 1}", "seeds.abilities.perception", "draft.detail_share"),
    ],
)
def test_what_only_questions_of_other_methods_go_by_is_no_field(methods, some, none):
    found = fields_of(load_recipe("demo", (f"seeds.methods={methods}",)))
    assert some in found and none not in found


def test_every_beginning_of_a_path_that_is_named_for_methods_is_one_of_a_field():
    every = fields_of(
        load_recipe("demo", ("seeds.methods={paths: 1, injection: 1, exploration: 1}",))
    )
    assert [begin for begin in METHODS if not any(path.startswith(begin) for path in every)] == []


def test_one_field_is_set_and_nothing_else():
    before = load_recipe("demo", ("enhancement.share=0.2",))
    end = next(
        path
        for path in fields_of(before)
        if path.startswith("enhancement.") and path.endswith(".1")
    )
    after = with_value(before, end, 0.5)
    changed = {
        path
        for path, each in fields_of(after).items()
        if each.value != fields_of(before)[path].value
    }
    assert changed == {end} and fields_of(after)[end].value == 0.5
    assert with_value(before, "models.llm.guidance.word_plan", "Be kind.").models.llm.guidance == {
        "word_plan": "Be kind."
    }
    with pytest.raises(InputError):
        with_value(before, "enhancement.share", 7.0)
