"""A format is one object in one file: what is added to the registry is in recipe, reference, data set and card."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from questloom.pipeline import format_registry
from questloom.pipeline.export.formats.format import Format
from tests.pipeline.export import own_format

ROOT = Path(__file__).parents[3]
OWN = "tests.pipeline.export.own_format"


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict:
    """What the readers of the registry say of the format in `own_format.py`."""
    folder = tmp_path_factory.mktemp("own")
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.export.use_own_format", str(folder)],
        cwd=ROOT,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_recipe_may_name_it_and_no_format_that_there_is_not(said):
    assert "'own_format'" in said["unknown"] and "their_format" in said["unknown"]


def test_the_reference_has_its_help(said):
    assert "`own_format`: Rows of words alone." in said["reference"]


def test_its_rows_its_further_files_and_the_reward_function_are_in_the_data_set(said):
    assert said["parts"] == ["rl_train", "rl_validation", "sft_train"]
    assert said["index"].split("\n") == ["questloom_small", *said["parts"]]
    assert "reward.py" in said["files"]
    assert said["rows"] and all(
        row["asks"] and row["source"] == "questloom/small/train" for row in said["rows"]
    )


def test_trajectories_are_written_by_its_rule(said):
    assert said["trajectories"]
    assert all(set(row) == {"id", "question_id", "level"} for row in said["trajectories"])


def test_the_card_has_its_words(said):
    assert "as own_format reads them (`own_format` holds words)." in said["card"]
    assert "A reply in `own_format`'s folders is the bare answer" in said["card"]
    assert "For reinforcement learning (own_format)" in said["card"]
    assert "`nothing` (own) and `withheld_pictures` name" in said["card"]
    assert "own: read `asks`." in said["card"]
    assert "own: read lines." in said["taught_card"] and "LLaMA-Factory's;" not in said["card"]


def test_two_formats_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two formats have the name verl"):
        format_registry.check((*format_registry.MODULES, "elsewhere.verl"))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"name": "verl"}, "format own_format: its object has the name 'verl'"),
        ({"help": ""}, "format own_format: '' is no sentence"),
        ({"help": "words"}, "format own_format: 'words' is no sentence"),
    ],
)
def test_a_format_of_another_name_or_without_a_sentence_is_refused(monkeypatch, changes, why):
    monkeypatch.setattr(format_registry, "MODULES", (*format_registry.MODULES, OWN))
    monkeypatch.setattr(own_format, "FORMAT", dataclasses.replace(own_format.FORMAT, **changes))
    with pytest.raises(ValueError, match=why):
        format_registry.load_formats(["own_format"])


def test_a_format_without_its_rule_cannot_be_made():
    with pytest.raises(TypeError, match="'row', 'trajectory_features', and 'trajectory_row'"):
        Format(name="silent", help="Says nothing.", uses=(), features=None)  # type: ignore[call-arg]


def test_the_readme_has_a_line_of_each():
    text = (ROOT / "pipeline/export/formats/README.md").read_text(encoding="utf-8")
    rows = [f"| `{name}.py` | {words} |" for name, words in format_registry.format_helps().items()]
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows


def test_every_format_can_be_loaded():
    loaded = format_registry.load_formats(format_registry.format_names())
    assert tuple(loaded) == format_registry.format_names()
    assert all(isinstance(found, Format) for found in loaded.values())
