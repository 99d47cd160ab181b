"""The search agent's system prompt, as written down."""

import os
from pathlib import Path

import pytest

from questloom.prompts.agent import agent_prompt_version, agent_system_prompt, dialect_system_prompt

GOLDENS = Path(__file__).parent / "goldens" / "agent"
SCHEMAS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Does.",
            "parameters": {"type": "object", "properties": {}},
        },
    }
    for name in ("text_search", "crop")
]


@pytest.mark.parametrize(
    ("name", "options"),
    [("plain", {}), ("dated", {"today": "2026-11-22"}), ("no_handles", {"handles": False})],
)
def test_the_prompt_is_as_written_down(name, options):
    """To accept changes: REWRITE_GOLDENS=1 pytest tests/prompts/test_agent.py"""
    text = agent_system_prompt(SCHEMAS, max_calls=30, **options)
    golden = GOLDENS / f"{name}.txt"
    if os.environ.get("REWRITE_GOLDENS"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_without_handles_none_is_named():
    assert "<image:" not in agent_system_prompt([], max_calls=1, handles=False)


def test_tools_limits_and_words_shape_the_version():
    versions = {
        agent_prompt_version(agent_system_prompt(schemas, max_calls=calls))
        for schemas in ([], SCHEMAS)
        for calls in (30, 50)
    }
    assert len(versions) == 4


def test_an_agent_without_calls_is_told_of_no_tools():
    text = agent_system_prompt([], max_calls=0)
    assert "no tools" in text and "<answer>" in text and "<tool_call>" not in text


@pytest.mark.parametrize(
    ("options", "held", "absent"),
    [
        (
            {"answer": "response", "observation": "observation", "max_calls": 5, "handle": "img_1"},
            ("<response>", "<observation>", "img_1", "at most 5", "TOOLS"),
            ("<answer>",),
        ),
        (
            {"answer": "answer", "observation": "tool_response", "max_calls": 5},
            ("<answer>", "the one of the question"),
            ("img_",),
        ),
        (
            {"answer": "", "observation": "tool_response", "max_calls": 0},
            ("answer alone",),
            ("<think>", "<tool_call>", "TOOLS"),
        ),
    ],
)
def test_a_dialects_prompt_has_its_tags_and_names(options, held, absent):
    text = dialect_system_prompt("TOOLS", **options)
    assert all(words in text for words in held) and not any(words in text for words in absent)
