"""Which event a date is of: "inception" may be a founding, a charter or a first mention, and only the page tells."""

import asyncio

import pytest

from questloom.records.knowledge import Article, Entity, PropertyInfo, Section
from questloom.records.synthesis import Seed
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.writer import WriterRejection
from tests.prompts.scripted import Scripted
from tests.small_facts import SmallFacts, claim, year

SEED = Seed(entity_id="Q1", method="injection", rule="rare", level="easy", domain="location")


def asked(question: str, page: str):
    """The first question of a model about a town of 1260 that has this page, and the prompts; None where it was refused twice."""
    sections = (Section(title="", level=1, text=page),)
    store = SmallFacts(
        [claim("Q1", "P571", year(1260)), claim("Q1", "P31", "Q2")],
        {
            "Q1": Entity(id="Q1", labels={"en": "Velm"}),
            "Q2": Entity(id="Q2", labels={"en": "town"}),
        },
        {
            "Q1": Article(
                wiki="enwiki",
                title="Velm",
                page_id=1,
                revision=7,
                entity_id="Q1",
                sections=sections,
            )
        },
        properties={
            "P571": PropertyInfo(id="P571", labels={"en": "inception"}, datatype="time"),
            "P31": PropertyInfo(id="P31", labels={"en": "instance of"}),
        },
    )
    reply = {
        "questions": [
            {
                "question": question,
                "answer": "1260",
                "answer_type": "date",
                "precision": "year",
                "claim": "inception: 1260",
            }
        ]
    }
    client = Scripted([("seed_question", "", reply), ("seed_question", "", reply)])
    try:
        drafts = asyncio.run(
            LlmWriter(client, store, LlmRules(votes=1), max_answer_words=6).seed_question(
                SEED, store.entity("Q1")
            )
        )
    except WriterRejection:
        drafts = []
    return (drafts[0].text if drafts else None), client.prompts


RECORDED, FOUNDED, NOWHERE = (
    "It is first recorded as a town in 1260.",
    "The town was founded in 1260 by monks.",
    "It lies on Lake Orm.",
)


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("In which year was the town of Velm first recorded?", RECORDED),
        ("In which year was the town of Velm founded?", FOUNDED),
        ("In which year did the town of Velm come into being?", NOWHERE),
        ("To which year does the town of Velm date back?", RECORDED),
    ],
)
def test_the_event_that_the_page_names_may_be_told_and_none_in_particular_always(question, page):
    assert asked(question, page)[0] == question


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("In which year was the town of Velm founded?", RECORDED),
        ("In which year was the town of Velm established?", RECORDED),
        ("In which year was the town of Velm opened?", FOUNDED),
        ("In which year was the town of Velm completed?", FOUNDED),
        ("In which year was the town of Velm dedicated?", FOUNDED),
        ("In which year was the town of Velm founded?", NOWHERE),
    ],
)
def test_another_event_is_refused_and_the_model_is_told_what_the_page_says(question, page):
    text, prompts = asked(question, page)
    assert text is None and len(prompts) == 2 and 'the claim "inception" is not' in prompts[1][1]
    assert (page in prompts[1][1].split("That reply cannot be used")[1]) == (page is not NOWHERE)


def test_the_prompt_shows_how_the_page_says_it():
    assert (
        f'inception: 1260 (the page: "{RECORDED}")'
        in asked("In which year was the town of Velm first recorded?", RECORDED)[1][0][1]
    )
