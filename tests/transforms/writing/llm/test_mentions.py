"""Names with a bracket that questions leave out, and what voters are shown of a search."""

import asyncio
from dataclasses import replace

import pytest

from questloom.records.form import Ask, ClaimClause, Form
from questloom.records.knowledge import Entity, entity_value
from questloom.records.synthesis import Answer, Seed
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.llm.mentions import entity_of, named_entities
from questloom.transforms.writing.writer import Draft
from tests.prompts.scripted import Scripted
from tests.small_facts import SmallFacts, claim

SEED = Seed(entity_id="Q9", method="injection", rule="rare", level="easy", domain="transport")
NAMES = {"Q1": "Ardwen (locomotive)", "Q2": "Orm Works"}
FACTS = SmallFacts(
    [claim("Q1", "P176", "Q2")], {e: Entity(id=e, labels={"en": name}) for e, name in NAMES.items()}
)
BUILT = ClaimClause(subject=entity_value("Q1"), property="P176", object="a")
DRAFT = Draft(
    text="Which yard built the locomotive Ardwen?",
    answer=Answer(value=entity_value("Q2"), text="Orm Works", type="entity"),
    form=Form(clauses=(BUILT,), ask=Ask(var="a", type="entity")),
    bindings={"a": "Q2"},
)


@pytest.mark.parametrize("name", ["Ardwen", "Ardwen, the Third"])
def test_a_thing_is_named_without_its_bracket(name):
    facts = SmallFacts(
        [claim("Q1", "P176", "Q2")], {"Q1": Entity(id="Q1", labels={"en": f"{name} (locomotive)"})}
    )
    assert named_entities(
        facts, replace(DRAFT, text=f"Which yard built the locomotive {name}?"), "Q9", ("en",)
    ) == {"Q1": name}


@pytest.mark.parametrize("surface", ["Ardwen", "Ardwen (locomotive)"])
def test_a_name_without_its_bracket_is_of_the_thing_that_the_form_names(surface):
    assert entity_of(FACTS, DRAFT, surface, "", "Q9", ("en",)) == "Q1"


@pytest.mark.parametrize(
    ("role", "vote"),
    [
        ("check_unique", {"why": "w", "rival": None, "holds": True}),
        ("check_picture", {"why": "w", "guess": None, "needed": True}),
    ],
)
def test_voters_are_shown_what_a_search_for_the_question_finds(role, vote):
    client = Scripted([(role, "", vote)])
    made = LlmWriter(
        client,
        FACTS,
        LlmRules(votes=1),
        search=lambda question: f"Brisk Works: found for {question}",
        max_answer_words=6,
    )
    asyncio.run(getattr(made, role)(DRAFT, SEED))
    assert f"Brisk Works: found for {DRAFT.text}" in client.prompts[0][1]
