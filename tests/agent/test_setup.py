"""What plays is put together from settings alone: a tool that a machine cannot have is refused, never left out."""

import pytest

from questloom.agent.play_settings import OracleSettings, PlaySettings
from questloom.agent.setup import PlayPlace, check_engine, open_toolbox, opened_sandbox
from questloom.agent.tool_settings import ALL_TOOLS
from questloom.agent.tools import ToolSettings
from questloom.agent.turns.limits import Limits
from questloom.files.opened import Opened
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.model_settings import ModelSettings
from questloom.records.errors import InputError
from tests.agent.small_provider import SmallWorld
from tests.agent.tools.calling import WITHOUT_PYTHON
from tests.small_sandboxes import unconfined


def test_a_tool_that_runs_code_is_refused_where_code_cannot_be_confined():
    with pytest.raises(InputError) as caught:
        opened_sandbox(ALL_TOOLS, unconfined())
    assert (
        "python_interpreter" in caught.value.where
        and "bubblewrap is not installed" in caught.value.what
    )
    assert all(
        way in caught.value.fix
        for way in (
            "apt-get install bubblewrap",
            "teach.tools.tools",
            "filters.oracle_tools",
            "demo_without_python",
        )
    )


def test_a_tool_box_is_not_opened_with_a_tool_less():
    opened = unconfined()
    opened.put(("searches", "store", "small", None), SmallWorld())
    at = PlayPlace("store", lambda: "", ModelSettings(), opened)
    with pytest.raises(InputError, match="cannot be had on this machine"):
        open_toolbox(PlaySettings(), at)
    box = open_toolbox(PlaySettings(tools=ToolSettings(tools=WITHOUT_PYTHON)), at)
    assert [schema["function"]["name"] for schema in box.schemas()] == list(WITHOUT_PYTHON)


@pytest.mark.parametrize(
    "limits",
    [Limits(), Limits(on_violation="observe", faults=1), Limits(on_violation="observe", faults=2)],
)
def test_slips_of_the_oracle_are_refused_under_limits_that_they_would_end_an_episode_by(limits):
    with pytest.raises(InputError, match=r"teach.oracle.slips"):
        check_engine(
            PlaySettings(limits=limits, oracle=OracleSettings(sighted=True, slips=0.1)),
            ModelSettings(),
        )
    check_engine(PlaySettings(limits=limits), ModelSettings())
    check_engine(
        PlaySettings(
            limits=Limits(on_violation="observe", faults=3),
            oracle=OracleSettings(sighted=True, slips=0.1),
        ),
        ModelSettings(),
    )


def test_where_no_tool_runs_code_no_sandbox_is_tried():
    opened = Opened()
    assert opened_sandbox(WITHOUT_PYTHON, opened) is None and opened.get("sandbox") is None


@pytest.mark.parametrize(
    ("models", "summaries", "reads"),
    [
        ("default", True, True),
        ("default", False, False),
        ("read_page", False, True),
        ("read_page", True, True),
    ],
)
def test_the_default_model_reads_pages_where_the_settings_ask_for_summaries_and_one_named_for_it_always(
    tmp_path, models, summaries, reads
):
    opened = Opened()
    opened.put(("searches", "store", "small", None), SmallWorld())
    here = EndpointConfig(name="here", base_url="http://127.0.0.1:9/v1")
    settings = ModelSettings(
        endpoints=(here,), roles={models: RoleConfig(endpoint="here", model="m")}
    )
    at = PlayPlace("store", lambda: tmp_path / "calls.sqlite", settings, opened)
    box = open_toolbox(
        PlaySettings(tools=ToolSettings(tools=WITHOUT_PYTHON, summaries=summaries)), at
    )
    assert (box.summarise is not None) is reads
