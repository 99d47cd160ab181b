"""What may be asked of an entity, and what may describe it."""

from random import Random

import pytest

from questloom.records.form import ClassClause
from questloom.records.knowledge import Entity, Value, entity_value
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.form_edits import SELF
from questloom.transforms.writing.graph.clues import (
    _sayable,
    answerable,
    attributes,
    by_weight,
    centuries,
    class_clause,
    clue_clauses,
    role_clauses,
)
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import crowd

NOTHING = frozenset[str]()


def asks(facts: SmallFacts, entity: str = "Q1003", words: int = 6, avoid=NOTHING) -> set[str]:
    return {
        c.property for _, c, _ in answerable(Lookups(facts), facts.entity(entity), words, avoid)
    }


def test_a_functional_attribute_is_asked_and_a_second_value_forbids_it():
    opened = [claim(f"Q1{i:03}", "P1619", year(1700 + i)) for i in range(300)]
    assert asks(SmallFacts([*crowd(300), *opened])) == {"P84", "P1619"}
    assert asks(SmallFacts([*crowd(300), *opened, claim("Q1003", "P84", "Q2004")])) == {"P1619"}


def test_a_founding_year_is_a_clue_and_never_asked():
    assert "P571" in clues(SmallFacts(crowd())) and "P571" not in asks(SmallFacts(crowd()))


def test_with_a_founding_year_a_question_computes_and_with_no_other_clue_that_is_never_asked():
    facts = SmallFacts([*crowd(), *(claim(f"Q1{i:03}", "P462", f"Q3{i:03}") for i in range(60))])
    found = attributes(Lookups(facts), facts.entity("Q1003"), 6, NOTHING)
    assert {c.property for _, c, _ in found} == {"P84", "P571"}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (year(1850), True),
        (Value(kind="time"), False),
        (Value(kind="quantity", number=7.0), True),
        (Value(kind="string", text="a"), True),
        (Value(kind="monolingual", text="a"), True),
        (Value(kind="somevalue"), False),
        (entity_value("Q2003"), True),
        (entity_value("Q404"), False),
    ],
)
def test_a_clue_states_a_year_a_number_a_text_or_what_has_a_name(value, told):
    assert _sayable(SmallFacts(crowd()), value) is told


def test_a_measure_is_asked_and_never_a_clue():
    facts = SmallFacts(
        [
            *crowd(),
            *(
                claim(f"Q1{i:03}", "P2048", Value(kind="quantity", number=7.0 + i))
                for i in range(60)
            ),
        ]
    )
    assert "P2048" in asks(facts) and "P2048" not in clues(facts)


@pytest.mark.parametrize("property", ["P1539", "P1082", "P2131", "P39", "P106", "P1343", "P99999"])
def test_what_changes_with_time_or_no_table_knows_is_not_asked(property):
    value = Value(kind="quantity", number=7.0)
    facts = SmallFacts([*crowd(), *(claim(f"Q1{i:03}", property, value) for i in range(60))])
    assert property not in asks(facts)
    assert (
        not any(
            c.property == property
            for _, c in clue_clauses(Lookups(facts), facts.entity("Q1003"), NOTHING, "", NOTHING)
        )
        or property == "P106"
    )


def test_an_answer_has_at_most_so_many_words_and_is_no_node_of_the_path():
    facts = SmallFacts(crowd(), {"Q2003": Entity(id="Q2003", labels={"en": "a b c d e f"})})
    assert "P84" in asks(facts) and "P84" not in asks(facts, words=5)
    assert "P84" not in asks(facts, avoid=frozenset({"Q2003"}))


def clues(facts: SmallFacts, avoid=NOTHING, asked: str = "", taken=NOTHING) -> set[str]:
    return {
        c.property
        for _, c in clue_clauses(Lookups(facts), facts.entity("Q1003"), avoid, asked, taken)
    }


def test_a_clue_is_neither_what_is_asked_nor_said_already_nor_a_node():
    facts = SmallFacts(crowd())
    assert clues(facts) == {"P84", "P571"}
    assert clues(facts, asked="P84") == {"P571"}
    assert clues(facts, taken=frozenset({"P571"})) == {"P84"}
    assert clues(facts, avoid=frozenset({"Q2003"})) == {"P571"}


def test_beside_a_date_that_is_asked_no_date_is_a_clue():
    facts = SmallFacts([*crowd(), claim("Q1003", "P1619", year(1900))])
    assert clues(facts, asked="P1619") == {"P84"}


def test_a_date_is_told_by_its_year_and_a_functional_clue_weighs_double():
    day = Value(kind="time", time="+1750-03-02T00:00:00Z", precision=11)
    facts = SmallFacts([*crowd(), claim("Q1003", "P1619", day), claim("Q1003", "P166", "Q7")])
    found = {
        c.property: (weight, c.object)
        for weight, c in clue_clauses(Lookups(facts), facts.entity("Q1003"), NOTHING, "", NOTHING)
    }
    assert found["P1619"][1] == year(1750)
    assert found["P84"][0] == 1.2 and found["P166"][0] == 0.8


def test_a_role_is_told_where_the_one_who_has_it_has_one_of_them():
    facts = SmallFacts(crowd())

    def roles(facts, avoid=NOTHING):
        return [
            (c.subject.entity, c.property)
            for _, c in role_clauses(Lookups(facts), facts.entity("Q2003"), avoid)
        ]

    assert roles(facts) == [("Q1003", "P84")]
    assert roles(facts, frozenset({"Q1003"})) == []
    assert roles(SmallFacts([*crowd(300), claim("Q1003", "P84", "Q2004")])) == []


def test_of_a_painting_the_century_is_asked_and_of_a_town_or_near_the_turn_it_is_not():
    said = [
        c
        for kind, first in (("Q3305213", 1), ("Q486972", 2))
        for i in range(60)
        for c in (
            claim(f"Q{first}{i:03}", "P31", kind),
            claim(f"Q{first}{i:03}", "P571", year(1440 + i)),
        )
    ]
    facts = SmallFacts(said)

    def asked(entity: str, max_words: int = 2) -> list[tuple[str, str]]:
        return [
            (c.property, a.text)
            for c, a in centuries(Lookups(facts), facts.entity(entity), max_words)
        ]

    assert asked("Q1003") == [("P571", "15th century")]
    assert asked("Q1003", max_words=1) == []
    assert asked("Q1055") == asked("Q2003") == []


@pytest.mark.parametrize(("num", "told"), [(198, True), (199, False)])
def test_a_thing_with_two_hundred_claims_into_it_is_a_hub_and_has_no_role(num, told):
    """One of the claims is its role, the others are by things of no kind."""
    facts = SmallFacts([*crowd(), *(claim(f"Q8{n:03}", "P1", "Q2003") for n in range(num))])
    assert bool(role_clauses(Lookups(facts), facts.entity("Q2003"), NOTHING)) is told


def test_heavier_clauses_tend_to_come_first_and_none_is_lost():
    one, other = (ClassClause(var=SELF, class_id=c) for c in ("Q1", "Q2"))
    orders = [by_weight([(0.1, one), (0.9, other)], Random(seed)) for seed in range(200)]
    assert all(set(order) == {one, other} for order in orders)
    assert sum(order[0] == other for order in orders) > 150
    assert by_weight([(0.0, one), (0.9, other)], Random(1)) == [other, one]


def test_a_thing_is_told_of_by_its_class_where_it_has_one():
    facts = SmallFacts([claim("Q1", "P31", "Q39715"), claim("Q2", "P84", "Q1")])
    assert class_clause(facts, facts.entity("Q1")) == ClassClause(var=SELF, class_id="Q39715")
    assert class_clause(facts, facts.entity("Q2")) is None


def test_a_thing_without_a_label_is_no_clue():
    facts = SmallFacts(crowd(), {"Q2003": Entity(id="Q2003")})
    assert clues(facts) == {"P571"}
