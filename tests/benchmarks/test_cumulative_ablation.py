"""Controls off one by one: each arm lacks one more, by the planner's own parts, and its table says what came of it."""

from dataclasses import replace

import pytest

from benchmarks.cumulative_ablation import (
    CO_STATED,
    CONTROLS,
    DERIVED,
    HEAD,
    LEVELS,
    MEETS,
    OFF,
    PLANNING,
    REWRITING,
    Result,
    has_meet,
    lines,
    name_of,
    orders_of,
    plans_of,
    recipe_of_arm,
    run_arm,
)
from questloom.pipeline.ingest.store_vectors import embed_store
from questloom.pipeline.recipe import load_recipe
from questloom.records.form import FUZZY_KINDS, ClaimClause, Compute, Form, Fuzzy
from questloom.records.plan import PLAIN, PlannedSeed
from questloom.records.synthesis import Seed
from questloom.transforms.planning import planner
from tests.pipeline.small_world import LEAN, small_recipe, small_store
from tests.transforms.planning.coast import ground, lighthouse

DEEP = {"easy": 2, "medium": 3, "hard": 4}
AT = ground(hops=DEEP, fuzz=FUZZY_KINDS)
HARD = Seed(entity_id=lighthouse(3), method="paths", rule="rare", level="hard", domain="other")
EASY = HARD.replace(level="easy")


def off_before(control: str) -> tuple[str, ...]:
    return CONTROLS[: CONTROLS.index(control)]


def off_with(control: str) -> tuple[str, ...]:
    return CONTROLS[: CONTROLS.index(control) + 1]


def works(plans) -> set[type]:
    return {type(c) for p in plans for c in p.logical_form.clauses} & {Compute, Fuzzy}


@pytest.mark.parametrize("control", CONTROLS)
def test_a_control_changes_only_its_own_settings(control):
    before, after = (
        recipe_of_arm("demo", 9, off).resolved() for off in (off_before(control), off_with(control))
    )
    changed = {
        f"{part}.{key}"
        for part in before
        if isinstance(before[part], dict)
        for key in before[part]
        if before[part][key] != after[part][key]
    }
    asked = {setting.partition("=")[0] for setting in OFF.get(control, ())}
    assert changed == asked


def test_the_whole_arm_is_the_recipe_with_vague_clues_and_comparisons():
    demo, whole = load_recipe("demo"), recipe_of_arm("demo", 9, ())
    assert not demo.draft.fuzz and whole.draft.fuzz
    assert replace(whole.draft, fuzz=()) == replace(demo.draft, fuzz=())
    assert whole.filters == demo.filters and "exploration" in whole.seeds.methods


def test_the_whole_arm_plans_as_the_planner_does():
    for seed in (EASY, HARD, HARD.replace(method="injection", level="easy")):
        assert plans_of(AT, seed, ()) == planner.plans_of(AT, seed).plans


def test_a_meet_is_a_cycle_of_claims_and_an_arm_without_meets_has_none():
    def form_of(*ends: tuple[str, str]) -> Form:
        claims = tuple(ClaimClause(subject=a, property="P50", object=b) for a, b in ends)
        return Form(clauses=claims, ask=AT_ASK)

    assert not has_meet(form_of(("x0", "x1"), ("x1", "x2"), ("x3", "x4")))
    assert has_meet(form_of(("x0", "x1"), ("x0", "x2"), ("x3", "x1"), ("x3", "x2")))
    whole, without = (plans_of(AT, HARD, off) for off in ((), off_with(MEETS)))
    assert any(has_meet(p.logical_form) for p in whole)
    assert without and not any(has_meet(p.logical_form) for p in without)


AT_ASK = plans_of(AT, EASY, ())[0].logical_form.ask


def test_an_arm_without_derived_clauses_computes_nothing_and_says_nothing_vaguely():
    exact = replace(AT, draft=replace(AT.draft, fuzz=()))
    assert works(plans_of(AT, EASY, off_before(DERIVED))) == {Compute, Fuzzy}
    plans = plans_of(exact, EASY, off_with(DERIVED))
    assert plans and not works(plans)


def test_without_co_statedness_the_same_plans_come_in_an_order_that_no_price_decides():
    before, after = (
        plans_of(AT, HARD, off) for off in (off_before(CO_STATED), off_with(CO_STATED))
    )
    calls = [[p.route.calls for p in plans] for plans in (before, after)]
    assert calls[0] == sorted(calls[0], reverse=True) != calls[1]
    assert sorted(calls[0]) == sorted(calls[1])
    plain = PlannedSeed(seed=HARD, plans=tuple(p for p in after if p.work == PLAIN))
    recipe = load_recipe("demo", ("filters.quotas.relation=1", "filters.quotas.node=1"))
    first, last = (
        [plain.plans[i].route.calls for i in orders_of([plain], recipe, off)[HARD.id]]
        for off in (off_before(CO_STATED), off_with(CO_STATED))
    )
    assert first == sorted(first, reverse=True) != last, "nor in the choice over all seeds"


def test_without_planning_the_first_certified_form_is_the_only_plan():
    (only,) = plans_of(AT, HARD, off_with(PLANNING))
    planned = PlannedSeed(seed=HARD, plans=(only,))
    assert orders_of([planned], load_recipe("demo"), off_with(PLANNING)) == {HARD.id: (0,)}
    assert len(plans_of(AT, HARD, off_before(PLANNING))) > 1


@pytest.mark.parametrize("method", ["paths", "injection", "exploration"])
def test_without_rewriting_a_question_asks_for_a_claim_of_the_thing_in_its_picture(method):
    at = replace(AT, draft=replace(AT.draft, own_page=True))
    (plan,) = plans_of(at, HARD.replace(method=method), off_with(REWRITING))
    (claim,) = plan.logical_form.of(ClaimClause)
    assert claim.subject == plan.logical_form.anchor and plan.anchor == HARD.entity_id


def test_the_table_has_a_line_for_each_level_and_the_names_say_what_is_off():
    told = list(lines("1 whole", Result([EASY, HARD], frozenset((HARD.id,)))))
    cells = [line.strip("| ").split(" | ") for line in told]
    assert [c[1] for c in cells] == [*LEVELS, "all"]
    assert [c[2:5] for c in cells] == [
        ["1", "0", "0"],
        ["0", "0", "0"],
        ["1", "1", "0"],
        ["2", "1", "0"],
    ]
    assert {len(c) for c in cells} == {HEAD.splitlines()[0].count("|") - 1}
    assert [name_of(n) for n in (1, 2, 7)] == ["1 whole", "2 without meets", "7 without rewriting"]


@pytest.mark.slow
def test_what_asks_for_a_claim_of_the_pictured_thing_is_solved_more_often(tmp_path):
    store = small_store(tmp_path, articles=400)
    seeds = {"count": 16, "rare_min_statements": 4, "anchor_min_in_degree": 1}
    draft = {"hops": {"easy": 1, "medium": 2, "hard": 3}, "own_page": True}
    recipe = small_recipe(filters=LEAN, seeds=seeds, draft=draft)
    embed_store(store, recipe.models.clip)
    deep, shown = (
        run_arm(recipe, store, tmp_path / str(len(off)), off) for off in ((), off_with(REWRITING))
    )
    assert [s.id for s in deep.seeds] == [s.id for s in shown.seeds] and len(deep.seeds) == 16
    assert not any(p.question.id not in shown.on_page for p in shown.played if p.right)
    num = [sum(p.right for p in r.played) / len(r.played) for r in (deep, shown)]
    assert num[0] < num[1]
