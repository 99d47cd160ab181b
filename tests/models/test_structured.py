import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from questloom.models.structured import (
    BadReply,
    RefusedReply,
    instructions,
    is_refusal,
    parse,
    response_format,
)


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    answer: str
    score: int


GOOD = '{"answer": "Ostra", "score": 3}'
AS_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}, "score": {"type": "integer"}},
    "required": ["answer", "score"],
}


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Sure, {{here}} it is [1]:\n{GOOD}\nAnything else?",
        f'<think>Perhaps {{"answer": "Wrun", "score": 1}}?</think>{GOOD}',
        f'A first draft: {{"answer": "Wrun", "score": 1}}. Better: {GOOD}',
        f'{{"unrelated": 1}} {GOOD} [] {{"unrelated": 2}}',
    ],
)
def test_the_reply_is_found_in_whatever_surrounds_it(text):
    assert parse(text, Answer) == Answer(answer="Ostra", score=3)
    assert parse(text, AS_SCHEMA) == {"answer": "Ostra", "score": 3}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON value"),
        ("The answer is Ostra.", "no JSON value"),
        ('{"answer": "Ostra", "sc', "no JSON value"),
        ('{"answer": "Ostra"}', "score"),
        ('{"answer": "Ostra", "score": "many"}', "score"),
        ("[]", "[Dd]ict|array|object"),
        ('{"answer": "Ostra", "score": NaN}', "no JSON value"),
    ],
)
def test_what_is_wrong_is_said(text, why):
    for schema in (Answer, AS_SCHEMA):
        with pytest.raises(ValueError, match=why):
            parse(text, schema)


def test_a_field_too_many_is_refused_by_a_closed_model():
    with pytest.raises(ValueError, match="Extra inputs"):
        parse('{"answer": "Ostra", "score": 3, "why": ""}', Answer)


@given(st.text(), st.dictionaries(st.text(), st.integers() | st.text()), st.text())
def test_no_text_raises_anything_but_value_error(before, value, after):
    with contextlib.suppress(ValueError):
        parse(before + json.dumps(value) + after, AS_SCHEMA)


@given(st.text(alphabet=st.characters(exclude_characters='{}[]<>"')), st.text(), st.integers())
def test_any_answer_in_plain_prose_is_found(prose, answer, score):
    value = {"answer": answer, "score": score}
    assert parse(f"{prose} {json.dumps(value)} {prose}", AS_SCHEMA) == value


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{" * 100_000, '{"a":' * 50_000, "[1," * 60_000, "x" * 300_000]
)
def test_hostile_text_ends_quickly_in_an_error(text):
    with pytest.raises(ValueError):
        parse(text, Answer)


@pytest.mark.parametrize(
    "text",
    [
        "I can't help with that.",
        "I’m sorry, but I can’t assist with this request.",
        "I cannot answer.",
        "Sorry, I won't do this.",
        "I'm unable to identify people.",
        "As an AI, I do not.",
        "抱歉，我无法回答。",
        "**I must decline.**",
    ],
)
def test_refusals_in_words_are_known(text):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "The tower cannot be seen.",
        "I think it is Ostra.",
        "Sorry state of the bridge: 1871.",
        "",
        "I can see a bridge.",
    ],
)
def test_answers_are_no_refusals(text):
    assert not is_refusal(text)


def test_each_endpoint_is_asked_for_as_much_as_it_honours():
    assert response_format(Answer, "none") is None
    assert response_format(Answer, "json_object") == {"type": "json_object"}
    strict = response_format(Answer, "json_schema")
    assert strict["json_schema"]["strict"] is True
    assert strict["json_schema"]["name"] == "Answer"
    assert response_format(AS_SCHEMA, "json_schema")["json_schema"]["strict"] is False
    assert '"answer"' in instructions(Answer)


def test_a_refusal_is_a_bad_reply_of_its_own_kind_and_its_text_is_kept_short():
    assert issubclass(RefusedReply, BadReply)
    assert len(BadReply("role", "why", "x" * 10_000).text) == 500
