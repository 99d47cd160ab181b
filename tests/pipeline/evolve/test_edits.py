"""What an edit is, how it is applied, and every reason for which one is refused."""

from dataclasses import replace

import pytest

from questloom.pipeline.evolve.edits import Edit, applied, refusal, step
from questloom.pipeline.evolve.evolvable import fields_of
from questloom.pipeline.recipe import recipe_of
from tests.pipeline.evolve.made import IDS

RECIPE = recipe_of({"name": "made", "filters": {"text_search": False}}, "test")
CITABLE = {"text_search": IDS[:4], "too_easy": IDS}
GOOD = Edit(
    action="set",
    path="filters.text_search",
    before=False,
    after=True,
    stage="filters",
    cause="text_search",
    tasks=IDS[:3],
    why="leaks",
)
TEXT = Edit(
    action="append",
    path="models.llm.guidance.word_plan",
    before="",
    after="Be fair.",
    stage="writer",
    cause="text_search",
    tasks=IDS[:3],
    why="leaks",
)


def refused(edit: Edit, dead_ends=(), earlier=()) -> str:
    return refusal(edit, RECIPE, citable=CITABLE, dead_ends=dead_ends, earlier=earlier, least=3)


def test_a_good_edit_passes_and_changes_its_field_alone():
    assert refused(GOOD) == "" and refused(TEXT) == ""
    after = applied(RECIPE, [GOOD, TEXT])
    assert after.filters == replace(
        RECIPE.filters, text_search=True
    ) and after.models.llm.guidance == {"word_plan": "Be fair."}
    assert after.seeds == RECIPE.seeds


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (replace(GOOD, path="run.shards", before=16, after=17), "no field"),
        (replace(GOOD, path="evolve.rounds", before=5, after=6), "no field"),
        (replace(GOOD, before=True), "the field is False"),
        (replace(GOOD, tasks=IDS[:2]), "rests on 2 tasks"),
        (replace(GOOD, tasks=("x", "y", "z")), "rests on 0 tasks"),
        (replace(GOOD, cause="made up"), "rests on 0 tasks"),
        (replace(GOOD, after=3), "out of bounds"),
        (replace(GOOD, path="draft.detail_share", before=0.2, after=1.5), "out of bounds"),
        (replace(GOOD, path="draft.detail_share", before=0.2, after=0.9), "no single step"),
        (replace(GOOD, action="rewrite"), "is for texts"),
        (replace(TEXT, action="set"), "a text is appended"),
        (replace(TEXT, after="word " * 70), "adds more than 300"),
        (replace(TEXT, after="x" * 601), "out of bounds"),
        (replace(TEXT, after="Look at <image:3>."), "by its number"),
        (replace(TEXT, after=""), "changes nothing"),
    ],
)
def test_an_edit_is_refused_for(edit, why):
    assert why in refused(edit)


def test_what_was_rolled_back_and_what_is_edited_already_is_refused():
    assert "rolled back" in refused(GOOD, dead_ends={GOOD.key})
    assert "already" in refused(GOOD, earlier={GOOD.path})


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("Be fair.", "Be fair and kind.", ""),
        ("Be fair.", "Be fair.", "changes nothing"),
        ("Be fair.", "", ""),
        ("Be fair.", "Be fair." + "x" * 300, ""),
        ("Be fair.", "Be fair." + "x" * 301, "adds more than 300"),
    ],
)
def test_a_text_may_grow_by_300_characters_and_shrink_by_any(before, after, why):
    told = recipe_of(
        {"name": "made", "models": {"llm": {"guidance": {"word_plan": before}}}}, "test"
    )
    found = refusal(
        replace(TEXT, action="rewrite", before=before, after=after),
        told,
        citable=CITABLE,
        dead_ends=(),
        earlier=(),
        least=3,
    )
    assert found.startswith(why) and bool(found) is bool(why)


@pytest.mark.parametrize(
    ("after", "why"), [(0.45, ""), (0.0, ""), (0.7, "no single step"), (0.2, "no single step")]
)
def test_a_number_moves_by_exactly_one_step_up_or_down(after, why):
    found = refused(replace(GOOD, path="draft.detail_share", before=0.2, after=after))
    assert found.startswith("is no single step" if why else "") and bool(found) is bool(why)


@pytest.mark.parametrize(("after", "good"), [(0.3, True), (0.7, True), (0.1, False), (0.9, False)])
def test_two_steps_are_no_single_one_in_either_direction(after, good):
    assert (
        refused(replace(GOOD, path="draft.reverse_share", before=0.5, after=after)) == ""
    ) is good


def test_a_value_that_the_recipe_refuses_is_refused_in_its_words():
    drawn = recipe_of(
        {
            "name": "made",
            "seeds": {"methods": {"paths": 0.5}, "levels": {"easy": 0.3}},
            "filters": {"text_search": False},
        },
        "test",
    )
    edit = replace(GOOD, path="seeds.levels.easy", before=0.3, after=0.0, cause="too_easy")
    found = refusal(edit, drawn, citable=CITABLE, dead_ends=(), earlier=(), least=3)
    assert "seeds.levels" in found and "weight" in found and len(found) <= 200, (
        "no level would be drawn"
    )


def test_a_step_that_a_bound_does_not_allow_is_no_edit():
    field = fields_of(RECIPE)["filters.text_search"]
    told = {"stage": "filters", "cause": "text_search", "tasks": IDS[:3], "why": "leaks"}
    assert step(field, 1, **told) == GOOD
    assert step(field, -1, **told) is None
