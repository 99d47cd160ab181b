"""A draft whose answer stands on the page of its picture's thing."""

import asyncio

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Article, Entity, Section, entity_value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer, Seed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.writing.writer import Draft
from tests.small_facts import SmallFacts, claim

FORM = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x1", property="P1066", object="a"),
    ),
    ask=Ask(var="a", type="entity"),
)
DRAFT = Draft(
    text="",
    answer=Answer(value=entity_value("Q3"), text="Ilse Varga", type="entity"),
    form=FORM,
    anchor="Q1",
    bindings={"x0": "Q1", "x1": "Q2", "a": "Q3"},
)
SEED = Seed(entity_id="Q1", method="paths", level="easy", rule="anchor", domain="building_or_place")


class _Words:
    """A writer that words any draft."""

    async def word(self, draft, seed):
        return draft

    async def check_words(self, draft, seed, num=0):
        return None


@pytest.mark.parametrize(
    ("own_page", "text", "refused"),
    [
        (False, "Designed by a pupil of Ilse Varga.", True),
        (True, "Designed by a pupil of Ilse Varga.", False),
        (False, "Designed by Otto Lehn.", False),
    ],
)
def test_it_is_refused_at_once_where_the_recipe_asks_for_it(own_page, text, refused):
    page = Article(
        wiki="enwiki",
        title="Tower",
        page_id=1,
        revision=1,
        entity_id="Q1",
        sections=(Section(title="", level=1, text=text),),
    )
    facts = SmallFacts(
        [claim("Q1", "P84", "Q2"), claim("Q2", "P1066", "Q3")],
        {"Q3": Entity(id="Q3", labels={"en": "Ilse Varga"})},
        {"Q1": page},
    )
    made = asyncio.run(Accept(facts, CertificateRules(), own_page).finished(DRAFT, _Words(), SEED))
    assert (isinstance(made, Refusal) and made.reason == Reason.IMAGE_SEARCH_SHORTCUT) == refused
