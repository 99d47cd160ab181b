"""`questloom chat`: turns are printed as they come, nothing in them commands the terminal, and what cannot be asked is refused."""

import dataclasses
import json

import pytest
from typer.testing import CliRunner

from benchmarks.mock_endpoint import running
from questloom.agent.setup import engine_override_key
from questloom.files.opened import Opened
from questloom.pipeline.cli import app
from questloom.pipeline.commands.chat import chat
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.teach.episode_text import harmless
from questloom.records.errors import InputError
from tests.agent import tiny
from tests.agent.small_provider import ScriptedEngine
from tests.pipeline.export import taught as teacher
from tests.small_sandboxes import unconfined

RECIPE = recipe_of(
    {
        "name": "chat",
        "teach": {"engine": "openai", "tools": {"tools": ["text_search"]}},
        "models": {
            "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
            "roles": {"agent": {"endpoint": "e", "model": "m"}},
        },
    },
    "test",
)


@pytest.fixture
def picture(tmp_path) -> str:
    (tmp_path / "a.png").write_bytes(tiny.picture(3, (200, 100)))
    return str(tmp_path / "a.png")


def test_turns_observations_and_the_answer_are_printed_in_order(small, picture):
    turns = [
        teacher.call("text_search", query="tower"),
        "<think>Read.</think>\n<answer>A \x1b[31mtower\x1b]0;x\x07</answer>",
    ]
    opened = Opened()
    opened.put(engine_override_key("openai"), ScriptedEngine(lambda c: turns[c.turn]))
    said: list[str] = []
    episode = chat(
        RECIPE, "What is this?", store=small, opened=opened, picture=picture, say=said.append
    )
    text = "\n".join(said)
    assert episode.images[0].origin == "task" and episode.end == "answered"
    assert (
        text.index("turn 1")
        < text.index("observed")
        < text.index("turn 2")
        < text.index("══ answer: A [31mtower]0;x")
    )
    assert "\x1b" not in text and "\x07" not in text


def test_text_from_outside_cannot_command_the_terminal():
    assert harmless("a\x1b[2J\x9b1m\u202eb\r\n\tc\x00") == "a[2J1mb\n\tc"


@pytest.mark.parametrize(
    ("changes", "question", "said"),
    [
        ({}, "  ", "is empty"),
        ({"engine": "oracle"}, "Who?", "only the questions of a run"),
        ({"engine": "server", "model": "m"}, "Who?", "teach.server"),
    ],
)
def test_what_cannot_be_asked_is_refused(small, changes, question, said):
    recipe = recipe_of({**RECIPE.resolved(), "teach": {"engine": "openai", **changes}}, "test")
    with pytest.raises(InputError, match=said):
        chat(recipe, question, store=small, opened=Opened())


def test_a_tool_that_cannot_be_had_here_is_refused(small):
    recipe = recipe_of({**RECIPE.resolved(), "teach": {"engine": "openai"}}, "test")
    with pytest.raises(InputError, match="python_interpreter: cannot be had on this machine"):
        chat(recipe, "Who?", store=small, opened=unconfined())


def test_a_picture_that_is_none_is_refused(small, tmp_path):
    opened = Opened()
    opened.put(engine_override_key("openai"), ScriptedEngine(lambda c: ""))
    with pytest.raises(InputError, match="cannot be read"):
        chat(RECIPE, "Who?", store=small, opened=opened, picture=str(tmp_path / "nowhere.jpg"))
    (tmp_path / "no.jpg").write_text("no picture")
    with pytest.raises(InputError, match="is no picture that can be read"):
        chat(RECIPE, "Who?", store=small, opened=opened, picture=str(tmp_path / "no.jpg"))


def test_the_command_asks_an_endpoint(small, picture, tmp_path):
    with running() as url:
        endpoints = json.dumps([{"name": "chat-mock", "base_url": url}])
        done = CliRunner().invoke(
            app,
            [
                "chat",
                "--recipe",
                "demo_without_python",
                "--store",
                small,
                "--picture",
                picture,
                "--set",
                f"models.endpoints={endpoints}",
                "--set",
                'models.roles={"agent": {"endpoint": "chat-mock", "model": "agent:1"}}',
                "What is this?",
            ],
        )
    assert done.exit_code == 0, done.output
    assert "observed" in done.output and "══ answer:" in done.output


def test_a_custom_tool_that_fails_is_an_observation_and_the_end_says_where_its_exception_is(
    small, picture
):
    turns = [
        teacher.call("failing", how="raise"),
        "<think>It failed.</think>\n<answer>unknown</answer>",
    ]
    custom = ["tests.agent.tools.test_custom_tools:FAILING"]
    tools = dataclasses.replace(RECIPE.teach.tools, custom=tuple(custom))
    recipe = dataclasses.replace(RECIPE, teach=dataclasses.replace(RECIPE.teach, tools=tools))
    opened = Opened()
    opened.put(engine_override_key("openai"), ScriptedEngine(lambda c: turns[c.turn]))
    said: list[str] = []
    episode = chat(recipe, "How far?", store=small, opened=opened, picture=picture, say=said.append)
    assert episode.end == "answered"
    assert "observed (provider_fault tool_error)" in "\n".join(said)
    assert said[-1].startswith("The custom tool failing failed in 1 of this episode's calls.")
