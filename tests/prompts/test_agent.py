"""The search agent's system prompt, as written down."""
import os
from pathlib import Path

import pytest

from prompts.agent import agent_prompt_version, agent_system_prompt

GOLDENS = Path(__file__).parent / "goldens" / "agent"
SCHEMAS = [{"type": "function", "function": {"name": name, "description": "Does.", "parameters": {"type": "object", "properties": {}}}}
           for name in ("text_search", "crop")]


@pytest.mark.parametrize(("name", "options"), [("plain", {}), ("dated", {"today": "2026-11-22"}), ("no_handles", {"handles": False})])
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
    versions = {agent_prompt_version(agent_system_prompt(schemas, max_calls=calls)) for schemas in ([], SCHEMAS) for calls in (30, 50)}
    assert len(versions) == 4
