"""`examples/searxng.py` as a recipe names it: asked through the live provider, checked like the program's own, part of what episodes are."""

import json

import pytest

from questloom.agent.live.live_settings import ServiceSettings
from questloom.agent.live.services import serper
from questloom.agent.setup import check_engine
from questloom.pipeline.recipe import recipe_of
from questloom.records.errors import InputError
from tests.agent.live.live_bench import KEYS, LiveBench
from tests.agent.live.live_server import live_services

SEARXNG = "examples.searxng:SERVICE"
REPLY = {
    "query": "coasts",
    "results": [
        {"title": "Coast <b>A</b>", "url": "https://example.org/a", "content": "About A."},
        {"title": "no address", "url": "javascript:alert(1)", "content": "…"},
    ],
}


def play(kind: str, role: str = "text"):
    live = {role: {"kind": kind, "address": "http://localhost:8888", "price": 0}}
    return recipe_of({"teach": {"engine": "transformers", "model": "m", "live": live}}, "test")


def test_it_is_asked_as_it_wants_and_its_reply_is_read_with_suspicion(tmp_path, monkeypatch):
    monkeypatch.setenv(KEYS, "of-the-other-services")
    with live_services() as services:
        services.next("/search", "json:" + json.dumps(REPLY))
        setting = ServiceSettings(kind=SEARXNG, address=services.base, price=0.0)
        bench = LiveBench(services, tmp_path, text=setting)
        result = bench.call("text_search", query="coasts", top_k=3)
        bench.close()
        ((path, method, _, asked),) = services.asked
    assert (path, method, asked) == ("/search", "GET", {"q": "coasts", "format": "json"})
    assert "Coast A" in result.text and "About A." in result.text
    assert "no address" not in result.text


def test_its_version_is_part_of_what_the_episodes_are_and_the_recipe_is_stored_as_it_was_written():
    recipe = play(SEARXNG)
    (identity,) = recipe.teach.extensions
    assert identity.startswith(f"{SEARXNG} (source ")
    assert recipe.resolved()["teach"]["live"]["text"]["kind"] == SEARXNG
    assert recipe_of(recipe.resolved(), "test") == recipe


@pytest.mark.parametrize(
    ("kind", "role", "said"),
    [
        (SEARXNG, "words", "cannot do that"),
        ("examples.distance:TOOL", "text", "is Tool"),
        ("tests.agent.live.own_search:SERVICE", "text", "is Service"),
        (f"{serper.__name__}:SERVICE", "text", "two live services have the name serper"),
        ("no_such_module:SERVICE", "text", "there is no module 'no_such_module'"),
    ],
)
def test_what_is_no_service_of_the_role_is_refused_before_it_is_asked(kind, role, said):
    recipe = play(kind, role)
    with pytest.raises(InputError, match=said):
        check_engine(recipe.teach, recipe.models)


def test_a_name_that_is_neither_a_service_nor_an_import_path_is_refused_with_the_recipe():
    with pytest.raises(InputError, match=r"teach\.live\.text\.kind"):
        play("searxngg")
