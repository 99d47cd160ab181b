"""What only a sentence of a page states: where the sentence stands, and which things it names."""

from dataclasses import replace

import pytest

from questloom.records.form import ClassClause, SentenceClause
from questloom.records.knowledge import Article, Entity, InfoboxField, Link, Section, entity_value
from questloom.transforms.facts.page_statements import (
    leads_to_target,
    linked_things,
    names_in_sentence,
    names_on_page,
    objects_of,
    rival_status,
    sentence_of,
    telling_word,
)
from tests.small_facts import SmallFacts

LIGHT, RESTORER, PAINTER, NAMED, BOXED, UNKNOWN = "Q1", "Q2", "Q3", "Q4", "Q5000", "Q6"
NAMES = {
    LIGHT: "Orm Light",
    RESTORER: "Ada Orm",
    PAINTER: "Ben Lund",
    NAMED: "Cleo Vess",
    BOXED: "Dan Holt",
}
LEAD, HISTORY = (
    "Orm Light stands.",
    "It rose. An old engineer restored it. A painter came with Cleo Vess.",
)
START, END = HISTORY.index("An"), HISTORY.index(" A painter")


def link(title: str, section: int, start: int, end: int) -> Link:
    return Link(target=title, anchor="x", section=section, sentence_start=start, sentence_end=end)


def page(thing: str, number: int, **more) -> Article:
    fields = {"sections": (Section(title="", level=1, text=LEAD),)} | more
    return Article(
        wiki="w", title=NAMES[thing], page_id=number, revision=7, entity_id=thing, **fields
    )


PAGE = page(
    LIGHT,
    1,
    sections=(
        Section(title="", level=1, text=LEAD),
        Section(title="History", level=2, text=HISTORY),
    ),
    links=(
        link("Ada Orm", 1, START, END),
        link("Ben Lund", 1, END + 1, len(HISTORY)),
        link("Orm Light", 0, 0, 9),
        link("Nobody", 0, 0, 9),
    ),
    infobox=(InfoboxField(name="keeper", text="Dan Holt"),),
)
FACTS = SmallFacts(
    [],
    {thing: Entity(id=thing, labels={"en": name}) for thing, name in NAMES.items()},
    {LIGHT: PAGE, **{t: page(t, n) for n, t in enumerate((RESTORER, PAINTER), 2)}},
)
STATED = SentenceClause(
    subject="x0",
    object="x1",
    article_id=PAGE.id,
    revision=7,
    section=1,
    start=START,
    end=END,
    text=HISTORY[START:END],
    relation="restored",
    target=RESTORER,
    votes=2,
)


def test_a_page_links_to_other_things_of_the_store():
    assert linked_things(FACTS, LIGHT) == (RESTORER, PAINTER)
    assert linked_things(FACTS, RESTORER) == () == linked_things(FACTS, NAMED)


def test_a_sentence_stands_at_its_place_on_the_page_that_was_read_and_nowhere_else():
    assert sentence_of(FACTS, STATED, LIGHT) is PAGE
    lead = replace(STATED, section=0, start=0, end=len(LEAD), text=LEAD)
    assert sentence_of(FACTS, lead, LIGHT) is PAGE
    assert sentence_of(FACTS, STATED, RESTORER) is None
    assert sentence_of(FACTS, STATED, NAMED) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"section": 0},
        {"section": 2},
        {"section": -1},
        {"start": START + 1},
        {"end": END - 1},
        {"text": "An engineer restored her."},
        {"text": "", "start": 0, "end": 0},
        {"revision": 6},
        {"article_id": "another"},
    ],
)
def test_a_sentence_that_stands_elsewhere_or_in_another_revision_does_not_stand(changes):
    assert sentence_of(FACTS, replace(STATED, **changes), LIGHT) is None


def test_a_sentence_names_what_it_links_to_and_what_it_writes_out():
    named = {t: names_in_sentence(FACTS, STATED, LIGHT, t) for t in (RESTORER, PAINTER, NAMED)}
    assert named == {RESTORER: True, PAINTER: False, NAMED: False}  # a link without its name
    later = replace(STATED, start=END + 1, end=len(HISTORY), text=HISTORY[END + 1 :])
    named = {t: names_in_sentence(FACTS, later, LIGHT, t) for t in (RESTORER, PAINTER, NAMED)}
    assert named == {RESTORER: False, PAINTER: True, NAMED: True}  # one without a page
    lead = replace(STATED, section=0)
    assert not names_in_sentence(FACTS, lead, LIGHT, RESTORER)
    assert not names_in_sentence(FACTS, STATED, NAMED, RESTORER)
    assert not names_in_sentence(FACTS, STATED, LIGHT, UNKNOWN)


def test_a_name_of_two_letters_is_a_word_and_one_of_three_is_a_name():
    entities = {
        "Q7": Entity(id="Q7", labels={"en": "An"}),
        "Q8": Entity(id="Q8", labels={"en": "old"}),
    }
    facts = SmallFacts([], {**FACTS.entities, **entities}, {LIGHT: PAGE})
    assert [names_in_sentence(facts, STATED, LIGHT, t) for t in entities] == [False, True]
    assert [names_on_page(facts, LIGHT, t) for t in entities] == [False, True]


def test_a_page_names_by_a_link_in_a_text_and_in_its_infobox():
    named = [names_on_page(FACTS, LIGHT, t) for t in (RESTORER, PAINTER, NAMED, BOXED, UNKNOWN)]
    assert named == [True, True, True, True, False]
    assert not names_on_page(FACTS, RESTORER, NAMED) and not names_on_page(FACTS, NAMED, NAMED)


def test_the_object_is_the_one_named_on_the_read_page_and_any_link_of_another():
    assert objects_of(FACTS, STATED, LIGHT) == (RESTORER,)
    assert objects_of(FACTS, replace(STATED, target=""), LIGHT) == ()
    elsewhere = replace(STATED, article_id="another")
    assert objects_of(FACTS, elsewhere, LIGHT) == (RESTORER, PAINTER)
    assert objects_of(FACTS, STATED, RESTORER) == () == objects_of(FACTS, STATED, NAMED)


def test_a_rival_matches_in_the_sentence_is_a_gap_on_the_page_and_is_out_elsewhere():
    known = entity_value(LIGHT)
    found = {r: rival_status(FACTS, r, STATED, known) for r in (RESTORER, PAINTER, NAMED, UNKNOWN)}
    assert found == {RESTORER: "match", PAINTER: "gap", NAMED: "gap", UNKNOWN: "contradicted"}
    assert rival_status(FACTS, UNKNOWN, STATED, entity_value(RESTORER)) == "gap"


def test_a_clause_leads_from_its_subject_to_its_target():
    assert leads_to_target(STATED, entity_value(LIGHT))
    assert not leads_to_target(STATED, entity_value(RESTORER))
    assert not leads_to_target(replace(STATED, target=""), entity_value(LIGHT))
    assert not leads_to_target(ClassClause(var="x1", class_id="Q5"), entity_value(LIGHT))


@pytest.mark.parametrize(
    ("relation", "word"),
    [
        ("was Restored in 1850 by", "restored"),
        ("is the seat of", "seat"),
        ("was lit by", ""),
        ("为", "为"),
    ],
)
def test_a_telling_word_has_four_letters_or_another_script(relation, word):
    assert telling_word(relation) == word
