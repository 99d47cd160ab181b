"""Evidence in words: what a reader and a judge are shown for each clause."""

from dataclasses import replace

import pytest

from questloom.records.form import ClaimClause, Compute, Form, Reads
from questloom.records.knowledge import Article, Entity, Section, Value, entity_value
from questloom.transforms.writing.llm.everyday_words import word_claim, word_question
from questloom.transforms.writing.llm.evidence_words import (
    about,
    clause_line,
    evidence_lines,
    kinds_lines,
)
from questloom.transforms.writing.llm.material import page_words, property_label, value_words
from questloom.transforms.writing.writer import Draft
from tests.small_facts import claim, year
from tests.transforms.writing.llm.hostile_store import hostile_store, town_plan

STORE = hostile_store()
DRAFT = Draft.of(town_plan())


def test_a_reading_tells_its_place_only_where_the_form_names_one():
    read = Reads(var="a", of="x0", property="P462", part="Q12")
    assert clause_line(STORE, DRAFT, read, "en") == (
        "Read on the picture, color on the mineral: Ivo Mersk"
    )
    assert clause_line(STORE, DRAFT, replace(read, part=""), "en") == (
        "Read on the picture, color: Ivo Mersk"
    )


def test_evidence_is_a_line_a_statement_and_where_nothing_is_stated_none():
    assert evidence_lines(STORE, DRAFT, "en").splitlines() == [
        "Saint Ovid's Cathedral is a kind of: cathedral",
        "Saint Ovid's Cathedral — located in the administrative territorial entity: Merren",
        "Saint Ovid's Cathedral — architect: Ivo Mersk",
    ]
    shown = Form(clauses=DRAFT.form.clauses[:1], ask=DRAFT.form.ask)
    for draft in (replace(DRAFT, form=shown), Draft(text="", answer=DRAFT.answer)):
        assert evidence_lines(STORE, draft, "en") == "(none)"


@pytest.mark.parametrize(
    ("property_id", "value", "language", "asked"),
    [
        ("P19", "Q20", "en", "In which town was Ivo Mersk born?"),
        ("P19", "Q20", "de", ""),
        ("P999", "Q20", "en", ""),
        ("P180", "Q20", "en", "Which town does Ivo Mersk "),
        ("P180", "Q12", "en", ""),
    ],
)
def test_a_value_is_asked_for_in_english_by_a_phrase_and_never_as_a_thing(
    property_id, value, language, asked
):
    store = hostile_store()
    store.entities["Q20"] = store.entities["Q20"].replace(classes=("Q15",))
    said = word_question(store, "Q2", property_id, entity_value(value), language)
    assert said.startswith(asked) and bool(said) is bool(asked)


def test_a_claim_between_two_things_is_told_as_people_say_it_and_other_claims_are_not():
    designed, born = claim("Q1", "P84", "Q2"), claim("Q2", "P569", year(1825))
    assert word_claim(STORE, designed, "en") == "Ivo Mersk designed Saint Ovid's Cathedral"
    assert word_claim(STORE, designed, "de") == word_claim(STORE, born, "en") == ""
    assert word_claim(STORE, claim("Q1", "P999", "Q2"), "en") == ""
    assert word_claim(STORE, claim("Q2", "P106", "Q10"), "en") == "", "an occupation has no name"


def test_a_computation_tells_by_what_the_things_are_compared_and_an_unbound_end_is_open():
    older = Compute(out="a", op="earlier", args=("x0", "x1"))
    assert clause_line(STORE, DRAFT, older, "en") == (
        "Ivo Mersk is the earlier of Merren, Saint Ovid's Cathedral"
    )
    by_date = replace(older, keys=("x0", "q"))
    assert clause_line(STORE, DRAFT, by_date, "en").endswith("Cathedral (Merren, ?)")
    drawn = ClaimClause(subject="x1", property="P84", object="q")
    assert clause_line(STORE, DRAFT, drawn, "en") == "Saint Ovid's Cathedral — architect: ?"


def test_a_person_is_called_by_what_claims_say_and_the_picture_by_what_everybody_sees():
    store = hostile_store()
    store.entities["Q1"] = store.entities["Q1"].replace(
        descriptions={"en": "Gothic cathedral by X"}
    )
    assert about(store, store.entity("Q2"), "en") == "person, male"
    assert about(store, store.entity("Q2"), "de") == "human, male"
    assert about(store, store.entity("Q1"), "en") == "cathedral"
    assert kinds_lines(store, (), "Q1", "en") == "Saint Ovid's Cathedral: Gothic cathedral"
    assert kinds_lines(store, (), "Q1", "de") == kinds_lines(store, (), "", "en") == "(none)"


def test_what_has_no_label_or_answer_has_no_words():
    assert [property_label(STORE, p, "en") for p in ("P84", "P999")] == ["architect", "P999"]
    store = hostile_store()
    store.entities["Q77"] = Entity(id="Q77")
    assert [value_words(store, entity_value(e), "en") for e in ("Q2", "Q77")] == ["Ivo Mersk", ""]
    assert value_words(store, Value(kind="somevalue"), "en") == ""


def test_the_pages_words_are_shown_for_a_relation_that_names_no_event():
    store = hostile_store()
    founded = claim("Q1", "P571", year(1871))
    assert page_words(store, None) == page_words(store, claim("Q1", "P84", "Q2")) == ""
    assert page_words(hostile_store(), founded) == " (on no page)"
    section = Section(title="", level=1, text="Saint Ovid's Cathedral was founded in 1871.")
    store.articles["Q1"] = Article(
        wiki="enwiki", title="C", page_id=1, revision=1, entity_id="Q1", sections=(section,)
    )
    assert page_words(store, founded) == (
        ' (the page: "Saint Ovid\'s Cathedral was founded in 1871.")'
    )
