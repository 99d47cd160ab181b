"""A filter is one object in one file: what is added to the registry is in recipe, run, forecast, progress, report, card and loop."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def said(small, tmp_path_factory) -> dict:
    """What the readers of the registry say of the filter in `wordy.py`."""
    command = [sys.executable, "-m", "tests.pipeline.synth.run_with_wordy", small]
    done = subprocess.run(
        [*command, str(tmp_path_factory.mktemp("wordy"))], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_its_setting_decides_what_is_rejected_with_its_own_reason(said):
    assert said["rejected"] and said["kept_words"], "the run has questions on both sides"
    assert all(
        (stage, reason) == ("wordy", "too_wordy") and words > 12
        for stage, reason, words in said["rejected"]
    )
    assert max(said["kept_words"]) <= 12 and said["verdicts"] == ["count"]


def test_the_recipe_knows_its_keys_and_names_them_to_who_misspells_one(said):
    assert "filters.wordy_most" in said["misspelt"]


def test_it_runs_at_its_place_and_the_forecast_says_that_its_share_is_assumed(said):
    place = said["stages"].index("wordy")
    assert said["stages"][place - 1 : place + 2] == ["answer_in_question", "wordy", "duplicates"]
    assert said["forecast"]["source"] == "assumed; nothing is measured"
    assert said["forecast"]["share"] == {"low": 0.5, "likely": 0.9, "high": 1.0}
    assert "Nothing is measured of wordy: what passes is assumed." in said["notes"]


def test_progress_report_and_card_use_its_words(said):
    assert said["doing"] == "counting words"
    assert said["because"] == "the question has more words than the recipe allows (3)"
    assert "The question has more words than the recipe allows." in said["report"]
    assert "It is no longer than people would ask." in said["card"]


def test_switched_off_it_is_told_before_the_run(said):
    assert any(
        line.startswith("not run: wordy,") and line.endswith("(switched off in the recipe)")
        for line in said["told"]
    )


def test_the_loop_finds_what_slipped_through_and_switches_it_on(said):
    assert said["findings"] == [["filters", "wordy"]]
    assert said["edits"] == [["filters.wordy", False, True]]
