"""Which two dates a computation compares, and what is asked where a path has no step."""

import asyncio

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.synthesis import Seed
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.graph_writer import GraphWriter, _before
from tests import small_facts


def claim(subject, property, object):
    return ClaimClause(subject=subject, property=property, object=object)


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ((claim("x0", "P84", "x1"), claim("x1", "P1066", "x2"), claim("x2", "P569", "a")), "x1"),
        ((claim("x1", "P84", "x0"), claim("x1", "P571", "a")), "x0"),
        ((claim("x1", "P840", "x2"), claim("x1", "P50", "x0"), claim("x1", "P577", "a")), "x0"),
        ((claim(entity_value("Q1"), "P569", "a"), claim(entity_value("Q1"), "P19", "x0")), "x0"),
    ],
)
def test_a_date_is_compared_with_one_of_the_node_beside_it(claims, expected):
    assert (
        _before(Form(clauses=(Image(var="x0"), *claims), ask=Ask(var="a", type="date"))) == expected
    )


def test_a_path_without_a_step_asks_the_pictured_thing_itself():
    said, year = small_facts.claim, small_facts.year
    facts = small_facts.SmallFacts(
        [
            c
            for i in range(60)
            for c in (said(f"Q1{i:03}", "P31", "Q5"), said(f"Q1{i:03}", "P570", year(1700 + i)))
        ]
    )
    writer = GraphWriter(
        facts=Lookups(facts), english=English(facts, 1), recipe_seed=1, max_answer_words=6
    )
    seed = Seed(entity_id="Q1003", method="paths", rule="pictured", level="easy", domain="person")
    (draft,) = asyncio.run(writer.canonical_question(seed, (), (facts.entity("Q1003"),)))
    assert draft.bindings == {"x0": "Q1003", "a": year(1703).key()} and draft.hops == ()


def test_the_century_is_asked_after_all_else():
    said, year = small_facts.claim, small_facts.year
    facts = small_facts.SmallFacts(
        [
            c
            for i in range(60)
            for c in (
                said(f"Q1{i:03}", "P31", "Q3305213"),
                said(f"Q1{i:03}", "P571", year(1610 + i)),
                said(f"Q1{i:03}", "P170", f"Q2{i:03}"),
                said(f"Q2{i:03}", "P31", "Q5"),
            )
        ]
    )
    writer = GraphWriter(
        facts=Lookups(facts), english=English(facts, 1), recipe_seed=1, max_answer_words=6
    )
    seed = Seed(entity_id="Q1003", method="paths", rule="pictured", level="easy", domain="artifact")
    painter, century = asyncio.run(writer.canonical_question(seed, (), (facts.entity("Q1003"),)))
    assert painter.bindings["a"] == "Q2003"
    assert (century.answer.text, century.form.ask.precision, century.bindings["a"]) == (
        "17th century",
        "century",
        year(1613).key(),
    )
    worded = asyncio.run(writer.word(century, seed))
    assert worded.text.startswith("In which century was ")
