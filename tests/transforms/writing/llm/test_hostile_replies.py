"""Replies written in ill will, recorded: whatever they say, nothing false is kept, also where every reader is gullible."""

import asyncio
import json
from pathlib import Path

import pytest

from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.writer import Wording, WriterRejection
from tests.prompts.scripted import Scripted
from tests.transforms.writing.llm.hostile_store import PLANS, hostile_store, town_plan

REPLIES = json.loads(Path(__file__).with_name("hostile_replies.json").read_text(encoding="utf-8"))
WORDED = [case for case in REPLIES if case["role"] == "word_plan"]
READ = [case for case in REPLIES if case["role"] == "check_words"]
HONEST = {
    "teacher": "On which day was the teacher of the architect of the cathedral in the picture born?",
    "bridge": "The architect of the cathedral in the picture, a man born in Tolm, had a teacher. On which day was that teacher born?",
    "town": "Which architect designed the cathedral in the town in the picture?",
}


def named(cases):
    return [f"{i}: {case['kind']}" for i, case in enumerate(cases)]


def writer(role, reply):
    """A writer whose model gives the same reply twice."""
    return LlmWriter(
        Scripted([(role, "", reply)] * 2), hostile_store(), LlmRules(votes=1), max_words=110
    )


def read(text, reply):
    """The votes that hold of a reader of the town's question in these words."""
    wording = Wording(text=text, anchor_phrase="the town in the picture")
    votes = asyncio.run(writer("check_words", reply).read(town_plan(), wording, "seed"))
    return [vote for vote in votes if vote.holds]


@pytest.mark.parametrize("of", PLANS)
def test_the_honest_replies_that_the_hostile_ones_are_made_from_are_kept(of):
    phrase = "the town in the picture" if of == "town" else "the cathedral in the picture"
    made = writer("word_plan", {"question": HONEST[of], "phrase": phrase})
    assert asyncio.run(made.word(PLANS[of](), "seed")) == Wording(
        text=HONEST[of], anchor_phrase=phrase
    )


def test_an_honest_vote_holds():
    said = [
        {"line": 1, "words": "the cathedral in the town in the picture"},
        {"line": 2, "words": "Which architect designed"},
    ]
    assert read(HONEST["town"], {"said": said, "why": "read", "holds": True})


@pytest.mark.parametrize("case", WORDED, ids=named(WORDED))
def test_hostile_words_are_refused_and_for_what_is_wrong_with_them(case):
    made = asyncio.run(writer("word_plan", case["reply"]).word(PLANS[case["of"]](), "seed"))
    assert isinstance(made, Refusal) and made.reason == Reason.BAD_REPLY
    assert case["refused"] in made.evidence["message"]


@pytest.mark.parametrize("case", READ, ids=named(READ))
def test_a_gullible_vote_does_not_hold(case):
    try:
        kept = read(case["of"], case["reply"])
    except WriterRejection:
        return
    assert not kept, kept


def test_an_answer_beside_the_words_changes_nothing():
    reply = {
        "question": HONEST["teacher"],
        "phrase": "the cathedral in the picture",
        "answer": "2 February 1790",
        "form": {"clauses": []},
    }
    made = asyncio.run(writer("word_plan", reply).word(PLANS["teacher"](), "seed"))
    assert made == Wording(text=HONEST["teacher"], anchor_phrase=reply["phrase"])
