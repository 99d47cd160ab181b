"""Quotas: nothing lies on too many questions, and as few as possible go for it."""

import random
from dataclasses import replace

import pytest
from pydantic import TypeAdapter, ValidationError

from questloom.language.names_in_text import folded
from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.synthesis import Answer, Question
from questloom.records.table import Json
from questloom.transforms.filters.quota_shares import (
    Parts,
    QuotaRules,
    over_level,
    over_quota,
    parts_of,
)


def parts(number: int, nodes: tuple[str, ...], relations: tuple[str, ...] = ()) -> Parts:
    return Parts(f"q{number:03}", f"{number:03}", nodes, relations)


def kept(found: list[Parts], rules: QuotaRules) -> list[Parts]:
    gone = dict(over_quota(found, rules))
    return [p for p in found if p.id not in gone]


@pytest.mark.parametrize("num_hub", [10, 60, 150])
def test_no_node_is_on_more_than_its_share_of_the_kept_questions(num_hub):
    found = [parts(i, ("Qhub" if i < num_hub else f"Qown{i}", f"Qpic{i}")) for i in range(200)]
    stay = kept(found, QuotaRules(node=0.05, relation=1.0, least=1))
    share = sum("Qhub" in p.nodes for p in stay) / len(stay)
    assert share <= 0.05
    assert sum("Qhub" not in p.nodes for p in stay) == 200 - num_hub, (
        "none that is not on the hub has to go"
    )


def test_a_relation_of_every_question_is_cut_to_its_least_number():
    found = [parts(i, (f"Q{i}",), ("P170",)) for i in range(50)]
    assert len(kept(found, QuotaRules(relation=0.4, least=7))) == 7


def test_the_questions_with_rare_things_are_kept_before_those_with_common_ones():
    found = [parts(i, ("Qa", "Qhub")) for i in range(8)] + [parts(8, ("Qa", "Qrare"))]
    stay = kept(found, QuotaRules(least=3, node=0.01))
    assert len(stay) == 3 and found[8] not in stay[:0] and any(p.id == "q000" for p in stay)
    lone = [parts(9, ("Qlone",))]
    assert lone[0] in kept([*found, *lone], QuotaRules(least=3, node=0.01))


def test_of_each_level_as_many_stay_as_are_wanted_and_those_of_rare_things_first():
    hubs = [replace(parts(n, ("Qhub",)), level="easy") for n in range(4)]
    found = [
        *hubs,
        replace(parts(9, ("Qrare",)), level="easy"),
        replace(parts(7, ()), level="hard"),
    ]
    gone = dict(over_level(found, {"easy": 2, "hard": 1}))
    assert gone == {f"q00{n}": "level easy" for n in (1, 2, 3)}
    assert dict(over_level(found, {"easy": 9, "hard": 0})) == {"q007": "level hard"}
    assert not dict(over_level(found, {"easy": 9})), "a level that is not named has no limit"


def test_what_is_within_its_share_stays_and_the_reason_names_what_is_not():
    found = [parts(i, ("Qhub",)) for i in range(4)]
    assert dict(over_quota(found, QuotaRules(least=3, node=0.01))) == {"q003": "Qhub"}
    assert not dict(over_quota(found, QuotaRules(least=4, node=0.01)))


def test_the_order_in_which_questions_come_changes_nothing():
    found = [parts(i, (f"Q{i % 7}", f"Q{i % 13}"), (f"P{i % 3}",)) for i in range(80)]
    rules = QuotaRules(node=0.1, relation=0.3, least=2)
    shuffled = random.Random(4).sample(found, len(found))
    assert sorted(over_quota(found, rules)) == sorted(over_quota(shuffled, rules))


def test_one_way_over_other_things_again_and_again_is_cut_to_its_share():
    same = [
        Parts(f"q{i:03}", f"{i:03}", (f"Q{i}", f"Q1{i:03}"), ("P20", "P84"), "P20 P84")
        for i in range(30)
    ]
    other = [
        Parts(f"q{i:03}", f"{i:03}", (f"Q{i}",), ("P19", "P84"), "P19 P84") for i in range(30, 33)
    ]
    rules = QuotaRules(relation=1.0, shape=0.1, least=4)
    assert dict(over_quota([*same, *other], rules)) == {p.id: "P20 P84" for p in same[4:]}
    assert not dict(over_quota([*same, *other], QuotaRules(relation=1.0, least=4))), (
        "by default a way may recur"
    )


def test_the_same_words_are_asked_as_often_as_the_recipe_allows():
    found = [
        Parts(f"q{i}", f"{i}", (f"Q{i}",), (), words="where was its author born") for i in range(5)
    ] + [Parts("q9", "9", ("Q9",), (), words="who drew it")]
    free = dict(node=1, relation=1, shape=1, least=1)
    assert not dict(over_quota(found, QuotaRules(**free)))
    gone = dict(over_quota(found, QuotaRules(**free, words=2)))
    assert len(gone) == 3 and "q9" not in gone
    assert set(gone.values()) == {"where was its author born"}


def test_quotas_are_as_the_documents_say():
    rules = QuotaRules()
    assert (rules.node, rules.relation, rules.shape, rules.least) == (0.05, 0.4, 1.0, 10)


@pytest.mark.parametrize("rule", ["node", "relation", "shape"])
def test_a_share_is_more_than_nothing_and_at_most_all(rule):
    rules = TypeAdapter(QuotaRules)
    assert getattr(rules.validate_python({rule: 1}), rule) == 1
    for share in (0, 1.01):
        with pytest.raises(ValidationError, match=rule):
            rules.validate_python({rule: share})


def test_the_limit_is_a_share_of_what_stays_rounded_down():
    found = [parts(i, ("Qhub",)) for i in range(20)] + [
        parts(100 + i, (f"Q{i}",)) for i in range(20)
    ]
    stay = kept(found, QuotaRules(node=0.25, least=1))
    assert (
        sum("Qhub" in p.nodes for p in stay) == 6 and len(stay) == 26
    )  # of 26 a quarter is 6, of 27 too, but 7 of 27 is more


def test_a_relation_is_told_where_it_is_what_is_too_much_and_questions_without_parts_stay():
    found = [parts(i, (), ("P1",)) for i in range(3)] + [parts(9, ())]
    assert dict(over_quota(found, QuotaRules(relation=0.1, least=2))) == {"q002": "P1"}


def test_a_questions_parts_are_its_things_and_relations_each_once():
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject="x1", property="P84", object="a"),
        ),
        ask=Ask(var="a", type="date"),
    )
    asked = Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text="?",
        writer="graph",
        form=Json(form.to_json()),
        answer=Answer(value=entity_value("Q3"), text="x", type="entity"),
        bindings={"x0": "Q2", "x1": "Q1", "y": "Q2", "a": "time:+1832/9"},
    )
    assert parts_of(asked, "r") == Parts(
        asked.id, "r", ("Q1", "Q2"), ("P84",), "P84 P84", "easy", folded(asked.text)
    )
    assert parts_of(asked.replace(form=Json(None)), "r").relations == ()


def test_a_question_without_things_goes_before_one_whose_thing_is_its_own():
    found = [parts(0, ("Qown",), ("P1",)), parts(1, (), ("P1",))]
    assert dict(over_quota(found, QuotaRules(relation=0.01, least=1))) == {"q000": "P1"}
