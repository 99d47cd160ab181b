"""A slice with hidden items: which are hidden, and that the comparison fails where nothing was hidden or too little came back."""

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.gather_complete import (
    COMPLETED,
    HIDDEN,
    WHOLE,
    Counts,
    draw_hidden,
    leads_on,
    shortfalls,
    table,
)
from benchmarks.wikimedia_world import World
from tests.benchmarks.items import thing


def world() -> World:
    things = [thing(n, "Q515") for n in range(1, 91)] + [thing(515, "Q486972")]
    return World(entities={one["id"]: one for one in things})


def whole() -> Counts:
    kept = {(2, "easy"): 30, (2, "medium"): 10, (3, "medium"): 20}
    return Counts(items=900, claims=5000, plans={1: 9, 2: 60, 3: 30}, kept=kept)


FEWER = replace(whole(), items=600, plans={2: 20, 3: 2}, kept=Counter({(2, "easy"): 7}))


def test_a_share_of_the_items_is_hidden_and_never_an_anchor_or_a_class():
    anchors = [f"Q{n}" for n in range(1, 31)]
    hidden = draw_hidden(world(), anchors, 1 / 3, seed=0)
    assert len(hidden) == 30 and not hidden & {*anchors, "Q515"}
    assert hidden == draw_hidden(world(), anchors, 1 / 3, seed=0)
    assert hidden != draw_hidden(world(), anchors, 1 / 3, seed=1)
    assert draw_hidden(world(), anchors, 0.0, seed=0) == set()


def test_an_anchor_leads_on_over_two_claims_with_one_value_each():
    def claim(to: str) -> dict:
        return {"mainsnak": {"datavalue": {"value": {"id": to}}}}

    born = {"P19": [claim("Q2")]}
    named = {"P138": [claim("Q3")], "P31": [claim("Q515")]}
    things = {"Q1": {"claims": born}, "Q2": {"claims": named}, "Q3": {"claims": {}}}
    assert leads_on(World(entities=things), "Q1") and not leads_on(World(entities=things), "Q2")
    two = things | {"Q1": {"claims": {"P19": [claim("Q2"), claim("Q3")]}}}
    assert not leads_on(World(entities=two), "Q1")
    away = {name: things[name] for name in ("Q1", "Q2")}
    assert not leads_on(World(entities=away), "Q1")


def test_all_came_back_within_the_tolerance():
    nearly = replace(whole(), kept={**whole().kept, (2, "easy"): 26})
    assert shortfalls({HIDDEN: FEWER, COMPLETED: nearly, WHOLE: whole()}, 0.1) == []
    (said,) = shortfalls({HIDDEN: FEWER, COMPLETED: nearly, WHOLE: whole()}, 0.05)
    assert said == "kept questions of 2 hops: 36 of 40 came back."


@pytest.mark.parametrize(
    "short",
    [
        {"plans": {2: 50, 3: 30}},
        {"plans": {2: 60}},
        {"kept": {(2, "easy"): 40}},
        {"kept": {**whole().kept, (2, "easy"): 20}},
    ],
)
def test_it_fails_where_plans_or_questions_of_two_or_three_hops_stay_away(short):
    completed = replace(whole(), **short)
    assert len(shortfalls({HIDDEN: FEWER, COMPLETED: completed, WHOLE: whole()}, 0.1)) == 1


@pytest.mark.parametrize("hidden", [whole(), replace(whole(), items=600)])
def test_it_fails_where_hiding_takes_no_items_or_no_plans(hidden):
    (said,) = shortfalls({HIDDEN: hidden, COMPLETED: whole(), WHOLE: whole()}, 0.1)
    assert "nothing is shown" in said


def test_the_table_has_a_column_for_each_store():
    rows = table({HIDDEN: FEWER, COMPLETED: whole(), WHOLE: whole()}).splitlines()
    assert rows[0] == "| what | hidden | completed | whole |"
    assert "| items | 600 | 900 | 900 |" in rows and "| plans of 3 hops | 2 | 30 | 30 |" in rows
    assert "| kept of 2 hops | 7 | 40 | 40 |" in rows
    assert "| kept of 2 hops, medium | 0 | 10 | 10 |" in rows
