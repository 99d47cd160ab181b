"""Which edits are proposed for which finding, in what order, and which are no remedy; and the control that edits at random."""
import pytest

from agent.tools.tool_settings import ALL_TOOLS
from pipeline.evolve.evolvable import fields_of, stepped, with_value
from pipeline.evolve.remedies import GUIDANCE, HARDER, LENGTHS, REMEDIES, at_random, effect, proposed
from pipeline.recipe import load_recipe, recipe_of
from tests.pipeline.evolve.made import IDS, row

RECIPE = recipe_of({"name": "made", "filters": {"text_search": False}}, "test")
DEAD = '["filters.text_search",true]'


def test_every_remedy_names_a_field_of_the_recipe():
    paths = {*fields_of(RECIPE), *fields_of(load_recipe("ode"))}
    told = {f"models.llm.guidance.{role}" for roles, _ in GUIDANCE.values() for role in roles}
    assert {path for moves in (*REMEDIES.values(), HARDER) for path, _ in moves} | told <= paths


@pytest.mark.parametrize(("recipe", "cause", "paths"), [
    ("vsearcher", "answer_in_question", ["models.llm.guidance.inject"]),
    ("ode", "answer_in_question", ["models.llm.guidance.curate"]),
    ("ode", "rival_fits", []),  # explorations describe nothing by a model
])
def test_a_role_is_told_more_only_where_the_recipes_methods_ask_it(recipe, cause, paths):
    made = load_recipe(recipe, ("writer=llm", "certificate.margin=4", "filters.solvable=true", "filters.answer_in_question=true"))
    groups = [{"stage": "filters", "cause": cause, "tasks": list(IDS)}]
    assert [edit.path for edit in proposed(made, groups, [row(i) for i in IDS], dead_ends=(), most=20, tools=ALL_TOOLS)] == paths


def test_every_field_of_the_demos_recipe_can_take_each_of_its_steps():
    recipe = load_recipe("demo")
    for path, field in fields_of(recipe).items():
        for direction in (-1, 1):
            after = stepped(field, direction)
            if after is not None:
                assert fields_of(with_value(recipe, path, after))[path].value == after


def test_difficulty_goes_first_by_what_was_measured_to_make_tasks_hard():
    rows = [row(f"t{n}", rate=0.0 if n < 4 else 1.0, needs_computation=n < 4) for n in range(8)]
    assert effect("draft.computation_share", rows) == -1.0
    group = {"stage": "writer", "cause": "too_easy", "tasks": list(IDS)}
    assert proposed(RECIPE, [group], rows, dead_ends=(), most=4, tools=ALL_TOOLS)[0].path == "draft.computation_share"
    easier = proposed(RECIPE, [{**group, "cause": "too_hard"}], rows, dead_ends=(), most=4, tools=ALL_TOOLS)
    assert easier[0].path == "draft.computation_share" and easier[0].after < easier[0].before


def test_more_of_what_is_already_too_hard_is_no_remedy_for_what_is_too_easy():
    group = {"stage": "writer", "cause": "too_easy", "tasks": list(IDS)}
    rows = [row(f"t{n}", tag="too_hard" if n < 4 else "too_easy", level="hard" if n < 4 else "easy") for n in range(8)]
    made = proposed(RECIPE, [group], rows, dead_ends=(), most=4, tools=ALL_TOOLS)
    assert "seeds.levels.hard" not in {e.path for e in made} and ("seeds.levels.easy", True) in {(e.path, e.after < e.before) for e in made}


def test_what_the_policys_tools_cannot_do_is_not_asked_for():
    group = {"stage": "paths", "cause": "one_chain", "tasks": list(IDS)}
    rows = [row(i) for i in IDS]
    assert proposed(RECIPE, [group], rows, dead_ends=(), most=1, tools=ALL_TOOLS)[0].path == "draft.detail_share"
    assert proposed(RECIPE, [group], rows, dead_ends=(), most=1, tools=("text_search",))[0].path == "draft.computation_share"


def test_the_length_of_questions_that_are_never_drawn_is_left_alone():
    group = {"stage": "writer", "cause": "too_hard", "tasks": list(IDS)}
    drawn = recipe_of({"name": "made", "seeds": {"methods": {"paths": 1}, "levels": {"easy": 1}}}, "test")
    paths = {e.path for e in proposed(drawn, [group], [row(i) for i in IDS], dead_ends=(), most=20, tools=ALL_TOOLS)}
    assert not {p for p in paths if p.startswith("draft.rounds")} and paths.isdisjoint({"draft.hops.medium", "draft.hops.hard"}), paths


def test_what_a_level_asks_is_not_taken_away_from_a_policy_that_solves_it():
    def edited(cause, **levels):
        seeds, hops = {"methods": {"paths": 1}, "levels": levels}, {"easy": 0, "medium": 1, "hard": 3}
        recipe = recipe_of({"name": "made", "seeds": seeds, "draft": {"hops": hops}}, "test")
        group = {"stage": "writer", "cause": cause, "tasks": list(IDS)}
        return {e.path for e in proposed(recipe, [group], [row(i) for i in IDS], dead_ends=(), most=20, tools=ALL_TOOLS)}

    assert "seeds.levels.easy" in edited("too_easy", easy=0.5, medium=0.5) and "seeds.levels.easy" not in edited("too_easy", easy=0.2, medium=0.8)
    with_medium, alone = edited("few_sources", easy=0.5, medium=0.5, hard=1), edited("few_sources", easy=0.5, hard=1)
    assert "draft.hops.easy" in alone and "draft.hops.easy" not in with_medium, "it would be as long as medium, and one claim would be asked for nowhere"


def test_no_more_edits_than_allowed_and_none_that_is_a_dead_end():
    groups = [{"stage": "filters", "cause": cause, "tasks": list(IDS)} for cause in ("text_search", "unsolved", "one_chain", "too_easy")]
    made = proposed(RECIPE, groups, [row(i) for i in IDS], dead_ends={DEAD}, most=3, tools=ALL_TOOLS)
    assert len(made) == 3 and len({e.path for e in made}) == 3 and "filters.text_search" not in {e.path for e in made}


def test_the_llm_writer_is_also_told_in_words():
    recipe = recipe_of({**RECIPE.resolved(), "writer": "llm"}, "test")
    group = {"stage": "filters", "cause": "answer_in_question", "tasks": list(IDS)}
    made = proposed(recipe, [group], [row(i) for i in IDS], dead_ends=(), most=2, tools=ALL_TOOLS)
    assert [(e.action, e.path) for e in made] == [("append", "models.llm.guidance.inject")]
