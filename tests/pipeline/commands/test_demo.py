"""Which recipe the demo runs: the one that is named, and else what this machine can have, said aloud."""

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.commands.demo import choose_recipe, write_once
from questloom.records.errors import InputError
from tests.small_sandboxes import confined, unconfined


def test_where_code_can_be_confined_it_is_the_demo_and_nothing_is_said(capsys):
    assert choose_recipe("", confined()).name == "demo" and capsys.readouterr().err == ""


def test_where_it_cannot_the_recipe_without_python_is_run_and_named_with_the_reason(capsys):
    assert choose_recipe("", unconfined()).name == "demo_without_python"
    said = capsys.readouterr().err
    assert (
        said.count("\n") == 1
        and "demo_without_python" in said
        and "bubblewrap is not installed" in said
    )


def test_a_recipe_that_is_named_is_run_or_refused():
    assert choose_recipe("demo_without_python", unconfined()).name == "demo_without_python"
    assert choose_recipe("paintings", confined()).name == "paintings"
    with pytest.raises(InputError, match="python_interpreter"):
        choose_recipe("demo", unconfined())
    with pytest.raises(InputError, match="no such recipe"):
        choose_recipe("dmeo", Opened())


def test_a_world_that_stands_is_not_written_anew_for_its_store_knows_the_age_of_its_files(
    tmp_path, capsys
):
    write_once(tmp_path, articles=60, seed=1, workers=1, learning=True)
    assert "goes on" not in capsys.readouterr().err
    before = (tmp_path / "entities.json.bz2").stat().st_mtime_ns
    write_once(tmp_path, articles=60, seed=1, workers=1, learning=True)
    assert (tmp_path / "entities.json.bz2").stat().st_mtime_ns == before
    assert capsys.readouterr().err == f"questloom: goes on from what is done in {tmp_path.parent}\n"
    write_once(tmp_path, articles=60, seed=2, workers=1, learning=True)
    assert (tmp_path / "entities.json.bz2").stat().st_mtime_ns != before
