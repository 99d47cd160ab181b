"""Replies that a reader wrote in earnest to the prompts about five real pages, read again: each step has its form."""

import asyncio

import pytest

from questloom.records.form import ClaimClause, ClassClause, Image
from questloom.records.knowledge import entity_value
from questloom.records.synthesis import Hop, Seed
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.writer import Mention
from tests.prompts.scripted import Scripted
from tests.transforms.writing.llm.real_pages import needs_dump, real_pages

pytestmark = needs_dump


@pytest.fixture(scope="module")
def writer():
    return LlmWriter(
        Scripted.recorded("three_pages"), real_pages(), LlmRules(votes=1), max_answer_words=6
    )


async def injected(writer, entity_id):
    seed = Seed(
        entity_id=entity_id, method="injection", rule="rare", level="easy", domain="artifact"
    )
    start = (await writer.seed_question(seed, writer.store.entity(entity_id)))[0]
    (mention,) = await writer.pick_entity(start, seed)
    facts = await writer.take_fact(start, mention, seed)
    after = await writer.inject(start, mention, facts[:1], seed)
    votes = [
        *await writer.check_unique(after, seed),
        *await writer.check_invariant(start, after, seed),
    ]
    return seed, start, facts, after, votes


def test_a_film_is_described_by_five_of_its_claims(writer):
    _, start, facts, after, votes = asyncio.run(injected(writer, "wiki:Actrius"))
    assert start.answer.value == entity_value("wiki:Buena Vista International")
    assert ClassClause(var="x0", class_id="Q11424") in after.form.clauses
    assert len([c for c in after.form.of(ClaimClause) if c.subject == "x0"]) == 5
    assert "Goya" in facts[2].sentence
    assert all(v.holds for v in votes)


def test_a_general_is_found_through_the_picture_of_a_cemetery(writer):
    seed, start, _, after, votes = asyncio.run(injected(writer, "wiki:Albert Sidney Johnston"))
    assert start.answer.text == "2 February 1803"
    (mention,) = asyncio.run(writer.pick_image_entity(after, seed))
    shown = asyncio.run(writer.hide_entity(after, mention, seed))
    assert shown.form.of(Image) == (Image(var="x1"),)
    assert ClaimClause(subject="x0", property="P119", object="x1") in shown.form.clauses
    assert shown.anchor_phrase in shown.text
    assert all(v.holds for v in votes)


def test_a_prize_that_only_a_sentence_states_is_left_to_the_votes(writer):
    _, start, facts, after, votes = asyncio.run(injected(writer, "wiki:Animalia (book)"))
    assert start.form is not None
    assert "Young Australian" in facts[0].sentence
    assert after.form is None
    assert len(votes) == 2


def test_a_path_against_the_claims_direction_keeps_its_direction(writer):
    seed = Seed(
        entity_id="wiki:Arthur Schopenhauer",
        method="paths",
        rule="anchor",
        level="easy",
        domain="person",
    )
    nodes = tuple(
        writer.store.entity(f"wiki:{n}") for n in ("Arthur Schopenhauer", "Albert Einstein")
    )
    hops = (Hop(source="x0", target="x1", property="P737", reverse=True),)
    draft = next(
        d
        for d in asyncio.run(writer.canonical_question(seed, hops, nodes))
        if d.answer.text.startswith("Princeton")
    )
    assert draft.form.clauses[1] == ClaimClause(subject="x1", property="P737", object="x0")
    mention = Mention(entity_id="wiki:Albert Einstein", var="x1")
    facts = asyncio.run(writer.describe(draft, mention, seed))
    after = asyncio.run(writer.inject(draft, mention, facts[:1], seed))
    assert {c.property for c in after.form.of(ClaimClause)} == {
        "P737",
        "P20",
        "P19",
        "P569",
        "P166",
    }
    assert asyncio.run(writer.check_unique(after, seed))[0].holds
