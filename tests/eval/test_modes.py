"""Modes: what tools and calls each leaves, and a search that is made for the agent in whatever words it speaks."""

import asyncio
import dataclasses

import pytest

from questloom.agent.play_settings import PlaySettings
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.tool_output import ToolFault
from questloom.agent.turns.turn_protocol import TurnProtocol
from questloom.eval.agents import NoProvider
from questloom.eval.dialects import dialect_of
from questloom.eval.modes import MAX_QUERY_CHARS, Mode, SearchedFor, settings_for
from tests.agent.small_provider import ScriptedEngine, answer

SETTINGS = PlaySettings(
    engine="openai",
    tools=ToolSettings(tools=("text_search", "image_search", "crop")),
    limits=Limits(calls=9),
)
OURS = dialect_of("questloom")


@pytest.mark.parametrize(
    ("mode", "dialect", "tools", "calls"),
    [
        (Mode.DIRECT, "questloom", (), 0),
        (Mode.IMAGE_SEARCH, "questloom", ("image_search",), 1),
        (Mode.TEXT_SEARCH, "vsearcher", ("text_search",), 1),
        (Mode.AGENT, "questloom", ("text_search", "image_search", "crop"), 9),
        (Mode.AGENT, "vsearcher", ("text_search", "image_search", "visit"), 30),
        (
            Mode.AGENT,
            "opensearch_vl",
            (
                "crop",
                "layout_parsing",
                "web_search",
                "image_search",
                "text_search",
                "perspective_correct",
                "super_resolution",
                "sharpen",
            ),
            50,
        ),
    ],
)
def test_each_mode_leaves_its_tools_and_calls(mode, dialect, tools, calls):
    made = settings_for(mode, SETTINGS, dialect_of(dialect))
    assert (made.tools.tools, made.limits.calls, made.engine) == (tools, calls, "openai")
    assert made.tools.handles == (dialect != "vsearcher")


def test_hidden_handles_stay_hidden():
    hidden = dataclasses.replace(SETTINGS, tools=dataclasses.replace(SETTINGS.tools, handles=False))
    assert not settings_for(Mode.AGENT, hidden, OURS).tools.handles


@pytest.mark.parametrize(
    ("dialect", "mode", "written"),
    [
        (
            "questloom",
            Mode.IMAGE_SEARCH,
            '{"name": "image_search", "arguments": {"handle": "<image:0>"}}',
        ),
        (
            "questloom",
            Mode.TEXT_SEARCH,
            '{"name": "text_search", "arguments": {"query": "Who built this bridge?"}}',
        ),
        (
            "opensearch_vl",
            Mode.IMAGE_SEARCH,
            '{"name": "image_search", "arguments": {"url": "img_1"}}',
        ),
        (
            "opensearch_vl",
            Mode.TEXT_SEARCH,
            '{"name": "text_search", "arguments": {"q": "Who built this bridge?"}}',
        ),
        ("vsearcher", Mode.IMAGE_SEARCH, '{"name": "image_search", "arguments": {}}'),
    ],
)
def test_the_search_is_written_in_the_agents_words_and_only_the_first_turn_is(
    dialect, mode, written
):
    inner = ScriptedEngine(lambda c: answer("Ann"))
    engine = SearchedFor(inner, mode, dialect_of(dialect))
    engine.begin("t", "Who built  this\nbridge?")
    first = asyncio.run(
        engine.step(Conversation(task_id="t", rollout=0, opening=()), max_new_tokens=9)
    )
    assert (
        f"<tool_call>{written}</tool_call>" in first.text
        and not first.token_ids
        and inner.num_steps == 0
    )
    later = Conversation(task_id="t", rollout=0, opening=(), exchanges=(None,))  # type: ignore[arg-type]
    assert asyncio.run(engine.step(later, max_new_tokens=9)).text == answer("Ann")
    assert engine.sampling == {"searched_for": mode.value}


def test_the_search_of_an_agent_without_handles_names_none():
    engine = SearchedFor(ScriptedEngine(lambda c: ""), Mode.IMAGE_SEARCH, OURS, handles=False)
    engine.begin("t", "Who built this?")
    text = asyncio.run(
        engine.step(Conversation(task_id="t", rollout=0, opening=()), max_new_tokens=9)
    ).text
    assert '{"name": "image_search", "arguments": {}}' in text


def test_a_long_question_is_cut_to_what_the_tool_takes():
    engine = SearchedFor(ScriptedEngine(lambda c: ""), Mode.TEXT_SEARCH, OURS)
    engine.begin("t", "word " * 2_000)
    text = asyncio.run(
        engine.step(Conversation(task_id="t", rollout=0, opening=()), max_new_tokens=9)
    ).text
    schema = {
        "name": "text_search",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "maxLength": MAX_QUERY_CHARS}},
        },
    }
    assert TurnProtocol([schema]).check(text).ok


def test_without_tools_there_is_nothing_to_be_searched():
    nothing = NoProvider()
    bank = ImageBank()
    for asked in (
        nothing.search_text("x", 1),
        nothing.page("x", "y"),
        nothing.search_like(bank, 0, 1, frozenset()),
        nothing.search_pictures("x", 1, bank, frozenset()),
    ):
        with pytest.raises(ToolFault):
            asyncio.run(asked)
    assert asyncio.run(nothing.read_text(b"")) is None
