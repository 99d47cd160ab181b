"""Filters that are not run: told before the run, marked in its folder, its end, its report and its card, and never a pass."""

import asyncio
import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.export.run_end import finish_run
from questloom.pipeline.plan import forecast
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.filters_not_run import describe_filters, filters_not_run
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.synthesis import Question
from questloom.transforms.filters.fame import Fame
from questloom.transforms.filters.known_by_heart import prior_of
from questloom.transforms.filters.no_tools import NO_TOOLS
from questloom.transforms.filters.text_only import TEXT_ONLY
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.report.data_files import payload
from tests.pipeline.small_world import LEAN, small_recipe
from tests.run_files import read_stage

NOBODY = {"popular_sitelinks": 10_000, "popular_page_views": 10_000, "popular_in_degree": 10_000}
MODEL = {
    "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
    "roles": {"answer_direct": {"endpoint": "e", "model": "m"}},
}


def job_of(store: str, recipe: Recipe, run: Path) -> Job:
    return Job.at(recipe, run=str(run), store=store, opened=Opened())


@pytest.fixture(scope="module")
def ended(small, tmp_path_factory):
    """(job, how it ended, what it told): a run in whose store nobody is well known."""
    recipe = small_recipe(
        filters={**LEAN, "no_tools": True, "text_only": True, **NOBODY},
        seeds={"count": 60, "rare_min_statements": 4, "anchor_min_in_degree": 1},
    )
    job = job_of(small, recipe, tmp_path_factory.mktemp("untold") / "run")
    funnel = run_synth(recipe, store=small, out=job.run.path, opened=job.opened)
    return job, finish_run(job, funnel, started=0.0)


def test_where_nothing_is_well_known_the_two_filters_are_left_out_with_the_stores_figures_and_where_something_is_they_run(
    small, tmp_path
):
    left_out = filters_not_run(job_of(small, small_recipe(filters=NOBODY), tmp_path))
    assert list(left_out) == ["text_only", "no_tools"]
    assert all(
        "none has 10,000 sitelinks (the most is" in why and "no page views are stated" in why
        for why in left_out.values()
    )
    told = job_of(small, small_recipe(filters={"popular_sitelinks": 1}), tmp_path)
    assert filters_not_run(told) == {} and prior_of(told, "answer_direct") == Fame(
        figure="sitelinks", least=1
    )
    assert describe_filters(told) == [
        "text_only, no_tools without a model: what is claimed of well-known things (1 sitelinks or more) counts as known without a search"
    ]


def test_a_model_decides_whatever_the_store_has_and_a_switch_leaves_a_filter_out(small, tmp_path):
    assert list(
        filters_not_run(job_of(small, small_recipe(filters=NOBODY, models=MODEL), tmp_path))
    ) == ["text_only"]
    off = filters_not_run(
        job_of(
            small,
            small_recipe(filters={"duplicates": False, "no_tools": False, "popular_sitelinks": 1}),
            tmp_path,
        )
    )
    assert off == {
        "duplicates": "switched off in the recipe",
        "no_tools": "switched off in the recipe",
    }


def test_what_is_left_out_is_told_before_the_run_with_what_helps(small, tmp_path):
    lines = describe_filters(
        job_of(small, small_recipe(filters={**NOBODY, "visible_text": False}), tmp_path)
    )
    assert [line.partition(" (")[0] for line in lines[:2]] == [
        "not run: visible_text",
        "not run: text_only, no_tools",
    ]
    assert "--popularity FILE" in lines[2] and "answer_direct" in lines[2] and len(lines) == 3
    assert all(
        "--popularity" not in line
        for line in describe_filters(
            job_of(
                small, small_recipe(filters={"no_tools": False, "popular_sitelinks": 1}), tmp_path
            )
        )
    )
    made = forecast(small_recipe(filters=NOBODY), store=small, opened=Opened())
    assert any("not run: text_only, no_tools" in note for note in made.notes)
    assert all(
        s.share.likely == 1 and s.source.startswith("not run: no model")
        for s in made.stages
        if s.stage in ("text_only", "no_tools")
    )


def test_a_filter_that_is_not_run_stores_a_verdict_that_is_no_pass(ended):
    job, _ = ended
    kept = list(read_stage(job.run, "split", "kept", Question))
    assert kept
    for question in kept:
        for verdict in question.verdicts:
            assert (
                (verdict.passed is None)
                == (verdict.solver == "not_run")
                == (verdict.filter in filters_not_run(job))
            ), verdict
    why = {v.filter: v.evidence["why"] for v in kept[0].verdicts if v.passed is None}
    assert (
        why["text_search"] == "switched off in the recipe"
        and why["no_tools"] == filters_not_run(job)["no_tools"]
    )


def test_both_stages_of_the_prior_let_a_question_through_unjudged(ended):
    job, _ = ended
    question = next(iter(read_stage(job.run, "split", "kept", Question))).replace(verdicts=())
    for stage in (TEXT_ONLY, NO_TOOLS):
        said = stage.apply(job)(question)
        made = asyncio.run(said) if asyncio.iscoroutine(said) else said
        assert [(v.filter, v.passed) for v in made.verdicts] == [(stage.name, None)]


def test_the_end_of_a_run_its_folder_its_report_and_its_card_mark_what_was_not_run(ended):
    job, outcome = ended
    why = filters_not_run(job)
    assert (
        outcome.not_run
        == why
        == outcome.as_json()["not_run"]
        == json.loads(job.run.recipe.read_text())["not_run"]
    )
    rows = {line.split()[0]: line for line in outcome.as_text().splitlines() if line}
    assert (
        rows["no_tools"].endswith("not run")
        and rows["text_only"].endswith("not run")
        and not rows["duplicates"].endswith("not run")
    )
    page = Path(outcome.report).read_text(encoding="utf-8")
    assert page.count("so nothing passed it:") == len(why) and why["no_tools"] in page
    shown = {
        v["filter"]: v
        for v in payload(Path(outcome.report).parent, "questions-0000")[0]["verdicts"]
    }
    assert (
        shown["no_tools"]["passed"] is None
        and shown["no_tools"]["solver"] == "not_run"
        and "none has 10,000 sitelinks" in shown["no_tools"]["evidence"]
    )
    card = Path(outcome.dataset, "README.md").read_text(encoding="utf-8")
    assert (
        "Not run, so that nothing passed them:" in card
        and "| filter no tools | not run |" in card
        and "none has 10,000 sitelinks" in card
    )
    assert [
        line.split(" | ")[4] for line in card.splitlines() if line.startswith("| no_tools |")
    ] == ["not run |"]


def test_where_a_filter_was_not_run_on_some_questions_end_and_report_say_on_how_many(
    ended, tmp_path
):
    """As where a popularity file states nothing about their things; here the run's folder is made to look so."""
    job, outcome = ended
    shutil.copytree(job.run.path, tmp_path / "run")
    facts = json.loads((tmp_path / "run" / "recipe.json").read_text())
    (tmp_path / "run" / "recipe.json").write_text(json.dumps({**facts, "not_run": {}}))
    again = finish_run(
        dataclasses.replace(job, run=RunFolder(str(tmp_path / "run"))), outcome.funnel, started=0.0
    )
    num = outcome.funnel.counts[-1].num_out
    assert (
        outcome.not_run_on == {}
        and again.not_run_on["no_tools"] == again.as_json()["not_run_on"]["text_only"] == num > 0
    )
    assert f"no_tools was not run on {num} of the {num} questions" in again.as_text().splitlines()
    assert f"The filter “no tools” was not run on {num} of the {num} questions" in Path(
        again.report
    ).read_text(encoding="utf-8")
    assert "was not run on" not in outcome.as_text() + Path(outcome.report).read_text(
        encoding="utf-8"
    )


def test_a_run_of_all_its_filters_says_of_none_that_it_was_not_run(small, tmp_path):
    recipe = small_recipe(filters={"popular_sitelinks": 1, "visible_text": True})
    job = job_of(small, recipe, tmp_path / "run")
    assert filters_not_run(job) == {}
    assert not any(line.startswith("not run") for line in describe_filters(job))
