"""What lies where in a loop, what a folder refuses to become, and which loop may go on."""

import json
import shlex

import pytest

from questloom.pipeline.evolve.loop_folder import FILES, STEPS, VERSION, LoopFolder, write_json
from questloom.records.errors import InputError
from tests.pipeline.evolve.made import a_loop, a_round, recipe


def test_rounds_are_numbered_folders_in_order_and_only_those_that_were_begun_count(tmp_path):
    loop = a_loop(tmp_path)
    assert loop.rounds() == [] == LoopFolder(tmp_path / "nowhere").rounds()
    for number in (2, 10, 1):
        loop.round(number).begin(loop.recipe, model="", parent=0)
    (loop.round(3).path).mkdir()
    assert [each.number for each in loop.rounds()] == [1, 2, 10] and [
        each.number for each in loop.rounds(before=2)
    ] == [1]
    assert (
        loop.round(2).path == loop.path / "rounds" / "02"
        and loop.held_out(2).path == loop.path / "held_out" / "02"
    )
    assert [
        getattr(loop.round(2), part).path for part in ("synth", "batch", "unsolved", "data")
    ] == [
        str(loop.path / "rounds" / "02" / part) for part in ("synth", "batch", "unsolved", "data")
    ]


def test_a_step_is_done_where_its_file_stands_and_each_has_one_of_its_own(tmp_path):
    at = a_loop(tmp_path).round(1)
    assert set(FILES) == set(STEPS) and len(set(FILES.values())) == 5
    for step in STEPS:
        assert not at.done(step)
        at.write(step, {"step": step})
        assert (
            at.done(step) and at.read(step) == {"step": step} and (at.path / FILES[step]).is_file()
        )


def test_what_has_not_ended_says_by_which_command_it_is_run(tmp_path):
    loop = a_loop(tmp_path / "a folder")
    with pytest.raises(InputError) as caught:
        loop.round(2).read("verify")
    assert (
        f"Run it first: questloom evolve --out {shlex.quote(str(loop.path))} --round 2 --step verify"
        in str(caught.value)
    )
    with pytest.raises(InputError, match="has no recipe yet"):
        _ = loop.round(2).model
    assert not loop.round(2).has_recipe


def test_a_round_keeps_its_recipe_its_policys_model_and_the_round_that_it_was_edited_from(tmp_path):
    at = a_loop(tmp_path).round(3)
    at.begin(recipe(), model="/new", parent=1)
    assert (at.recipe, at.model, at.parent, at.number) == (recipe(), "/new", 1, 3)


def test_a_loop_is_begun_once_and_found_again(tmp_path):
    loop = LoopFolder(tmp_path / "loop")
    assert not loop.begun
    with pytest.raises(InputError, match=r"is no loop \(no loop.json in it\)"):
        _ = loop.store
    loop.begin(recipe(), store="/store", digest="d")
    before = (loop.path / "loop.json").read_bytes()
    again = LoopFolder(loop.path)
    again.begin(recipe(), store="/store", digest="d")
    assert (
        again.begun
        and (again.store, again.recipe) == ("/store", recipe())
        and (loop.path / "loop.json").read_bytes() == before
    )
    assert json.loads(before)["version"] == VERSION == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"store": "/other"}, "holds a loop with another store"),
        ({"digest": "e"}, "another digest"),
        ({"store": "/o", "digest": "e"}, "another digest and store"),
    ],
)
def test_a_folder_with_another_loop_is_refused(tmp_path, changes, words):
    loop = LoopFolder(tmp_path)
    loop.begin(recipe(), store="/store", digest="d")
    with pytest.raises(InputError, match=words):
        LoopFolder(tmp_path).begin(recipe(), **{"store": "/store", "digest": "d", **changes})


def test_a_folder_with_something_else_is_refused_and_an_empty_one_is_taken(tmp_path):
    (tmp_path / "empty").mkdir()
    LoopFolder(tmp_path / "empty").begin(recipe(), store="/store", digest="d")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter").touch()
    with pytest.raises(InputError, match="is not empty and holds no loop"):
        LoopFolder(tmp_path / "full").begin(recipe(), store="/store", digest="d")


@pytest.mark.parametrize(
    ("version", "goes_on"), [(VERSION, True), (1, False), (None, False), (99, False)]
)
def test_a_loop_goes_on_only_by_the_version_that_drew_its_rounds(tmp_path, version, goes_on):
    loop = a_loop(tmp_path)
    facts = {
        key: value
        for key, value in json.loads((loop.path / "loop.json").read_text()).items()
        if key != "version"
    }
    write_json(loop.path / "loop.json", facts | ({"version": version} if version else {}))
    if goes_on:
        LoopFolder(loop.path).check_version()
        return
    with pytest.raises(InputError, match="a loop of another version"):
        LoopFolder(loop.path).check_version()


def test_a_step_file_is_a_line_of_json_that_two_runs_write_alike(tmp_path):
    write_json(tmp_path / "new" / "a.json", {"b": 1, "a": "ä"})
    assert (tmp_path / "new" / "a.json").read_text(encoding="utf-8") == '{"a":"ä","b":1}\n'


def test_seeds_of_purposes_differ_and_fit_where_a_recipe_takes_them(tmp_path):
    loop = a_loop(tmp_path)
    seeds = {loop.seed_of(f"round {number}") for number in range(1, 200)} | {
        loop.seed_of("held out")
    }
    assert len(seeds) == 200 and min(seeds) >= 0 and max(seeds) < 2**31 and max(seeds) > 2**29
    assert loop.seed_of("round 1") == a_loop(tmp_path / "again").seed_of("round 1")


def test_a_round_has_the_recipe_with_which_its_run_was_made(tmp_path):
    at = a_round(a_loop(tmp_path), 1)
    write_json(
        at.path / "synth" / "recipe.json",
        {"recipe": recipe(tasks=5).resolved(), "fingerprint": "f", "store": "d"},
    )
    assert at.as_run == recipe(tasks=5) != at.recipe
