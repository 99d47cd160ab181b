"""Which edits are proposed for which finding, in what order, and which are no remedy; and the control that edits at random."""

import pytest

from questloom.agent.tool_settings import ALL_TOOLS
from questloom.pipeline.evolve.evolvable import fields_of, stepped, with_value
from questloom.pipeline.evolve.remedies import (
    GUIDANCE,
    GUIDED,
    HARDER,
    LENGTHS,
    REMEDIES,
    at_random,
    effect,
    proposed,
)
from questloom.pipeline.recipe import load_recipe, recipe_of
from questloom.prompts.roles import ROLES
from tests.pipeline.evolve.made import IDS, row

RECIPE = recipe_of({"name": "made", "filters": {"text_search": False}}, "test")
DEAD = '["filters.text_search",true]'


def test_every_remedy_names_a_field_of_the_recipe():
    paths = {*fields_of(RECIPE), *fields_of(load_recipe("ode"))}
    assert {GUIDED, *(path for moves in (*REMEDIES.values(), HARDER) for path, _ in moves)} <= paths


def test_every_cause_that_is_told_in_words_is_told_to_a_role_that_a_model_is_asked_in():
    assert set(GUIDANCE) == {"answer_in_question", "text_search"}
    assert GUIDED.removeprefix("models.llm.guidance.") in ROLES


@pytest.mark.parametrize("recipe", ["vsearcher", "ode", "opensearch_vl"])
@pytest.mark.parametrize(("cause", "paths"), [("answer_in_question", [GUIDED]), ("rival_fits", [])])
def test_the_writer_is_told_more_of_what_is_a_matter_of_words_by_whatever_method(
    recipe, cause, paths
):
    made = load_recipe(
        recipe,
        (
            "writer=llm",
            "certificate.margin=4",
            "filters.solvable=true",
            "filters.answer_in_question=true",
        ),
    )
    groups = [{"stage": "filters", "cause": cause, "tasks": list(IDS)}]
    assert [
        edit.path
        for edit in proposed(
            made, groups, [row(i) for i in IDS], dead_ends=(), most=20, tools=ALL_TOOLS
        )
    ] == paths


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
    assert (
        proposed(RECIPE, [group], rows, dead_ends=(), most=4, tools=ALL_TOOLS)[0].path
        == "draft.computation_share"
    )
    easier = proposed(
        RECIPE, [{**group, "cause": "too_hard"}], rows, dead_ends=(), most=4, tools=ALL_TOOLS
    )
    assert easier[0].path == "draft.computation_share" and easier[0].after < easier[0].before


def test_more_of_what_is_already_too_hard_is_no_remedy_for_what_is_too_easy():
    group = {"stage": "writer", "cause": "too_easy", "tasks": list(IDS)}
    rows = [
        row(f"t{n}", tag="too_hard" if n < 4 else "too_easy", level="hard" if n < 4 else "easy")
        for n in range(8)
    ]
    made = proposed(RECIPE, [group], rows, dead_ends=(), most=4, tools=ALL_TOOLS)
    assert "seeds.levels.hard" not in {e.path for e in made} and ("seeds.levels.easy", True) in {
        (e.path, e.after < e.before) for e in made
    }


def test_what_the_policys_tools_cannot_do_is_not_asked_for():
    group = {"stage": "paths", "cause": "one_chain", "tasks": list(IDS)}
    rows = [row(i) for i in IDS]
    assert (
        proposed(RECIPE, [group], rows, dead_ends=(), most=1, tools=ALL_TOOLS)[0].path
        == "draft.detail_share"
    )
    assert (
        proposed(RECIPE, [group], rows, dead_ends=(), most=1, tools=("text_search",))[0].path
        == "draft.computation_share"
    )
    assert (
        proposed(RECIPE, [group], rows, dead_ends=(), most=1, tools=("crop",))[0].path
        == "draft.detail_share"
    )


def test_the_length_of_questions_that_are_never_drawn_is_left_alone():
    group = {"stage": "writer", "cause": "too_hard", "tasks": list(IDS)}
    drawn = recipe_of(
        {"name": "made", "seeds": {"methods": {"paths": 1}, "levels": {"easy": 1}}}, "test"
    )
    paths = {
        e.path
        for e in proposed(
            drawn, [group], [row(i) for i in IDS], dead_ends=(), most=20, tools=ALL_TOOLS
        )
    }
    assert not {p for p in paths if p.startswith("draft.rounds")} and paths.isdisjoint(
        {"draft.hops.medium", "draft.hops.hard"}
    ), paths


def test_what_a_level_asks_is_not_taken_away_from_a_policy_that_solves_it():
    def edited(cause, **levels):
        seeds, hops = (
            {"methods": {"paths": 1}, "levels": levels},
            {"easy": 0, "medium": 1, "hard": 3},
        )
        recipe = recipe_of({"name": "made", "seeds": seeds, "draft": {"hops": hops}}, "test")
        group = {"stage": "writer", "cause": cause, "tasks": list(IDS)}
        return {
            e.path
            for e in proposed(
                recipe, [group], [row(i) for i in IDS], dead_ends=(), most=20, tools=ALL_TOOLS
            )
        }

    assert "seeds.levels.easy" in edited(
        "too_easy", easy=0.5, medium=0.5
    ) and "seeds.levels.easy" not in edited("too_easy", easy=0.2, medium=0.8)
    with_medium, alone = (
        edited("few_sources", easy=0.5, medium=0.5, hard=1),
        edited("few_sources", easy=0.5, hard=1),
    )
    assert "draft.hops.easy" in alone and "draft.hops.easy" not in with_medium, (
        "it would be as long as medium, and one claim would be asked for nowhere"
    )


def test_no_more_edits_than_allowed_and_none_that_is_a_dead_end():
    groups = [
        {"stage": "filters", "cause": cause, "tasks": list(IDS)}
        for cause in ("text_search", "unsolved", "one_chain", "too_easy")
    ]
    made = proposed(
        RECIPE, groups, [row(i) for i in IDS], dead_ends={DEAD}, most=3, tools=ALL_TOOLS
    )
    assert (
        len(made) == 3
        and len({e.path for e in made}) == 3
        and "filters.text_search" not in {e.path for e in made}
    )


def test_the_llm_writer_is_also_told_in_words():
    recipe = recipe_of({**RECIPE.resolved(), "writer": "llm"}, "test")
    group = {"stage": "filters", "cause": "answer_in_question", "tasks": list(IDS)}
    made = proposed(recipe, [group], [row(i) for i in IDS], dead_ends=(), most=2, tools=ALL_TOOLS)
    assert [(e.action, e.path) for e in made] == [("append", GUIDED)]


def group(cause: str, stage: str = "filters") -> dict:
    return {"stage": stage, "cause": cause, "tasks": list(IDS)}


def moved(recipe, cause: str, rows=None, **rules) -> dict[str, bool]:
    """Of each field that an edit for a cause would move, whether upwards; as many as there are."""
    told = {"dead_ends": (), "most": 99, "tools": ALL_TOOLS, **rules}
    found: dict[str, bool] = {}
    while made := [
        e
        for e in proposed(recipe, [group(cause)], rows or [row(i) for i in IDS], **told)
        if e.path not in found
    ]:
        found.update((e.path, e.after > e.before) for e in made)
        told["dead_ends"] = {*told["dead_ends"], *(e.key for e in made)}
    return found


def test_a_remedy_is_one_step():
    assert {direction for moves in (*REMEDIES.values(), HARDER) for _, direction in moves} == {
        1,
        -1,
    }
    assert all(
        direction == 1
        for _, direction in (
            (p, d)
            for p, d in HARDER
            if p not in ("seeds.levels.easy", "seeds.abilities.perception")
        )
    )


@pytest.mark.parametrize(
    "cause",
    ["answer_in_question", "text_search", "image_search", "text_only", "no_tools", "visible_text"],
)
def test_what_a_filter_would_have_found_switches_that_filter_on_first(cause):
    off = recipe_of({"name": "made", "filters": {cause: False}}, "test")
    (edit,) = proposed(
        off, [group(cause)], [row(i) for i in IDS], dead_ends=(), most=4, tools=ALL_TOOLS
    )
    assert (edit.path, edit.before, edit.after) == (f"filters.{cause}", False, True)
    assert (
        edit.tasks == IDS
        and edit.why == f"{cause} in 8 tasks"
        and (edit.stage, edit.cause) == ("filters", cause)
    )


@pytest.mark.parametrize(
    ("cause", "later"),
    [
        ("text_search", {"filters.text_search_k": True}),
        ("image_search", {"filters.image_search_k": True}),
        ("text_only", {"filters.popular_sitelinks": False, "filters.samples": True}),
        ("no_tools", {"filters.popular_sitelinks": False, "filters.samples": True}),
    ],
)
def test_where_the_filter_is_on_it_is_made_stricter(cause, later):
    on = recipe_of({"name": "made", "filters": {cause: True}}, "test")
    assert moved(on, cause) == later, (
        "more pages are read, more tries asked; and less popular things count as popular"
    )


@pytest.mark.parametrize(
    ("cause", "paths"),
    [
        ("not_grounded", ["grounding.mode"]),
        ("rival_fits", ["certificate.margin", "filters.solvable"]),
        ("ambiguous_answer", ["certificate.margin"]),
        (
            "unsolved",
            ["filters.solvable", "filters.oracle", "grounding.mode", "certificate.margin"],
        ),
    ],
)
def test_a_question_that_is_broken_makes_the_certificate_or_what_proves_it_stricter(cause, paths):
    lax = recipe_of(
        {
            "name": "made",
            "filters": {"solvable": False, "oracle": False},
            "grounding": {"mode": "none"},
            "certificate": {"margin": 1},
        },
        "test",
    )
    found = moved(lax, cause)
    assert [path for path in found if path in paths] == paths and set(found) - set(paths) <= {
        "grounding.margin"
    }
    assert set(found.values()) <= {True}


def test_one_chain_asks_for_more_kinds_of_work_and_few_sources_for_longer_ways():
    assert list(moved(RECIPE, "one_chain")) == [
        "draft.detail_share",
        "draft.computation_share",
        "enhancement.share",
    ]
    assert set(moved(RECIPE, "few_sources")) <= {
        "seeds.levels.hard",
        "draft.hops.easy",
        "draft.rounds.easy",
    }


def test_one_domain_draws_more_of_the_others():
    found = moved(RECIPE, "one_domain")
    assert (
        {path.rpartition(".")[0] for path in found} == {"seeds.domains"}
        and len(found) == 5
        and set(found.values()) == {True}
    )


@pytest.mark.parametrize("cause", [*REMEDIES, "one_domain", "too_easy", "too_hard"])
def test_every_proposal_moves_its_field_by_one_step(cause):
    fields = fields_of(RECIPE)
    made = proposed(
        RECIPE, [group(cause)], [row(i) for i in IDS], dead_ends=(), most=99, tools=ALL_TOOLS
    )
    assert all(e.after in (stepped(fields[e.path], 1), stepped(fields[e.path], -1)) for e in made)


def test_for_a_cause_that_nothing_mends_nothing_is_proposed():
    assert moved(RECIPE, "made up") == {}


def test_tasks_too_easy_get_three_edits_at_once_and_any_other_fault_one():
    def edits(cause, most=9):
        return proposed(
            RECIPE, [group(cause)], [row(i) for i in IDS], dead_ends=(), most=most, tools=ALL_TOOLS
        )

    assert [len(edits(cause)) for cause in ("too_easy", "too_hard", "one_chain", "one_domain")] == [
        3,
        3,
        1,
        1,
    ]
    assert len(edits("too_easy", most=2)) == 2 and len(edits("too_easy", most=1)) == 1


def test_one_field_is_edited_once_for_all_faults():
    made = proposed(
        RECIPE,
        [group("one_chain"), group("one_chain"), group("too_easy")],
        [row(i) for i in IDS],
        dead_ends=(),
        most=9,
        tools=ALL_TOOLS,
    )
    assert len({e.path for e in made}) == len(made) == 5 and made[0].path == "draft.detail_share"


def test_harder_is_more_hard_levels_and_longer_ways_and_easier_the_opposite():
    harder, easier = moved(RECIPE, "too_easy"), moved(RECIPE, "too_hard")
    assert harder["seeds.levels.hard"] is True and harder["seeds.levels.easy"] is False
    assert easier["seeds.levels.hard"] is False and easier["seeds.levels.easy"] is True
    assert all(harder[path] is not easier[path] for path in set(harder) & set(easier))


@pytest.mark.parametrize(
    ("path", "has"),
    [
        ("seeds.levels.hard", {"level": "hard"}),
        ("seeds.abilities.perception", {"profile": "perception"}),
        ("draft.detail_share", {"needs_detail": True}),
        ("draft.computation_share", {"needs_computation": True}),
        ("enhancement.share", {"enhanced": True}),
    ],
)
def test_what_a_field_makes_more_of_is_measured_on_the_tasks_that_have_it(path, has):
    def rates(*with_it, without=(1.0, 1.0, 0.5, 0.5)):
        return effect(
            path,
            [
                *(row("a", rate=rate, **has) for rate in with_it),
                *(row("b", rate=rate) for rate in without),
                row("c", rate=None, **has),
            ],
        )

    assert rates(0.0, 0.25, 0.5) == -0.5, "0.25 against 0.75"
    assert rates(1.0, 1.0, 1.0, 1.0) == 0.25
    assert rates(0.0, 0.0) == 0.0, "two tasks tell nothing"
    assert rates(0.0, 0.0, 0.0, without=(1.0, 1.0)) == 0.0


def test_the_length_of_a_level_is_not_measured():
    assert (
        effect(
            "draft.hops.easy",
            [row(f"t{n}", rate=float(n > 3), level="easy" if n > 3 else "hard") for n in range(8)],
        )
        == 0.0
    )


@pytest.mark.parametrize(
    ("tags", "cause", "moved_up"),
    [
        (["too_hard"] * 3 + ["good_match"] * 2, "too_easy", False),
        (["too_hard"] * 2 + ["good_match"] * 2, "too_easy", True),
        (["too_hard"] * 2 + ["good_match"], "too_easy", False),
        (["too_hard"] * 2, "too_easy", True),
        (["too_easy"] * 5, "too_easy", True),
    ],
)
def test_more_of_what_fails_the_other_way_in_most_of_three_tasks_or_more_is_no_remedy(
    tags, cause, moved_up
):
    rows = [row(f"t{n}", tag, level="hard", rate=0.5) for n, tag in enumerate(tags)] + [
        row(f"e{n}", "too_easy", rate=0.5) for n in range(4)
    ]
    assert ("seeds.levels.hard" in moved(RECIPE, cause, rows)) is moved_up


def test_easy_levels_are_no_remedy_for_what_is_too_hard_where_most_of_them_are_too_easy_already():
    rows = [
        row(f"t{n}", "too_easy" if n < 3 else "good_match", level="easy", rate=0.5)
        for n in range(5)
    ]
    assert "seeds.levels.easy" not in moved(RECIPE, "too_hard", rows)
    assert "seeds.levels.easy" in moved(
        RECIPE, "too_hard", [row(f"t{n}", "too_hard", level="easy", rate=0.5) for n in range(5)]
    )
    assert "draft.hops.easy" in moved(
        recipe_of({"name": "made", "draft": {"hops": {"easy": 5, "medium": 6, "hard": 6}}}, "test"),
        "too_hard",
        rows,
    ), "a length overshoots nothing that was measured"


def test_a_level_is_not_made_as_long_as_another_that_is_drawn():
    def lengths(**drawn):
        recipe = recipe_of(
            {
                "name": "made",
                "seeds": {"methods": {"paths": 1}, "levels": drawn},
                "draft": {"hops": {"easy": 1, "medium": 2, "hard": 4}},
            },
            "test",
        )
        return {
            path: up
            for path, up in moved(recipe, "too_easy").items()
            if path.startswith("draft.hops")
        }

    assert lengths(easy=1, medium=1, hard=1) == {
        "draft.hops.medium": True,
        "draft.hops.hard": True,
    }, "easy would be as long as medium"
    assert lengths(easy=1, medium=0, hard=1) == {"draft.hops.easy": True, "draft.hops.hard": True}


def test_the_model_that_writes_is_told_in_words_once_and_only_by_a_recipe_that_asks_it():
    words = GUIDANCE["answer_in_question"]
    graph, llm = (
        recipe_of(
            {"name": "made", "writer": writer, "seeds": {"methods": {"injection": 1}}}, "test"
        )
        for writer in ("graph", "llm")
    )

    def told(recipe, cause="answer_in_question"):
        found: dict[str, str] = {}
        ends: set[str] = set()
        while made := [
            e
            for e in proposed(
                recipe,
                [group(cause)],
                [row(i) for i in IDS],
                dead_ends=ends,
                most=99,
                tools=ALL_TOOLS,
            )
            if e.key not in ends
        ]:
            found.update((e.path, e.after) for e in made if e.action == "append")
            ends |= {e.key for e in made}
        return found

    assert told(graph) == {} and told(llm) == {GUIDED: words} and told(llm, "one_domain") == {}
    assert told(with_value(llm, GUIDED, "Be kind.")) == {GUIDED: f"Be kind.\n{words}"}
    assert told(with_value(llm, GUIDED, f"{words} Be kind.")) == {}, "it was told already"


@pytest.mark.parametrize("most", [1, 3])
def test_the_control_edits_as_many_fields_as_the_loop_may_each_by_one_step_and_otherwise_in_each_round(
    most,
):
    made = at_random(RECIPE, seed=5, number=1, most=most)
    fields = fields_of(RECIPE)
    assert len(made) == len({e.path for e in made}) == most
    assert all(
        e.after in (stepped(fields[e.path], 1), stepped(fields[e.path], -1))
        and e.stage == fields[e.path].rules.stage
        for e in made
    )
    assert made == at_random(RECIPE, seed=5, number=1, most=most)
    assert {e.path for e in at_random(RECIPE, seed=5, number=2, most=9)} != {
        e.path for e in at_random(RECIPE, seed=5, number=1, most=9)
    }


def test_the_control_moves_both_ways_and_what_stands_at_its_bound_the_other_way():
    made = [
        e
        for number in range(20)
        for e in at_random(RECIPE, seed=1, number=number, most=8)
        if not isinstance(e.after, str | bool)
    ]
    assert {e.after > e.before for e in made} == {True, False}
    everything = at_random(RECIPE, seed=1, number=1, most=999)
    movable = {
        path
        for path, field in fields_of(RECIPE).items()
        if stepped(field, 1) is not None or stepped(field, -1) is not None
    }
    assert len(everything) > 0.9 * len(movable), (
        "hardly a field stands where neither way is open; what the recipe refuses together is left out"
    )


def test_the_control_makes_no_recipe_that_is_refused():
    lean = recipe_of(
        {
            "name": "made",
            "seeds": {
                "methods": {"paths": 0.5, "injection": 0},
                "rules": {"rare": 0.5, "anchor": 0},
                "levels": {"easy": 0.3},
            },
        },
        "test",
    )
    for number in range(12):
        recipe = lean
        for edit in at_random(lean, seed=3, number=number, most=999):
            recipe = with_value(recipe, edit.path, edit.after)


def test_the_lengths_are_fields_of_every_method():
    every = fields_of(
        recipe_of(
            {"name": "made", "seeds": {"methods": {"paths": 1, "injection": 1, "exploration": 1}}},
            "test",
        )
    )
    assert all(f"{kind}.easy" in every for kind in LENGTHS)
