"""The strict check of a turn: each violation by the shortest text that has it, and mangled turns by the thousand."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.agent.turns.turn_protocol import MAX_TURN_CHARS, TAGS, TurnProtocol, Violation

SEARCH = {
    "type": "function",
    "function": {
        "name": "text_search",
        "description": "Searches.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "top_k": {"type": "integer", "minimum": 1}},
            "required": ["query"],
            "additionalProperties": False,
        },
    },
}
PYTHON = {
    "name": "python_interpreter",
    "parameters": {
        "type": "object",
        "properties": {"code": {"type": "string"}},
        "required": ["code"],
    },
}
PROTOCOL = TurnProtocol([SEARCH, PYTHON])
THOUGHT = "<think>Who built it?</think>"
CALL = '<tool_call>{"name": "text_search", "arguments": {"query": "who built it"}}</tool_call>'
ANSWER = "<answer>Ada Lund</answer>"


def test_a_call_is_read():
    checked = PROTOCOL.check(f"\n{THOUGHT}\n\n{CALL}\n")
    assert checked.ok
    assert (checked.thought, checked.call.name, checked.call.arguments) == (
        "Who built it?",
        "text_search",
        {"query": "who built it"},
    )
    assert checked.answer is None


def test_an_answer_is_read():
    checked = PROTOCOL.check(THOUGHT + ANSWER)
    assert (checked.ok, checked.answer, checked.call) == (True, "Ada Lund", None)


def test_a_thought_that_the_template_opened_counts_as_rendered():
    sampled = "Who built it?</think>" + ANSWER
    assert PROTOCOL.check(sampled).violation is Violation.NO_THOUGHT
    assert PROTOCOL.check("<think>\n" + sampled).ok
    assert PROTOCOL.check("<think>\n" + "<think>" + sampled).violation is Violation.TAG_IN_THOUGHT


@pytest.mark.parametrize(
    ("text", "violation"),
    [
        ("", Violation.EMPTY),
        (" \n", Violation.EMPTY),
        ("x" * (MAX_TURN_CHARS + 1), Violation.TOO_LONG),
        ("<think>\ud800</think>" + ANSWER, Violation.NOT_UNICODE),
        (ANSWER, Violation.NO_THOUGHT),
        ("Who built it?", Violation.NO_THOUGHT),
        (CALL + THOUGHT, Violation.NO_THOUGHT),
        ("</think>" + ANSWER, Violation.NO_THOUGHT),
        ("Well: " + THOUGHT + ANSWER, Violation.TEXT_BEFORE_THOUGHT),
        ("<think>Who?", Violation.THOUGHT_NOT_CLOSED),
        ("<think>Who?" + ANSWER, Violation.THOUGHT_NOT_CLOSED),
        ("<think>a<think>b</think></think>" + ANSWER, Violation.TAG_IN_THOUGHT),
        (f"<think>I write {CALL}</think>" + ANSWER, Violation.TAG_IN_THOUGHT),
        (THOUGHT + THOUGHT + ANSWER, Violation.SECOND_THOUGHT),
        (THOUGHT + ANSWER + THOUGHT, Violation.SECOND_THOUGHT),
        (THOUGHT, Violation.NO_ACTION),
        (THOUGHT + "so" + CALL, Violation.TEXT_AFTER_THOUGHT),
        (THOUGHT + "the answer is Ada Lund", Violation.TEXT_AFTER_THOUGHT),
        (THOUGHT + CALL.replace("</tool_call>", ""), Violation.CALL_NOT_CLOSED),
        (THOUGHT + '<tool_call>{"name": "text_se', Violation.CALL_NOT_CLOSED),
        (THOUGHT + CALL + CALL, Violation.SECOND_CALL),
        (
            THOUGHT
            + CALL.replace(
                "</tool_call>", '{"name": "text_search", "arguments": {"query": "b"}}</tool_call>'
            ),
            Violation.SECOND_CALL,
        ),
        (THOUGHT + CALL + ANSWER, Violation.CALL_AND_ANSWER),
        (THOUGHT + ANSWER + CALL, Violation.CALL_AND_ANSWER),
        (THOUGHT + "<answer>Ada", Violation.ANSWER_NOT_CLOSED),
        (THOUGHT + "<answer>Ada<tool_call>", Violation.ANSWER_NOT_CLOSED),
        (THOUGHT + ANSWER + ANSWER, Violation.SECOND_ANSWER),
        (THOUGHT + "<answer>a<answer>b</answer></answer>", Violation.TAG_IN_ANSWER),
        (THOUGHT + "<answer> </answer>", Violation.EMPTY_ANSWER),
        (THOUGHT + CALL + "<tool_response>Ada Lund</tool_response>", Violation.OWN_TOOL_RESPONSE),
        (THOUGHT + "<tool_response>Ada Lund</tool_response>" + ANSWER, Violation.OWN_TOOL_RESPONSE),
        (THOUGHT + "</think>" + ANSWER, Violation.STRAY_TAG),
        (THOUGHT + CALL + "</tool_call>", Violation.STRAY_TAG),
        (THOUGHT + ANSWER + "!", Violation.TEXT_AFTER_ACTION),
        (THOUGHT + CALL.replace("{", "", 1), Violation.BAD_JSON),
        (THOUGHT + CALL.replace('"}}', '",}}'), Violation.BAD_JSON),
        (THOUGHT + CALL.replace('"', "'"), Violation.BAD_JSON),
        (THOUGHT + CALL.replace("who built", "who\nbuilt"), Violation.BAD_JSON),
        (THOUGHT + CALL.replace("}}<", "}}}<"), Violation.BAD_JSON),
        (THOUGHT + CALL.replace('"who built it"', "NaN"), Violation.BAD_JSON),
        (THOUGHT + CALL.replace('"who built it"', "1e999"), Violation.BAD_JSON),
        (THOUGHT + CALL.replace("who built it", r"\ud800"), Violation.BAD_JSON),
        (THOUGHT + CALL.replace('"query"', '"query": "a", "query"'), Violation.BAD_JSON),
        (THOUGHT + f"<tool_call>{'[' * 100_000}</tool_call>", Violation.BAD_JSON),
        (THOUGHT + f"<tool_call>{'9' * 10_000}</tool_call>", Violation.BAD_JSON),
        (THOUGHT + "<tool_call>[1]</tool_call>", Violation.NOT_AN_OBJECT),
        (THOUGHT + '<tool_call>{"name": "text_search"}</tool_call>', Violation.BAD_CALL),
        (THOUGHT + CALL.replace('"name"', '"id": 1, "name"'), Violation.BAD_CALL),
        (
            THOUGHT + '<tool_call>{"name": "text_search", "arguments": "who"}</tool_call>',
            Violation.BAD_CALL,
        ),
        (THOUGHT + CALL.replace("text_search", "google"), Violation.UNKNOWN_TOOL),
        (THOUGHT + CALL.replace('"who built it"', "1"), Violation.BAD_ARGUMENTS),
        (THOUGHT + CALL.replace('"query"', '"q"'), Violation.BAD_ARGUMENTS),
        (THOUGHT + CALL.replace('"query"', '"top_k": 0, "query"'), Violation.BAD_ARGUMENTS),
        (THOUGHT + CALL.replace('"query"', '"language": "en", "query"'), Violation.BAD_ARGUMENTS),
    ],
)
def test_each_violation_is_named(text, violation):
    checked = PROTOCOL.check(text)
    assert checked.violation is violation
    assert (checked.call, checked.answer) == (None, None)
    assert checked.detail and len(checked.detail) < 400
    assert "<tool_response>x" not in checked.detail


def test_where_a_string_is_not_closed_is_said_once_and_to_the_brief_in_the_words_that_they_learnt():
    text = THOUGHT + CALL.replace('"}}', "}}")
    assert (
        PROTOCOL.check(text).detail
        == "The call is no valid JSON: Unterminated string starting at character 47."
    )
    assert (
        TurnProtocol([SEARCH], brief=True).check(text).detail
        == "The call is no valid JSON: Unterminated string starting at, at character 47."
    )


def test_every_violation_has_its_text():
    named = test_each_violation_is_named.pytestmark[0].args[1]
    assert {violation for _, violation in named} == set(Violation) - {Violation.REFUSED}


def test_tags_inside_json_strings_are_text():
    code = "print('</tool_call><answer>no</answer><think><tool_response>')"
    call = json.dumps({"name": "python_interpreter", "arguments": {"code": code}})
    assert PROTOCOL.check(f"{THOUGHT}<tool_call>{call}</tool_call>").call.arguments == {
        "code": code
    }


def test_words_in_angle_brackets_are_no_tags_of_ours():
    thought = "a < b, <b>bold</b>, <THINK>, < think>, <tool_call, &lt;answer&gt;"
    assert PROTOCOL.check(f"<think>{thought}</think>{ANSWER}").thought == thought


pieces = st.sampled_from(
    [f"<{end}{tag}>" for tag in TAGS for end in ("", "/")]
    + [
        "Who built it?",
        " \n",
        '{"name": "text_search", "arguments": {"query": "a"}}',
        '{"name": "text_search"',
        "{",
        "}",
        '"',
        "\\",
        "<",
        "\ud800",
        '{"name": "python_interpreter", "arguments": {"code": "</tool_call></think>"}}',
        "null",
        "<think",
        "answer>",
    ]
)


@given(st.lists(pieces | st.text(max_size=5), max_size=14))
def test_no_string_raises_and_what_passes_has_one_action(parts):
    text = "".join(parts)
    checked = PROTOCOL.check(text)
    assert checked.ok == ((checked.call is None) != (checked.answer is None))
    if checked.ok:
        assert text.strip().startswith("<think>") and text.strip().endswith(
            ("</answer>", "</tool_call>")
        )
        if checked.answer is not None:
            assert all(
                text.count(f"<{tag}>") == text.count(f"</{tag}>") == (tag in ("think", "answer"))
                for tag in TAGS
            )


plain = st.text(
    alphabet=st.characters(exclude_characters="<>", exclude_categories=["Cs"]),
    min_size=1,
    max_size=30,
).filter(str.strip)
any_text = st.text(
    alphabet=st.characters(exclude_categories=["Cs"]), max_size=30
) | st.sampled_from([f"</{tag}>" for tag in TAGS])


@given(plain, any_text, st.booleans())
def test_whatever_stands_in_a_json_string_is_read_back(thought, code, ascii_only):
    call = json.dumps(
        {"name": "python_interpreter", "arguments": {"code": code}}, ensure_ascii=ascii_only
    )
    checked = PROTOCOL.check(f"<think>{thought}</think>\n<tool_call>\n{call}\n</tool_call>")
    assert (checked.violation, checked.thought, checked.call.arguments) == (
        None,
        thought.strip(),
        {"code": code},
    )


GOOD = [
    [
        "<think>",
        "Who?",
        "</think>",
        "<tool_call>",
        '{"name": "text_search", "arguments": {"query": "a"}}',
        "</tool_call>",
    ],
    ["<think>", "Who?", "</think>", "<answer>", "Ada", "</answer>"],
]
TAG_PLACES = (0, 2, 3, 5)


@given(
    st.sampled_from(GOOD),
    st.sampled_from(TAG_PLACES),
    st.sampled_from(["missing", "doubled", "unopened"]),
)
def test_a_tag_missing_doubled_or_made_another_is_a_violation(parts, place, how):
    parts = list(parts)
    parts[place] = {
        "missing": "",
        "doubled": parts[place] * 2,
        "unopened": parts[place].replace("<", ""),
    }[how]
    assert not PROTOCOL.check("".join(parts)).ok


@given(st.sampled_from(GOOD), st.permutations(TAG_PLACES))
def test_tags_in_another_order_are_a_violation(parts, order):
    moved = list(parts)
    for place, source in zip(TAG_PLACES, order, strict=True):
        moved[place] = parts[source]
    assert PROTOCOL.check("".join(moved)).ok == (moved == parts)


@given(
    st.sampled_from(GOOD),
    st.sampled_from([f"<{end}{tag}>" for tag in TAGS for end in ("", "/")]),
    st.integers(0, 6),
)
def test_one_tag_too_many_is_a_violation(parts, tag, place):
    assert not PROTOCOL.check("".join([*parts[:place], tag, *parts[place:]])).ok


@settings(max_examples=50)
@given(st.sampled_from(GOOD[0][4:5]), st.integers(0, 60), st.characters(exclude_categories=["Cs"]))
def test_json_with_one_character_replaced_is_right_only_if_it_still_parses(call, place, character):
    place %= len(call)
    mangled = call[:place] + character + call[place + 1 :]
    checked = PROTOCOL.check(f"{THOUGHT}<tool_call>{mangled}</tool_call>")
    if checked.ok:
        assert json.loads(mangled) == {
            "name": checked.call.name,
            "arguments": checked.call.arguments,
        }


@pytest.mark.parametrize(
    "unit",
    [
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<answer>",
        '<tool_call>{"a":',
        '{"',
        "[",
        " ",
        "<",
        "\\",
        "a",
    ],
)
@pytest.mark.parametrize(
    "before",
    [
        "",
        "<think>",
        "<think></think>",
        "<think></think><tool_call>",
        '<think></think><tool_call>{"name": "',
        "<think></think><answer>",
    ],
)
def test_huge_turns_take_linear_time(unit, before):
    text = before + unit * (1_000_000 // len(unit))
    began = time.process_time()
    PROTOCOL.check(text)
    assert time.process_time() - began < 1.0  # about 0.01 s; a quadratic reading takes minutes


def test_a_huge_call_is_read():
    code = "x = '</tool_call>'\n" * 50_000
    call = json.dumps({"name": "python_interpreter", "arguments": {"code": code}})
    began = time.process_time()
    assert PROTOCOL.check(f"{THOUGHT}<tool_call>{call}</tool_call>").call.arguments["code"] == code
    assert time.process_time() - began < 2.0
