"""Which tools have to be there before a job starts: those that somebody plays with, and no others."""

import pytest

from questloom.agent.tool_settings import ALL_TOOLS
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.needed_tools import tools_of_filter, tools_of_run

MODEL = {
    "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
    "roles": {"answer_with_search": {"endpoint": "e", "model": "m"}},
}


@pytest.mark.parametrize(
    ("changes", "tools"),
    [
        ({"filters": {"oracle": True}}, ALL_TOOLS),
        ({"filters": {"oracle": True, "oracle_tools": ["visit"]}}, ("visit",)),
        ({}, ()),
        ({"filters": {"oracle": True, "solvable": False}}, ()),
        ({"filters": {"oracle": True}, "models": MODEL}, ()),
    ],
)
def test_the_main_job_needs_tools_only_where_the_oracle_plays(changes, tools):
    assert tools_of_filter(recipe_of(changes, "test")) == tools


def test_a_run_needs_the_teachers_too():
    recipe = recipe_of(
        {
            "filters": {"oracle": True, "oracle_tools": ["visit"]},
            "teach": {"tools": {"tools": ["crop"]}},
        },
        "test",
    )
    assert tools_of_run(recipe) == ("visit", "crop")
