"""The brief system prompt: a line a tool, with what a call must give."""

from questloom.agent.tools.text_search import text_search
from questloom.agent.tools.tool_schema import Tool
from questloom.agent.tools.visit import visit
from questloom.prompts.agent import agent_system_prompt

SCHEMAS = [Tool(f).schema(handles=False) for f in (text_search, visit)]


def test_it_names_each_tool_with_the_arguments_that_must_be_given():
    assert (
        agent_system_prompt(SCHEMAS, max_calls=6, brief=True)
        == "Look, search, answer.\ntext_search(query)\nvisit(url, goal)"
    )


def test_the_default_tells_the_turn_protocol():
    assert "Rules of the turn" in agent_system_prompt(SCHEMAS, max_calls=6)
