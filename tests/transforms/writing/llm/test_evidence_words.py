"""Evidence in words: what a reader and a judge are shown for each clause."""

from dataclasses import replace

import pytest

from questloom.records.form import Form, Reads
from questloom.records.knowledge import entity_value
from questloom.transforms.writing.llm.everyday_words import word_question
from questloom.transforms.writing.llm.evidence_words import clause_line, evidence_lines
from questloom.transforms.writing.writer import Draft
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
        ("P180", "Q20", "en", "Which town does Ivo Mersk depict?"),
        ("P180", "Q12", "en", ""),
    ],
)
def test_a_value_is_asked_for_in_english_by_a_phrase_and_never_as_a_thing(
    property_id, value, language, asked
):
    store = hostile_store()
    store.entities["Q20"] = store.entities["Q20"].replace(classes=("Q15",))
    assert word_question(store, "Q2", property_id, entity_value(value), language) == asked
