"""Schemas come from signatures and docstrings; whatever a schema admits the tool box admits, and the other way round."""

import asyncio
import json

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from questloom.agent.tool_settings import ALL_TOOLS
from questloom.agent.tools import ToolBox, ToolSettings, call_handle
from questloom.agent.tools.toolbox import TOOLS, offered_tools
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.tool_output import ToolFault
from questloom.records.episodes import ToolCall
from tests.agent.tools.calling import WITHOUT_PYTHON, box_with


def functions(box: ToolBox) -> dict[str, dict]:
    return {schema["function"]["name"]: schema["function"] for schema in box.schemas()}


def test_every_tool_has_a_schema_in_the_order_of_the_table_and_each_argument_is_described(box):
    found = functions(box)
    assert list(found) == list(WITHOUT_PYTHON)
    assert all(schema["type"] == "function" for schema in box.schemas())
    for function in found.values():
        jsonschema.Draft202012Validator.check_schema(function["parameters"])
        assert function["description"] and function["parameters"]["additionalProperties"] is False
        assert all(part["description"] for part in function["parameters"]["properties"].values())
    json.dumps(found)


def test_the_settings_name_every_tool_of_the_table_in_its_order():
    assert tuple(tool.name for tool in TOOLS) == ALL_TOOLS == ToolSettings().tools


def test_with_a_sandbox_all_tools_have_a_schema(provider, sandbox):
    assert tuple(functions(ToolBox(provider, sandbox=sandbox))) == ALL_TOOLS


def test_the_schema_of_a_tool_is_as_its_signature_says(box):
    crop = functions(box)["crop"]
    assert crop["parameters"]["required"] == ["handle", "box"]
    assert crop["parameters"]["properties"]["box"]["minItems"] == 4 and crop["parameters"][
        "properties"
    ]["box"]["items"] == {"type": "number", "minimum": 0, "maximum": 1000}
    assert functions(box)["text_search"]["parameters"]["properties"]["top_k"] == {
        "description": "How many results.",
        "type": "integer",
        "minimum": 1,
        "maximum": 20,
        "default": 5,
    }
    assert functions(box)["image_search"]["parameters"]["required"] == []


def test_the_searches_say_how_many_results_they_bring(provider):
    said = {
        name: function["description"]
        for name, function in functions(box_with(provider, max_new_pictures=7)).items()
    }
    assert "The first 7 hits" in said["image_search"] and "5 pages at most" in said["web_search"]


def test_a_recipe_may_give_fewer_tools(provider):
    assert list(functions(box_with(provider, tools=("visit", "text_search")))) == [
        "text_search",
        "visit",
    ]


def test_with_handles_hidden_no_schema_and_no_text_names_one_and_pixels_stay(provider, bank):
    box = box_with(provider, handles=False)
    assert all("handle" not in f["parameters"]["properties"] for f in functions(box).values())
    assert "<image:" not in json.dumps(box.schemas())
    crop = asyncio.run(
        box.call(ToolCall(name="crop", arguments={"box": [0, 0, 500, 500]}), bank, turn=1)
    )
    found = asyncio.run(box.call(ToolCall(name="image_search", arguments={}), bank, turn=2))
    words = asyncio.run(
        box.call(ToolCall(name="image_search", arguments={"query": "Ardwen Light"}), bank, turn=2)
    )
    assert crop.images == (1,) and bank.get(1).parent == 0 and found.images and words.images
    assert "<image:" not in crop.text + found.text + words.text and "160×120 pixels" in crop.text
    told = asyncio.run(
        box.call(
            ToolCall(name="crop", arguments={"handle": 0, "box": [0, 0, 500, 500]}), bank, turn=3
        )
    )
    assert told.code == "bad_arguments"


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 1001),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=5),
    st.sampled_from(["<image:0>", "horizontal", "x"]),
    st.lists(st.floats(0, 1000, width=32), max_size=5),
)


@pytest.mark.parametrize("tool", offered_tools(ToolSettings()).values(), ids=lambda tool: tool.name)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_what_the_box_reads_fits_the_schema(tool, data):
    names = [*tool.schema(handles=True)["function"]["parameters"]["properties"], "other"]
    arguments = data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=4))
    schema = tool.schema(handles=True)["function"]["parameters"]
    fits = jsonschema.Draft202012Validator(schema).is_valid(arguments)
    try:
        tool.read(arguments, handles=True)
        read = True
    except ToolFault:
        read = False
    absent = {
        k: v for k, v in arguments.items() if v is not None
    }  # null for an argument that may be left out is let pass
    if read:
        assert jsonschema.Draft202012Validator(schema).is_valid(absent)
    elif tool.name != "image_search":  # "one of the two" is the tool's own check
        assert not fits


def test_the_handle_of_a_call_is_read_for_statistics():
    assert [
        call_handle(ToolCall(name="crop", arguments=a))
        for a in (
            {"handle": 2},
            {"handle": "<image:3>"},
            {"query": "x"},
            {"handle": [1]},
            "x",
            None,
        )
    ] == [2, 3, None, None, None, None]


def test_a_bank_is_not_needed_to_describe_tools(provider):
    assert box_with(provider).schemas() == box_with(provider).schemas() and len(ImageBank()) == 0
