"""A tool is one object in one file: what is added to the registry is in recipe, prompt, tool box and loop."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from questloom.agent.tool_registry import MODULES

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def said() -> dict:
    """What the readers of the registry say of the tool in `shout.py`."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.agent.tools.use_shout"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_recipe_may_name_it_and_no_tool_that_there_is_not(said):
    assert [schema["name"] for schema in said["schemas"]] == ["crop", "shout"]
    assert "'shout'" in said["unknown"] and "whisper" in said["unknown"]


def test_the_prompt_has_its_words_and_bounds(said):
    schema = said["schemas"][1]
    assert schema["description"] == "Says a text loudly."
    assert schema["parameters"]["properties"]["times"] == {
        "description": "How often.",
        "type": "integer",
        "minimum": 1,
        "maximum": 3,
        "default": 1,
    }


def test_the_tool_box_calls_it_and_refuses_what_its_schema_does_not_admit(said):
    assert said["said"] == ["ok", "AHOY AHOY"]
    assert said["refused"][:2] == ["model_fault", "bad_arguments"] and "times" in said["refused"][2]


def test_the_loop_knows_what_it_is_for(said):
    assert said["strategy"] == ["search", "compute"]


@pytest.mark.parametrize(("name", "module"), MODULES.items())
def test_each_name_is_that_of_its_function_and_each_tool_says_what_it_is_for(name, module):
    tool = import_module(module).TOOL
    assert tool.name == name and tool.kind in ("search", "read", "look", "compute")
