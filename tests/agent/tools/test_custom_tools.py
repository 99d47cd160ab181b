"""`examples/distance.py` as a recipe names it: offered to the policy, run by the tool box, part of what episodes are."""

import asyncio
import dataclasses

import pytest

from questloom.agent.setup import check_engine, prompt_renderer
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.tools import ToolBox
from questloom.agent.tools.tool_schema import Tool
from questloom.agent.turns.image_bank import ImageBank
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.teach.play_job import PlayJob
from questloom.records.episodes import ToolCall
from questloom.records.errors import InputError
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder

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


def _undescribed():
    async def undescribed(at, number: int):
        """Does not say what its argument is."""

    return Tool(undescribed)


async def finding(at):
    """Finds something."""


UNDESCRIBED, FINDING = _undescribed(), Tool(finding, finds=True)
CODING = Tool(finding, needs_sandbox=True)
