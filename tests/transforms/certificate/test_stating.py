"""What says a claim: the relation and the other end in one sentence, on either end's page, else in the infobox; a sentence that only names both does not."""

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import (
    Article,
    Entity,
    InfoboxField,
    PropertyInfo,
    Section,
    Value,
    entity_value,
)
from questloom.transforms.certificate.evidence import evidence
from questloom.transforms.certificate.stating import statement_of
from tests.small_facts import SmallFacts, claim, year

TOWER, LUND = "Q1", "Q2"
DESIGNED = claim(TOWER, "P84", LUND)


def page(entity_id: str, title: str, text: str = "", **infobox: str) -> Article:
    return Article(
        wiki="enwiki",
        entity_id=entity_id,
        page_id=int(entity_id[1:]),
        revision=7,
        title=title,
        sections=(Section(title="", level=1, text=text),),
        infobox=tuple(InfoboxField(name=k, text=v) for k, v in infobox.items()),
    )


def facts(*pages: Article, claims=(DESIGNED,)) -> SmallFacts:
    entities = {
        TOWER: Entity(id=TOWER, labels={"en": "Vess Tower"}),
        LUND: Entity(id=LUND, labels={"en": "Ada Lund"}),
    }
    return SmallFacts(
        list(claims),
        entities,
        {p.entity_id: p for p in pages},
        properties={
            "P84": PropertyInfo(id="P84", labels={"en": "architect"}, datatype="wikibase-item")
        },
    )


@pytest.mark.parametrize(
    ("pages", "kind", "text"),
    [
        (
            (page(TOWER, "Vess Tower", "It stands in Velm. It was designed by Ada Lund in 1850."),),
            "sentence",
            "It was designed by Ada Lund in 1850.",
        ),
        (
            (page(LUND, "Ada Lund", "Ada Lund was born in Velm. She designed Vess Tower."),),
            "sentence",
            "She designed Vess Tower.",
        ),
        (
            (page(TOWER, "Vess Tower", "A tower.", architect="Ada Lund"),),
            "infobox",
            "architect: Ada Lund",
        ),
        (
            (
                page(TOWER, "Vess Tower", "Ada Lund was buried beside it."),
                page(LUND, "Ada Lund", "She designed Vess Tower."),
            ),
            "sentence",
            "She designed Vess Tower.",
        ),
    ],
)
def test_it_is_found_wherever_it_stands(pages, kind, text):
    found = statement_of(facts(*pages), DESIGNED)
    assert (found.kind, found.text) == (kind, text)
    if kind == "sentence":
        assert found.article.sections[found.section].text[found.start : found.end] == text
        assert found.article.title == ("Ada Lund" if text.startswith("She") else "Vess Tower")


@pytest.mark.parametrize(
    "pages",
    [
        (),
        (page(TOWER, "Vess Tower", "Ada Lund was buried beside it."),),
        (page(TOWER, "Vess Tower", "It was designed by Per Holt. Ada Lund was buried beside it."),),
        (page(TOWER, "Vess Tower", "Ada Lund said that it was designed by Per Holt."),),
        (page(TOWER, "Vess Tower", "A tower.", owner="Ada Lund"),),
        (page(TOWER, "Vess Tower", "It was designed by Ada Lundberg."),),
        (page(TOWER, "Vess Tower", "A tower.\nCategory:Towers designed by Ada Lund"),),
        (page(TOWER, "Vess Tower", "A tower.   category:Towers designed by Ada Lund"),),
    ],
)
def test_a_sentence_that_only_names_both_ends_does_not_say_it(pages):
    assert statement_of(facts(*pages), DESIGNED) is None


def test_a_year_is_said_by_its_relation_and_not_by_a_number_that_has_it():
    opened = claim(TOWER, "P1619", year(1850))
    assert (
        statement_of(
            facts(page(TOWER, "Vess Tower", "It opened in 1850."), claims=(opened,)), opened
        ).text
        == "It opened in 1850."
    )
    assert (
        statement_of(
            facts(page(TOWER, "Vess Tower", "It opened with 1,850 guests."), claims=(opened,)),
            opened,
        )
        is None
    )


@pytest.mark.parametrize(
    ("text", "stated", "shown"),
    [("Designed by Ada Lund.", "sentence", "Vess Tower"), ("Ada Lund lived near.", "no", "")],
)
def test_a_hop_tells_whether_and_where_its_claim_is_said(text, stated, shown):
    form = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1")),
        ask=Ask(var="x1", type="entity"),
    )
    (hop,) = evidence(
        form,
        facts(page(TOWER, "Vess Tower", text)),
        {"x0": entity_value(TOWER), "x1": entity_value(LUND)},
    )
    assert (hop.stated, hop.page, hop.evidence, hop.claim_id) == (
        stated,
        shown,
        text if shown else "",
        DESIGNED.id,
    )


def test_an_amount_is_found_in_both_its_spellings():
    high = claim(TOWER, "P2048", Value(kind="quantity", number=1234.0, unit="Q11573"))
    for text in ("It is 1,234 metres high.", "It has a height of 1234 metres."):
        assert (
            statement_of(facts(page(TOWER, "Vess Tower", text), claims=(high,)), high) is not None
        )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It opened in 1850. It opened on 3 May 1850.", "It opened on 3 May 1850."),
        ("It opened in 1850.", "It opened in 1850."),
    ],
)
def test_of_a_day_the_sentence_with_the_day_is_shown_where_there_is_one(text, shown):
    at = Value(kind="time", time="+1850-05-03T00:00:00Z", precision=11)
    opened = claim(TOWER, "P1619", at)
    found = statement_of(facts(page(TOWER, "Vess Tower", text), claims=(opened,)), opened)
    assert found.text == shown


def test_a_day_is_shown_by_the_infobox_where_the_sentence_has_the_year_alone():
    at = Value(kind="time", time="+1850-05-03T00:00:00Z", precision=11)
    opened = claim(TOWER, "P1619", at)
    text = "It opened in 1850."
    for line, shown in (("3 May 1850", "opened: 3 May 1850"), ("1850", text)):
        article = page(TOWER, "Vess Tower", text, opened=line)
        assert statement_of(facts(article, claims=(opened,)), opened).text == shown
