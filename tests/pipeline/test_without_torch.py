"""What reads, plans, synthesises with the graph writer and reports runs where PyTorch is not installed; what needs it names the extra."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from questloom.files import extras
from questloom.files.extras import EXTRAS, error_of_import, require
from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.synth.synth_job import needs_vectors
from questloom.records.errors import InputError
from tests.doctests import ROOT
from tests.pipeline.small_world import LEAN, small_recipe

SHAPE = """
import importlib.machinery, sys
REFUSED = {"torch", "torchvision", "open_clip", "transformers", "accelerate", "peft", "tokenizers", "tensorboard", "timm", "trl"}
class Without(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in REFUSED else super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Without
"""
"""In the process such packages are as if they were not installed."""
TAKES = (
    SHAPE
    + """
import json
from pathlib import Path
import questloom
from questloom.pipeline.recipe import recipe_of
store, out = sys.argv[1:]
recipe = recipe_of(json.loads(Path(out, "recipe.json").read_text()), "test")
entities = questloom.open_store(store).num_rows("entities")
forecast = questloom.plan(recipe, store)
outcome = questloom.synthesise(recipe, store, out + "/run")
run = questloom.load_run(out + "/run")
print(json.dumps([entities, forecast.asked, outcome.exit_code, len(run.questions), outcome.dataset, run.report(), sorted(REFUSED & set(sys.modules))]))
"""
)
HELP = (
    SHAPE
    + """
from questloom.pipeline.cli import main
sys.argv[1:] = sys.argv[1:] or ["--help"]
main()
"""
)


def without_torch(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def settings(tmp_path) -> dict:
    recipe = small_recipe(
        filters={**LEAN, "text_search": True},
        seeds={"count": 140, "rare_min_statements": 4, "anchor_min_in_degree": 1},
        enhancement={"share": 0},
    )
    (tmp_path / "recipe.json").write_text(json.dumps(recipe.resolved()))
    return recipe.resolved()


def test_a_run_is_planned_made_read_and_reported_without_torch(small, settings, tmp_path):
    done = without_torch(TAKES, small, str(tmp_path))
    assert done.returncode == 0, done.stderr[-3000:]
    entities, asked, exit_code, kept, dataset, report, loaded = json.loads(done.stdout)
    assert entities > 80 and asked == 140 and exit_code == 0 and kept > 0
    assert Path(dataset).is_dir() and Path(report).is_file() and loaded == []


def test_the_command_line_says_its_help_without_torch():
    done = without_torch(HELP)
    assert done.returncode == 0 and "synth" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["train", "sft", "--data", "x", "--model", "m", "--out", "o"], "train"),
        (["synth", "--store", "STORE", "--out", "OUT", "--recipe", "demo_without_python"], "clip"),
        (
            [
                *("chat", "--store", "STORE", "--recipe", "demo_without_python"),
                *("--engine", "transformers", "--set", "teach.model=m", "Who?"),
            ],
            "train",
        ),
    ],
)
def test_what_needs_an_extra_is_one_message_that_names_it(small, tmp_path, arguments, extra):
    places = {"STORE": small, "OUT": str(tmp_path / "run")}
    done = without_torch(HELP, *(places.get(a, a) for a in arguments))
    assert done.returncode == 2, done.stderr
    assert f'pip install "questloom[{extra}]"' in done.stderr and "Traceback" not in done.stderr


def test_a_package_that_no_extra_brings_is_no_matter_of_extras():
    assert error_of_import(ModuleNotFoundError("no", name="nothing.of.ours")) is None
    found = error_of_import(ModuleNotFoundError("no", name="peft.tuners"))
    assert found is not None and "questloom[train]" in found.fix


def test_an_extra_that_is_installed_is_not_asked_for(monkeypatch):
    require("clip", "CLIP")
    monkeypatch.setitem(EXTRAS, "odd", ("nothing_of_ours",))
    with pytest.raises(InputError, match=r"needs the package nothing_of_ours.*questloom\[odd\]"):
        require("odd", "this")
    assert extras.EXTRAS["train"][0] == "torch"


def test_a_run_compares_pictures_where_a_setting_does():
    plain = {"filters": LEAN | {"solvable": True}, "enhancement": {"share": 0}}
    assert not needs_vectors(small_recipe(**plain))
    assert needs_vectors(small_recipe(**plain, grounding={"mode": "required"}))
    assert needs_vectors(small_recipe(**{**plain, "enhancement": {"share": 0.1}}))
    assert needs_vectors(small_recipe(filters=LEAN | {"image_search": True}))
    assert needs_vectors(load_recipe("demo"))
