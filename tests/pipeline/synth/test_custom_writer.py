"""`examples/terse.py` as a stranger uses it: named in a recipe, run in process, in terminal, report and card, and part of what the run is."""

from pathlib import Path

import pytest

import questloom
from questloom.files.opened import Opened
from questloom.pipeline.plan import forecast
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.small_world import LEAN, small_recipe
from tests.run_files import read_stage

ROOT = Path(__file__).parents[3]
RECIPE = small_recipe(
    writer="terse:Terse",
    filters=LEAN,
    draft={"detail_share": 0, "computation_share": 0},
    seeds={
        "count": 140,
        "rare_min_statements": 4,
        "anchor_min_in_degree": 1,
        "levels": {"easy": 1, "medium": 1},
    },
)
NOTICE = "; rules alone, and no model, read its words back"


@pytest.fixture(scope="module")
def example():
    """The example on the path of imports."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "examples")
        yield


@pytest.fixture(scope="module")
def made(example, small, tmp_path_factory) -> RunFolder:
    folder = tmp_path_factory.mktemp("stranger") / "run"
    questloom.synthesise(RECIPE, small, folder)
    return RunFolder(str(folder))


def test_its_words_are_kept_with_the_vote_of_the_rules_in_the_certificate(made):
    kept = list(read_stage(made, "split", "kept", Question))
    assert kept
    for question in kept:
        assert question.writer == "terse:Terse" and "this person's" in question.text
        assert [v["why"] for v in question.certificate.votes] == ["the rules"]
        assert "words_agree" in {check.name for check in question.certificate.checks}


def test_what_it_has_no_words_for_is_dropped_with_its_reason(made):
    dropped = list(made.read(made.label("draft"), "rejected", Rejection))
    assert dropped and {r.reason for r in dropped} == {"no_wording"}


def test_recipe_report_and_card_say_which_writer_it_was_and_who_read_its_words(made):
    (identity,) = made.read_recipe()["extensions"]
    assert identity.startswith("terse:Terse (source ")
    assert made.read_recipe()["custom_writer"] == identity + NOTICE
    report = made.at("report", "index.html").read_text(encoding="utf-8")
    assert f"a custom writer: {identity}{NOTICE}" in report
    card = made.at("dataset", "README.md").read_text(encoding="utf-8")
    assert f"of another package: terse:Terse (source {identity[20:32]}" in card.replace("\\", "")


def test_the_forecast_says_it_too_and_asks_no_model(example, small):
    plan = forecast(RECIPE, store=small, opened=Opened()).as_json()
    (note,) = (each for each in plan["notes"] if each.startswith("The writer is terse:Terse ("))
    assert note.endswith(f"{NOTICE}.") and plan["calls"]["high"] == 0


def test_a_wrong_name_is_refused_before_any_work(example, small, tmp_path):
    with pytest.raises(InputError, match="the module terse has no 'Verse'"):
        questloom.synthesise(small_recipe(writer="terse:Verse"), small, tmp_path / "run")
    assert not (tmp_path / "run").exists()
