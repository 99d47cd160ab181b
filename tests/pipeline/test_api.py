"""The Python interface: its sessions hold, it is quiet, its errors are the project's, and importing it loads nothing."""

import doctest
import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import questloom
from questloom.pipeline import api, run
from tests.doctests import ROOT
from tests.pipeline.small_world import LEAN, SETTINGS, small_store

RECIPE = {
    **SETTINGS,
    "filters": LEAN,
    "seeds": {"count": 60, "rare_min_statements": 4, "anchor_min_in_degree": 1},
    "enhancement": {"share": 0},
    "run": {"shards": 1},
}
ORDER = [
    api.make_world,
    api.ingest,
    api.open_store,
    api.plan,
    api.synthesise,
    api.teach,
    api.load_run,
    run.Run,
    api.play,
    api.render_episode,
    api.score,
]
"""As a session goes: a run is read after it was made."""


@pytest.fixture(scope="module")
def session(tmp_path_factory) -> Path:
    """A folder with `world`, `store` and `small.yaml`, where the sessions of the docstrings are at home."""
    folder = tmp_path_factory.mktemp("session")
    small_store(folder)
    (folder / "small.yaml").write_text(yaml.safe_dump(RECIPE))
    return folder


def test_the_sessions_of_the_docstrings_hold_and_nothing_is_printed(session, monkeypatch, capfd):
    monkeypatch.chdir(session)
    runner = doctest.DocTestRunner(verbose=False)
    finder = doctest.DocTestFinder(recurse=False)
    for thing in ORDER:
        (found,) = finder.find(thing, thing.__name__, module=sys.modules[thing.__module__])
        said: list[str] = []
        done = runner.run(found, out=said.append)
        assert done.attempted and not done.failed, "".join(said)
    assert capfd.readouterr().err == ""


def test_each_function_of_the_interface_has_a_session():
    functions = {name for name in questloom.__all__ if name[0].islower()} - {"load_recipe"}
    assert {thing.__name__ for thing in ORDER} == {*functions, "Run"}


def test_the_interface_has_at_most_fifteen_names_and_each_is_typed():
    assert sorted(questloom.__all__) == sorted(api.__all__) == dir(questloom)
    assert len(questloom.__all__) <= 15
    for name in questloom.__all__:
        thing = getattr(questloom, name)
        assert thing.__doc__, name
        if name[0].islower():
            assert "return" in thing.__annotations__, name


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'synth'"):
        questloom.synth  # noqa: B018


def test_importing_the_package_loads_no_other_module():
    code = "import sys; before = set(sys.modules); import questloom; import json; print(json.dumps(sorted(set(sys.modules) - before)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = [m for m in json.loads(done.stdout) if m.split(".")[0] == "questloom"]
    assert loaded == ["questloom"]


def test_with_progress_what_is_done_is_told_on_stderr(tmp_path, capfd):
    questloom.make_world(tmp_path / "world", articles=20, pictures=False, progress=True)
    assert "writing articles and facts" in capfd.readouterr().err


def test_notes_go_to_the_log_where_it_is_quiet(session, tmp_path, caplog, capfd):
    (tmp_path / "bare").mkdir()
    picture = next((session / "world/images").glob("*.jpg"))
    shutil.copy(picture, tmp_path / "bare")
    with caplog.at_level(logging.INFO, logger="questloom"):
        questloom.ingest(
            tmp_path / "store",
            entities=[str(session / "world/entities.json.bz2")],
            images=[str(tmp_path / "bare")],
            snapshot="2026-01-01",
        )
    assert "its pictures have no licence" in caplog.text
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda at: questloom.open_store(at / "none"), "no store is there"),
        (lambda at: questloom.load_run(at), "is no run"),
        (lambda at: questloom.load_recipe("nothing"), "no such recipe"),
        (lambda at: questloom.synthesise(questloom.Recipe(), at / "none", at), "no store"),
        (lambda at: questloom.teach(at, at / "none"), "is no run"),
        (lambda at: questloom.score("nothing", at / "out"), "follows the form of a run"),
        (lambda at: questloom.score("nothing", at / "out", modes=["x"]), "is unknown"),
        (lambda at: questloom.make_world(at / "w", articles=0), "articles"),
        (lambda at: questloom.play(" ", store=at, recipe=questloom.Recipe()), "is empty"),
        (lambda at: questloom.play("Who?", store=at, recipe=questloom.Recipe()), "oracle"),
    ],
)
def test_what_is_wrong_is_an_input_error(tmp_path, call, said):
    with pytest.raises(questloom.InputError, match=said):
        call(tmp_path)


def test_an_error_of_the_system_is_told_as_ours(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(questloom.InputError, match="cannot be read or written"):
        questloom.make_world(tmp_path / "file" / "world", articles=20)


def test_the_lists_of_names_for_people_and_for_type_checkers_are_the_same():
    text = (ROOT / "questloom/__init__.py").read_text(encoding="utf-8")
    named = text.split("from questloom.pipeline.api import (")[1].split(")")[0]
    assert [n.strip() for n in named.split(",") if n.strip()] == questloom.__all__


def test_a_policy_that_has_played_nothing_is_named(session, tmp_path):
    recipe = questloom.load_recipe(str(session / "small.yaml"), ["seeds.count=20"])
    made = questloom.synthesise(recipe, session / "store", tmp_path / "run")
    opened = questloom.load_run(made.run)
    assert opened.questions and opened.policies == [] and opened.dataset == made.dataset
    assert opened.counts[-1].num_out == len(opened.questions)
    with pytest.raises(questloom.InputError, match="has played nothing"):
        opened.episodes("student")
