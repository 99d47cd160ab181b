"""Which ability and level a seed of an exploration gets, and which it cannot have."""

from collections import Counter
from dataclasses import replace

import pytest

from questloom.records.knowledge import Detail, Value
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.schedule import (
    Cell,
    by_weight,
    drawn,
    in_turn,
    levels_of,
    shares_of,
)
from questloom.transforms.drafting.seeds import candidates, choose
from questloom.transforms.pictures.picture_rules import PictureRules
from tests.small_facts import SmallFacts, claim
from tests.transforms.planning.observed import COAST, picture, plaque

RULES = SeedRules(
    methods={"exploration": 1},
    rules={"pictured": 1},
    living_people=True,
    levels={"easy": 1, "medium": 1, "hard": 1, "expert": 1},
    count=80,
)
ARCHES = Detail(property="P1114", value=Value(kind="quantity", number=3), part="Q12277")


def thing(*details: Detail) -> SmallFacts:
    return SmallFacts([claim("Qx", "P31", "Q39715")], images={"Qx": (picture("Qx", *details),)})


def possible(*details: Detail) -> dict:
    facts = thing(*details)
    return levels_of(facts, facts.entity("Qx"))


def test_a_thing_on_whose_picture_nothing_is_known_to_be_seen_is_only_searched_for():
    assert set(possible()) == {"perception+search", "perception+search+reasoning"}


def test_what_is_counted_at_a_glance_is_easy_and_small_print_is_of_medium_level():
    assert possible(ARCHES)["perception"] == {"easy"} and possible(plaque("No. 7"))[
        "perception"
    ] == {"medium"}


def test_only_a_year_on_the_picture_can_be_reasoned_with_without_a_search():
    assert "perception+reasoning" not in possible(plaque("No. 7")) and possible(plaque("1850"))[
        "perception+reasoning"
    ] == {"medium"}


def test_what_two_pictures_show_differently_is_not_read():
    facts = SmallFacts(
        [claim("Qx", "P31", "Q39715")],
        images={"Qx": (picture("Qx", plaque("1850")), picture("Qy", plaque("1851")))},
    )
    assert "perception" not in levels_of(facts, facts.entity("Qx"))


def test_a_seed_gets_no_ability_without_a_weight_and_none_where_it_can_have_none():
    facts = thing(plaque("1850"))
    only = SeedRules(abilities={"perception": 1.0}, levels={"hard": 1.0, "medium": 1.0})
    assert drawn(facts, facts.entity("Qx"), only, 1, "s") == ("perception", "medium")
    assert (
        drawn(
            facts,
            facts.entity("Qx"),
            SeedRules(abilities={"perception": 1.0}, levels={"hard": 1.0}),
            1,
            "s",
        )
        is None
    )
    bare = thing()
    assert drawn(bare, bare.entity("Qx"), only, 1, "s") is None


def test_seeds_are_balanced_over_abilities():
    rules = replace(RULES, levels={"medium": 1}, count=40)
    found = [
        c
        for e in sorted(COAST.entities)
        for c in candidates(COAST.entity(e), COAST, rules, PictureRules(), 1, max_answer_words=6)
    ]
    chosen = Counter(s.ability for s in choose(found, rules))
    assert set(chosen) == set(RULES.abilities) and max(chosen.values()) - min(chosen.values()) <= 3


def test_a_seed_of_an_exploration_has_a_picture_of_its_own():
    facts = SmallFacts([claim("Qx", "P31", "Q39715")])
    assert not list(
        candidates(facts.entity("Qx"), facts, RULES, PictureRules(), 1, max_answer_words=6)
    )


def test_a_key_is_drawn_as_often_as_its_weight_says_and_never_without_one():
    found = Counter(
        by_weight({"none": 0, "one": 1, "three": 3, "zero": 0}, 1, f"place {n}", "role")
        for n in range(800)
    )
    assert set(found) == {"one", "three"} and 160 < found["one"] < 240
    assert by_weight({}, 1, "s", "role") == by_weight({"none": 0}, 1, "s", "role") == ""


WEIGHTS = SeedRules(
    abilities={"perception": 1, "perception+search": 3},
    levels={"easy": 0.1, "medium": 0.3, "hard": 0.6},
)
CELLS = [Cell(t, "perception+search", x) for t in "abc" for x in WEIGHTS.levels] + [
    Cell(t, "perception", x) for t in "abc" for x in ("easy", "medium")
]


def counts(order: list[Cell], axis: str) -> Counter[str]:
    return Counter(getattr(cell, axis) for cell in order)


def test_every_prefix_of_the_schedule_holds_the_weights_of_all_axes():
    order = in_turn(dict.fromkeys(CELLS, 1000), WEIGHTS, 400)
    assert counts(order, "level") == {"easy": 40, "medium": 120, "hard": 240}
    assert counts(order, "ability") == {"perception": 100, "perception+search": 300}
    assert set(counts(order, "topic").values()) <= {133, 134}
    assert abs(counts(order[:100], "level")["hard"] - 60) <= 1
    assert sum(shares_of(CELLS, WEIGHTS).values()) == pytest.approx(3)


def test_a_place_that_runs_out_leaves_its_share_to_the_others_of_its_axis():
    supply = {c: 2 if c.topic == "a" else 1000 for c in CELLS}
    order = in_turn(supply, WEIGHTS, 400)
    assert counts(order, "topic") == {"a": 10, "b": 195, "c": 195}
    assert abs(counts(order, "level")["hard"] - 240) <= 4


def test_weights_that_exclude_each_other_are_missed_by_all_alike():
    wants = SeedRules(
        abilities={"perception": 1, "perception+search": 1}, levels={"easy": 0.2, "hard": 0.8}
    )
    cells = [
        Cell("a", "perception", "easy"),
        *(Cell("a", "perception+search", x) for x in wants.levels),
    ]
    order = in_turn(dict.fromkeys(cells, 1000), wants, 300)
    assert 0.2 < counts(order, "level")["easy"] / 300 < 0.5
    assert 0.2 < counts(order, "ability")["perception"] / 300 < 0.5


def test_no_more_seeds_are_taken_than_there_are():
    assert in_turn({CELLS[0]: 2, CELLS[1]: 0}, WEIGHTS, 9) == [CELLS[0]] * 2
