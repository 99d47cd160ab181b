"""A live service is one object in one file: what is added to the registry is in recipe, reference and provider."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from questloom.agent.live.services.registry import SERVICES, check
from questloom.agent.live.services.service import ROLES, Service
from tests.agent.live import own_search

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict:
    """What the readers of the registry say of the service in `own_search.py`."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.agent.live.use_own_search", tmp_path_factory.mktemp("own")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_recipe_may_name_it_and_no_service_that_there_is_not(said):
    assert said["accepted"] == ""
    assert "'own_search'" in said["unknown"] and "their_search" in said["unknown"]


def test_its_settings_are_keys_of_the_recipe_and_those_that_it_requires_are_not_empty(said):
    assert "Did you mean live.text.shelf?" in said["misspelt"].replace("teach.", "")
    assert "live.text.shelf" in said["empty"] and "own_search needs it" in said["empty"]


def test_it_needs_an_address_where_it_has_no_public_one(said):
    assert "live.text.address" in said["no_address"]


def test_it_does_what_its_role_says_and_is_offered_for_that(said):
    assert "own_search cannot do that" in said["elsewhere"]
    assert "own_search" not in said["elsewhere"].partition("Take one of")[2]
    assert "own_search" in said["instead"].partition("Take one of")[2]


def test_the_reference_has_its_help_and_its_settings(said):
    assert "`own_search`: (text search) Searches one shelf." in said["reference"]
    assert '| `teach.live.text.shelf` | `""` | text | Own search:' in said["reference"]


def test_doctor_says_what_it_is_for_or_what_it_lacks(said):
    good, bad = said["doctor"]
    assert good == ["own_search", "ok", "Searches one shelf."]
    assert bad[:2] == ["own_search", "missing"] and "NO_SUCH_VARIABLE holds no key" in bad[2]


def test_a_tool_asks_it_with_its_settings_and_its_key(said):
    assert said["asked"] == ["/search", {"q": "maps: coasts", "num": 1}, "Reader secret"]
    assert said["result"][0] == "ok" and "coasts" in said["result"][1]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"name": "serper", "settings": None, "required": ()}, "have the name serper"),
        ({"settings": SERVICES[2].settings}, "requires shelf, which its settings lack"),
        ({"name": "own search"}, "'own search' is no name"),
        ({"role": "smell"}, "'smell' is no role; there are text, picture"),
        ({"help": ""}, "'' is no sentence"),
        ({"help": "searches one shelf."}, "is no sentence"),
    ],
)
def test_a_service_that_clashes_or_lacks_something_is_refused(changes, why):
    with pytest.raises(ValueError, match=why):
        check((*SERVICES, dataclasses.replace(own_search.SERVICE, **changes)))


def test_two_services_with_settings_of_their_own_share_no_key():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Others:
        engine: str = ""

    changes = {"settings": Others, "required": ()}
    with pytest.raises(ValueError, match="the settings key engine"):
        check((*SERVICES, dataclasses.replace(own_search.SERVICE, **changes)))


def test_the_readme_has_a_line_of_each():
    text = (ROOT / "agent/live/services/README.md").read_text(encoding="utf-8")
    rows = [f"| `{each.name}.py` | {ROLES[each.role]} | {each.help} |" for each in SERVICES]
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows


def test_a_service_without_its_rule_cannot_be_made():
    with pytest.raises(TypeError, match="'ask' and 'read'"):
        Service(name="silent", role="text", help="Says nothing.")  # type: ignore[call-arg]
