"""`examples/no_sports.py` as a stranger uses it: named in a recipe, run by two processes, in forecast, run, report and card, and part of what the run is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from questloom.files.opened import Opened
from questloom.pipeline.plan import forecast
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_stages import synth_stages
from questloom.pipeline.teach.teach_job import recipe_for
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.small_world import LEAN, SETTINGS, small_recipe
from tests.run_files import read_stage

ROOT = Path(__file__).parents[3]
FAILING = "tests.pipeline.synth.failing_filter:Failing"
CUSTOM = ["no_sports:NoSports", FAILING]
SEEDS = {"count": 80, "rare_min_statements": 4, "anchor_min_in_degree": 1}
CHANGES = {
    "seeds": SEEDS,
    "filters": {**LEAN, "custom": CUSTOM},
    "run": {"shards": 2, "max_error_share": 1},
}


def synth(folder: Path, store: str) -> subprocess.CompletedProcess:
    """The command, started in a folder that holds the filter's file."""
    options = ["--recipe", "recipe.yaml", "--store", store, "--out", "run", "--workers", "2"]
    return subprocess.run(
        [
            sys.executable,
            "-P",
            "-c",
            "from questloom.pipeline.cli import main; main()",
            "synth",
            *options,
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def made(small, tmp_path_factory) -> tuple[RunFolder, str, str]:
    """A run with both filters, what the command printed, and what it says when the filter's file has changed since."""
    folder = tmp_path_factory.mktemp("stranger")
    # The questions of so small a world pass nothing of sports: another topic is dropped in its place.
    example = (ROOT / "examples/no_sports.py").read_text(encoding="utf-8")
    assert example.count('"sports"') == 1
    (folder / "no_sports.py").write_text(example.replace('"sports"', '"life"'), encoding="utf-8")
    shutil.copy(ROOT / "examples/distance.py", folder)
    own = yaml.safe_load((ROOT / "examples/try.yaml").read_text(encoding="utf-8"))
    assert own["filters"]["custom"] == ["no_sports:NoSports"]
    # What the example says of its tool stays. A recipe is YAML, and JSON is YAML.
    (folder / "recipe.yaml").write_text(json.dumps({**SETTINGS, **CHANGES, "teach": own["teach"]}))
    done = synth(folder, small)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    with open(folder / "no_sports.py", "a", encoding="utf-8") as file:
        file.write("# another version\n")
    again = synth(folder, small)
    assert again.returncode == 2
    return RunFolder(str(folder / "run")), done.stdout + done.stderr, again.stderr


def test_it_runs_after_the_cheap_filters_and_drops_with_stage_reason_and_evidence(made):
    labels = [label.partition("-")[2] for label in made[0].labels()]
    place = labels.index("no_sports")
    assert labels[place - 1 : place + 3] == ["duplicates", "no_sports", "failing", "text_search"]
    dropped = list(made[0].read(made[0].label("no_sports"), "rejected", Rejection))
    assert dropped and {(r.stage, r.reason) for r in dropped} == {("no_sports", "sport")}
    assert all(r.evidence["label"] and r.title.endswith("?") for r in dropped)


def test_what_it_keeps_says_that_it_was_asked(made):
    kept = list(read_stage(made[0], "split", "kept", Question))
    asked = {v.solver for q in kept for v in q.verdicts if v.filter == "no_sports"}
    assert kept and asked == {"no_sports:NoSports"}


def test_a_fault_in_a_filter_is_an_error_that_names_filter_and_question_in_files_and_terminal(made):
    failed = list(made[0].read(made[0].label("failing"), "rejected", Rejection))
    assert failed and {r.reason for r in failed} == {"error"}
    for row in failed:
        assert f"{FAILING} failed on the question {row.item_id}: KeyError" in row.evidence["error"]
        assert "failing_filter.py" in row.evidence["traceback"]
    assert f"{len(failed)} items ended as errors, the first: CustomFilterError(" in made[1]


def test_terminal_report_and_card_say_which_filter_it_was_and_why_it_drops(made):
    identity = made[0].read_recipe()["extensions"][0]
    assert identity.startswith("no_sports:NoSports (source ")
    assert f"no_sports is {identity}, which the recipe names" in made[1]
    report = made[0].at("report", "index.html").read_text(encoding="utf-8")
    assert f"a custom filter: {identity}" in report
    assert "A thing between the picture and the answer belongs to sport." in report
    questions = made[0].at("report", "data", "questions-0000.js").read_text(encoding="utf-8")
    assert "The question is not about sport." in questions
    card = made[0].at("dataset", "README.md").read_text(encoding="utf-8")
    assert "| `no_sports` | The question is not about sport. |" in card
    assert "The filter `no_sports` is of another package: no\\_sports:NoSports" in card


def test_the_progress_tells_its_work_and_its_reasons_in_words(made):
    dropped = len(list(made[0].read(made[0].label("no_sports"), "rejected", Rejection)))
    (line,) = (line for line in made[1].splitlines() if "NoSports: " in line and "kept" in line)
    assert "asking the filter no_sports:NoSports: " in line
    why = "a thing between the picture and the answer belongs to sport"
    assert line.endswith(f"; {dropped} dropped: {why} ({dropped})")


def test_the_recipe_of_the_questions_carries_the_tool_into_teach(made):
    assert recipe_for(made[0].path).teach.tools.custom == ("distance:TOOL",)


def test_the_run_is_not_continued_with_another_version_of_it(made):
    assert "holds a run with another version of what the recipe imports: it was" in made[2]


def test_the_forecast_has_its_stage_and_says_that_its_share_is_assumed(small, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    recipe = small_recipe(seeds=SEEDS, filters={**LEAN, "custom": CUSTOM})
    plan = forecast(recipe, store=small, opened=Opened()).as_json()
    (row,) = (stage for stage in plan["stages"] if stage["stage"] == "no_sports")
    assert row["source"] == "assumed; nothing is measured"
    assert "Nothing is measured of no_sports, failing: what passes is assumed." in plan["notes"]
    (note,) = (n for n in plan["notes"] if n.startswith("no_sports is no_sports:NoSports ("))
    assert note.endswith("which the recipe names: The question is not about sport.")


def test_a_filter_that_is_called_like_a_stage_is_refused():
    named = "tests.transforms.filters.test_custom:Certify"
    recipe = recipe_of({"filters": {"custom": [named]}}, "test")
    with pytest.raises(InputError, match="two stages have the name certify"):
        synth_stages(Job(RunFolder("run"), "store", recipe))
