"""Words of another package's writer are held against the plan as a model's are, and edited as the graph writer's are."""

import asyncio
import json
from pathlib import Path

import pytest

from questloom.transforms.writing.rule_reader import RuleReader
from questloom.transforms.writing.writer import Vote, Wording
from tests.transforms.writing.llm.hostile_store import PLANS, hostile_store

REPLIES = json.loads((Path(__file__).parent / "llm/hostile_replies.json").read_text("utf-8"))
WORDED = [case for case in REPLIES if case["role"] == "word_plan"]
GOOD = "On which day was the teacher of this cathedral's architect born?"


class Model:
    """A reader that counts how often it is asked."""

    def __init__(self):
        self.asked = 0

    async def read(self, plan, wording, seed_id):
        self.asked += 1
        return [Vote(holds=True, why="a model")]


def read(text, phrase="this cathedral", of="teacher", **settings):
    reader = RuleReader(hostile_store(), **settings)
    wording = Wording(text=text, anchor_phrase=phrase)
    return asyncio.run(reader.read(PLANS[of](), wording, "seed"))


def test_honest_words_hold_by_the_rules_alone():
    assert read(GOOD) == [Vote(holds=True, why="the rules")]


@pytest.mark.parametrize("case", WORDED, ids=lambda case: case["kind"])
def test_hostile_words_do_not_hold_and_for_what_is_wrong_with_them(case):
    reply = case["reply"]
    (vote,) = read(reply["question"], reply["phrase"], case["of"])
    assert not vote.holds


@pytest.mark.parametrize(
    ("text", "phrase", "fault"),
    [
        (GOOD.replace("the teacher", "the the teacher"), "this cathedral", "doubled"),
        (f"Identify it. {GOOD}", "this cathedral", "opener of an exam paper"),
        (GOOD, "the teacher", "does not point to the picture"),
        (GOOD.replace("teacher", "pupil"), "this cathedral", "does not say"),
    ],
)
def test_a_lint_or_a_rule_that_is_broken_is_a_vote_against(text, phrase, fault):
    (vote,) = read(text, phrase)
    assert not vote.holds and fault in vote.other


def test_a_model_is_asked_behind_the_rules_and_only_where_they_hold():
    model = Model()
    assert [v.why for v in read(GOOD, model=model)] == ["the rules", "a model"]
    assert not read(GOOD.replace("teacher", "pupil"), model=model)[0].holds
    assert model.asked == 1
