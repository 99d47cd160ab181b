"""Objects of other packages are loaded before work starts: a wrong name stops each command at once, and `doctor` names it."""

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.commands import doctor
from questloom.pipeline.commands.doctor import Status
from questloom.pipeline.plan import forecast
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from tests.pipeline.small_world import SETTINGS, small_recipe

GONE = "no_such_module:THING"
LIVE = {"text": {"kind": GONE, "address": "http://127.0.0.1:9", "price": 0}}
NAMED = {
    "filter": ({"filters": {"custom": [GONE]}}, "recipe key filters.custom"),
    "writer": ({"writer": GONE}, "recipe key writer"),
    "tool": ({"teach": {"tools": {"custom": [GONE]}}}, "recipe key teach.tools.custom"),
    "service": ({"teach": {"live": LIVE}}, "teach.live"),
}
TWICE = {"teach": {"tools": {"custom": ["examples.distance:TOOL", "examples.distance:TOOL"]}}}


@pytest.mark.parametrize("kind", NAMED)
def test_synth_and_plan_stop_at_a_missing_module_before_anything_is_written(kind, small, tmp_path):
    changes, key = NAMED[kind]
    with pytest.raises(InputError, match="there is no module 'no_such_module'") as refused:
        run_synth(small_recipe(**changes), store=small, out=str(tmp_path / "run"), opened=Opened())
    assert key in refused.value.where and not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="there is no module 'no_such_module'"):
        forecast(small_recipe(**changes), store=small, opened=Opened())


def test_two_tools_of_one_name_stop_synth(small, tmp_path):
    with pytest.raises(InputError, match="there is a tool distance already"):
        run_synth(small_recipe(**TWICE), store=small, out=str(tmp_path / "run"), opened=Opened())


@pytest.mark.parametrize("kind", ["filter", "writer", "tool", "service"])
def test_doctor_says_that_a_module_is_missing(kind):
    (line,) = doctor._extensions(small_recipe(**NAMED[kind][0]))
    assert (line.topic, line.name, line.status) == (f"custom {kind}", GONE, Status.MISSING)
    assert "there is no module 'no_such_module'" in line.detail and "folder of its file" in line.fix


def test_doctor_says_that_objects_load():
    recipe = small_recipe(
        filters={"custom": ["examples.no_sports:NoSports"]},
        teach={**SETTINGS["teach"], "tools": {"custom": ["examples.distance:TOOL"]}},
    )
    lines = list(doctor._extensions(recipe))
    assert [line.name for line in lines] == [
        "examples.no_sports:NoSports",
        "examples.distance:TOOL",
    ]
    assert {line.status for line in lines} == {Status.OK}
