"""A reply that does not fit what was shown goes back once, with what is wrong."""

import asyncio

import pytest

from questloom.models.structured import BadReply
from questloom.prompts.ask import ask
from questloom.prompts.render import render
from questloom.prompts.roles import ROLES
from tests.prompts.scripted import Scripted

PROMPT = render(ROLES["answer_text_only"], question="Who?")


def read(reply):
    if reply.answer != "Varga":
        raise ValueError("no such name")
    return reply.answer


def said(answer):
    return ("answer_text_only", "", {"reasoning": "r", "answer": answer})


def test_a_reply_that_does_not_fit_is_mended_in_a_second_turn():
    client = Scripted([said("Orlov"), said("Varga")])
    assert asyncio.run(ask(client, PROMPT, read, item_id="i", seed_id="s")) == "Varga"
    assert "no such name" in client.prompts[1][1]
    assert '"answer":"Orlov"' in client.prompts[1][1]


def test_a_reply_that_does_not_fit_twice_is_bad():
    client = Scripted([said("Orlov"), said("Petrov")])
    with pytest.raises(BadReply, match="no such name"):
        asyncio.run(ask(client, PROMPT, read, item_id="i", seed_id="s"))
