"""Every notebook runs from its first cell to its last on a small run, and is stored without outputs."""

import json
from pathlib import Path
from typing import Any

import pytest

import questloom
from tests.doctests import ROOT
from tests.pipeline.small_world import LEAN, small_recipe

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
MADE = {
    "look_at_a_data_set": ("tasks", "question"),
    "from_pictures_to_questions": ("outcome", "store"),
    "watch_and_score_an_agent": ("episode", "result"),
}
"""Names that a notebook leaves, by the notebook."""


def cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def outputs(notebook: list[dict[str, Any]]) -> list[str]:
    """Ids of the cells that hold outputs or were counted."""
    return [c["id"] for c in notebook if c.get("outputs") or c.get("execution_count") is not None]


def play(notebook: list[dict[str, Any]]) -> dict[str, Any]:
    """Runs the code cells in one namespace, which is given; a failure names its cell."""
    names: dict[str, Any] = {}
    for cell in notebook:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    return names


@pytest.fixture(scope="module")
def demo(small, tmp_path_factory) -> Path:
    """A folder with `demo/store` and `demo/run`, as `make demo` leaves them."""
    folder = tmp_path_factory.mktemp("notebooks")
    (folder / "demo").mkdir()
    (folder / "demo/store").symlink_to(small)
    recipe = small_recipe(
        filters=LEAN,
        seeds={"count": 60, "rare_min_statements": 4, "anchor_min_in_degree": 1},
        enhancement={"share": 0},
    )
    questloom.synthesise(recipe, small, folder / "demo/run")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_makes_what_it_shows(path, demo, monkeypatch, capsys):
    monkeypatch.chdir(demo)
    made = play(cells(path))
    assert all(made[name] is not None for name in MADE[path.stem])
    assert capsys.readouterr().out
    if "episode" in made:
        assert made["episode"].answer == made["question"].answer.text


def test_the_notebooks_are_these_three():
    assert {path.stem for path in NOTEBOOKS} == MADE.keys()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path):
    assert outputs(cells(path)) == []


def test_a_cell_with_an_output_or_an_error_is_refused():
    assert outputs([{"id": "a", "outputs": [{}]}, {"id": "b", "execution_count": 1}]) == ["a", "b"]
    with pytest.raises(NameError):
        play([{"id": "a", "cell_type": "code", "source": ["nothing_here"]}])
