"""`examples/distance.py` as a recipe names it: offered to the policy, run by the tool box, part of what episodes are."""

import asyncio
import dataclasses
import re

import pytest

from questloom.agent.setup import check_engine, prompt_renderer
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.tools import ToolBox
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Tool
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.tool_output import Output, model_fault
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.teach.play_job import PlayJob
from questloom.records.episodes import ToolCall
from questloom.records.errors import InputError
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder
from tests.doctests import ROOT

DISTANCE = "examples.distance:TOOL"
HERE = "tests.agent.tools.test_custom_tools"
NO_TOOL = "a text"
CALL = {"latitude": 0, "longitude": 10, "to_latitude": 0, "to_longitude": 100}
"""A quarter of the Equator: 6,371 km times π / 2."""


class Nowhere:
    """A provider that this tool does not ask."""

    snapshot = "none"


def teach(*custom: str):
    return recipe_of({"teach": {"tools": {"tools": ["crop"], "custom": custom}}}, "test").teach


def played(settings):
    """What is stored of other packages among all that bears on the episodes."""
    recipe = dataclasses.replace(recipe_of({}, "test"), teach=settings)
    out = EpisodeFolder("run/episodes/teacher")
    job = PlayJob(RunFolder("run"), "store", recipe, out=out, questions="of a run")
    return job.played.get("extensions")


def call(**arguments):
    box = ToolBox(Nowhere(), settings=teach(DISTANCE).tools)  # type: ignore[arg-type]
    return asyncio.run(
        box.call(ToolCall(name="distance", arguments=arguments), ImageBank(), turn=0)
    )


def test_it_answers_a_call_and_checks_its_arguments():
    result = call(**CALL)
    assert (result.status, result.text) == ("ok", "10,007.5 km")
    refused = call(**CALL | {"latitude": 91})
    assert refused.code == "bad_arguments" and "latitude" in refused.text


def test_the_policy_is_told_of_it_behind_the_tools_of_the_program():
    schemas = ToolBox(Nowhere(), settings=teach(DISTANCE).tools).schemas()  # type: ignore[arg-type]
    assert [schema["function"]["name"] for schema in schemas] == ["crop", "distance"]
    assert "distance of two places" in str(prompt_renderer(teach(DISTANCE)).__dict__)


def test_its_version_is_part_of_what_the_episodes_are():
    (identity,) = teach(DISTANCE).extensions
    assert identity.startswith(f"{DISTANCE} (source ")
    assert teach().extensions == []
    assert played(teach(DISTANCE)) == [identity] and played(teach()) is None


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (f"{HERE}:NO_TOOL", "is 'a text', and no Tool"),
        ("questloom.agent.tools.crop:TOOL", "there is a tool crop already"),
        ("questloom.agent.tools.flip:TOOL", "there is a tool flip already"),
        (f"{HERE}:UNDESCRIBED", "cannot be described"),
        (f"{HERE}:FINDING", "brings pictures from outside"),
        (f"{HERE}:CONTEXTLESS", "begins with the argument `miles: float`, and .* the context"),
        (f"{HERE}:BARE", "takes no argument, and .* the context"),
        (f"{HERE}:UNTYPED", "has the argument `miles` without a type"),
        (f"{HERE}:TEXT", "returns str, and a tool must return an Output"),
        (f"{HERE}:PLAIN", "is no async function"),
        (f"{HERE}:CODING", "no sandbox is opened without python_interpreter"),
        ("no_such_module:TOOL", "there is no module 'no_such_module'"),
    ],
)
def test_what_is_no_tool_is_refused_before_the_policy_plays(named, said):
    settings = teach(named)
    with pytest.raises(InputError, match=said) as refused:
        check_engine(settings, recipe_of({}, "test").models)
    assert refused.value.where == f"recipe key teach.tools.custom: {named}"


def test_settings_without_custom_tools_offer_those_of_the_program_alone():
    names = [
        s["function"]["name"]
        for s in ToolBox(Nowhere(), settings=ToolSettings(tools=("crop",))).schemas()
    ]  # type: ignore[arg-type]
    assert names == ["crop"]


def test_a_tool_without_descriptions_is_shown_the_docstring_that_it_needs():
    with pytest.raises(InputError) as refused:
        check_engine(teach(f"{HERE}:UNDESCRIBED"), recipe_of({}, "test").models)
    assert "describes [], the signature has ['number']" in refused.value.what
    assert "\n    Args:\n        number: What this argument is.\n" in refused.value.fix


def test_the_name_of_the_context_is_free_and_no_argument_for_the_model():
    schemas = ToolBox(Nowhere(), settings=teach(f"{HERE}:RENAMED").tools).schemas()  # type: ignore[arg-type]
    assert schemas[-1]["function"]["parameters"]["properties"].keys() == {"miles"}


def test_the_tool_in_contributing_works_as_it_stands_there(tmp_path, monkeypatch):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = (b for b in re.findall(r"^```\n(.*?)^```$", text, re.M | re.S) if "TOOL =" in b)
    (tmp_path / "contributed_tool.py").write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    box = ToolBox(Nowhere(), settings=teach("contributed_tool:TOOL").tools)  # type: ignore[arg-type]
    results = [
        asyncio.run(box.call(ToolCall(name="miles", arguments=given), ImageBank(), turn=0))
        for given in ({"miles": 10}, {"miles": -1})
    ]
    assert [r.text for r in results] == ["16.1 km", "Give miles of 0 or more."]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("raise", "ValueError: the key is sk-42"),
        ("text", "TypeError: it returned 'a text', and a tool must return an Output"),
        ("parts", "TypeError: its Output has the parts 'a text', and parts must be a tuple"),
        ("timeout", "TimeoutError: its service"),
    ],
)
def test_a_failure_of_a_tool_is_a_result_that_names_the_tool_and_the_log_has_the_exception(
    how, said, caplog
):
    box = ToolBox(Nowhere(), settings=teach(f"{HERE}:FAILING").tools)  # type: ignore[arg-type]
    made = ToolCall(name="failing", arguments={"how": how})
    result = asyncio.run(box.call(made, ImageBank(), turn=0))
    assert (result.status, result.code) == ("provider_fault", "tool_error")
    kind = said.partition(":")[0]
    assert result.text.startswith(f"The tool failed: failing raised {kind}.")
    assert "sk-42" not in result.text, "a message may hold a key, and episodes are published"
    (record,) = [r for r in caplog.records if r.name == "questloom.tools"]
    assert "the custom tool failing failed (failure " in record.getMessage()
    assert said in record.getMessage() and ".py, line " in record.getMessage()


def test_a_fault_that_a_tool_raises_on_purpose_reaches_the_model_in_the_tools_words():
    box = ToolBox(Nowhere(), settings=teach(f"{HERE}:FAILING").tools)  # type: ignore[arg-type]
    made = ToolCall(name="failing", arguments={"how": "fault"})
    result = asyncio.run(box.call(made, ImageBank(), turn=0))
    assert (result.status, result.text) == ("model_fault", "Give miles above 0.")


def _undescribed():
    async def undescribed(at, number: int):
        """Does not say what its argument is."""

    return Tool(undescribed)


async def finding(at):
    """Finds something."""


async def contextless(miles: float) -> Output:
    """Converts miles.

    Args:
        miles: A distance.
    """


async def bare() -> Output:
    """Takes nothing."""


async def untyped(at: Context, miles) -> Output:
    """Converts miles.

    Args:
        miles: A distance.
    """


async def text(at: Context) -> str:
    """Returns a text."""
    return "a text"


def plain(at: Context) -> Output:
    """Is not async."""


async def renamed(context: Context, miles: float) -> Output:
    """Converts miles.

    Args:
        miles: A distance.
    """


async def failing(at: Context, how: str):
    """Fails.

    Args:
        how: In which way.
    """
    match how:
        case "raise":
            raise ValueError("the key is sk-42")
        case "timeout":
            raise TimeoutError("its service")
        case "fault":
            raise model_fault("bad_miles", "Give miles above 0.")
        case "parts":
            return Output(parts="a text")
    return "a text"


CONTEXTLESS, BARE, UNTYPED, TEXT = Tool(contextless), Tool(bare), Tool(untyped), Tool(text)
PLAIN, RENAMED, FAILING = Tool(plain), Tool(renamed), Tool(failing)
UNDESCRIBED, FINDING = _undescribed(), Tool(finding, finds=True)
CODING = Tool(finding, needs_sandbox=True)
