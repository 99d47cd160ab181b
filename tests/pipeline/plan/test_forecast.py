"""The forecast: what it counts, what it does not know, and a pilot whose replies serve the run."""

import json
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.mock_endpoint import running
from questloom.files.opened import Opened
from questloom.knowledge.store.store import Store
from questloom.pipeline.plan import forecast, priors
from questloom.pipeline.plan.call_forecast import (
    draft_calls,
    planned_calls,
    read_calls,
    uses_model,
)
from questloom.pipeline.plan.seed_forecast import count_seeds
from questloom.pipeline.settings import FilterRules
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from questloom.records.synthesis import Seed
from questloom.transforms.drafting.draft_rules import TextFactRules
from questloom.transforms.filters.registry import FILTERS
from tests.pipeline.small_world import small_recipe
from tests.run_files import read_stage

PRICE = {"tokens_in": 2, "tokens_out": 8}
UNREACHABLE = "http://127.0.0.1:9/v1"


def llm_recipe(url=UNREACHABLE, prices=(("small", PRICE),), roles=None, llm=None, **changes):
    models = {
        "endpoints": [{"name": "mock", "base_url": url, "prices": dict(prices)}],
        "roles": {"default": {"endpoint": "mock", "model": "small"}, **(roles or {})},
        "llm": llm or {},
    }
    return small_recipe(writer="llm", models=models, **changes)


def requests(url: str) -> dict[str, int]:
    """Requests by idempotency key."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return json.load(reply)["by_key"]


def test_without_a_model_nothing_is_called_and_money_is_zero_not_unknown(small):
    made = forecast(small_recipe(), store=small, opened=Opened())
    assert made.calls.high == 0
    assert made.money.high == 0
    assert made.survivors.low < made.survivors.likely < made.survivors.high < 24


def test_of_a_stage_without_a_prior_the_share_is_assumed_and_of_no_stage_of_today():
    assert priors.survival("a stage of tomorrow", FilterRules()) == priors.ASSUMED_SURVIVAL
    assert priors.ASSUMED_SURVIVAL not in [
        priors.survival(each.name, FilterRules()) for each in FILTERS
    ]
    assert priors.survival("solvable", FilterRules(oracle=True)) == priors.Prior(
        priors.around(238, 264, 3), priors.DEMO
    )


def test_pages_are_read_as_often_as_the_recipe_says_and_some_of_them_for_several_seeds():
    found = read_calls(TextFactRules(pages=2, samples=3))
    assert (found.low, found.likely, found.high) == pytest.approx((0, 3 * 1.05, 6 * 1.4))
    assert uses_model(llm_recipe(draft={"text_facts": {"pages": 1}}), "text_facts")
    assert not uses_model(llm_recipe(), "text_facts")


def test_the_seeds_counted_are_those_that_the_run_draws(small, tmp_path):
    recipe = small_recipe(filters={"visible_text": False})
    run_synth(recipe, store=small, out=str(tmp_path / "run"), opened=Opened())
    counted = count_seeds(recipe, Store.open(small))
    drawn = list(read_stage(str(tmp_path / "run"), "seeds", "kept", Seed))
    assert counted.drawn.likely == len(drawn) == 24
    assert counted.eligible.likely >= 24


def test_a_forecast_with_models_writes_and_sends_nothing(small):
    with running() as url:
        made = forecast(llm_recipe(url), store=small, opened=Opened())
        assert requests(url) == {}
    assert made.calls.low > 24
    assert 0 < made.money.low < made.money.likely < made.money.high
    assert made.hours.likely > 0


def test_an_unknown_price_is_unknown_and_never_zero(small):
    made = forecast(llm_recipe(prices=()), store=small, opened=Opened())
    assert made.money is None
    assert made.as_json()["money"] == "unknown"
    assert "money           unknown" in made.as_text()


def test_one_unknown_price_among_others_makes_the_sum_a_least(small):
    made = forecast(
        llm_recipe(roles={"answer_direct": {"endpoint": "mock", "model": "large"}}),
        store=small,
        opened=Opened(),
    )
    assert made.unpriced == ("large",)
    assert "at least $" in made.as_text()
    assert "large at mock" in made.as_text()


def test_more_plans_and_readers_cost_more_calls():
    def calls(**llm):
        return draft_calls(llm_recipe(llm=llm))

    one, many, read_thrice = calls(plans=1), calls(plans=10), calls(plans=1, votes=3)
    assert set(one) == {"word_plan", "check_words"}
    assert one["word_plan"].likely == pytest.approx(priors.MENDED.likely), "one plan, one try"
    for role in one:
        assert many[role].likely > one[role].likely
        assert many[role].high > 2 * one[role].high
    assert read_thrice["word_plan"] == one["word_plan"], "only what is worded is read"
    assert read_thrice["check_words"].likely == pytest.approx(3 * one["check_words"].likely)
    assert one["check_words"].likely < one["word_plan"].likely, "what rules refuse nobody reads"


def test_solvers_are_called_only_where_the_recipe_has_them_and_switches_them_on(small):
    store, recipe = Store.open(small), llm_recipe(filters={"text_only": False, "samples": 3})
    calls = {(c.stage, c.role): c for c in planned_calls(recipe, store)}
    assert ("text_only", "answer_text_only") not in calls
    assert calls["no_tools", "answer_direct"].per_item.low == pytest.approx(3)
    assert (
        calls["no_tools", "answer_direct"].tokens_in.likely
        > calls["draft", "check_words"].tokens_in.likely
    ), "pictures cost tokens"


def test_a_writer_that_asks_no_model_has_no_calls_of_drafts(small):
    recipe = replace(llm_recipe(), writer="graph")
    assert "draft" not in {c.stage for c in planned_calls(recipe, Store.open(small))}


def test_a_role_without_its_endpoint_is_refused(small):
    with pytest.raises(InputError, match="names no endpoint"):
        forecast(
            llm_recipe(roles={"word_plan": {"endpoint": "elsewhere", "model": "small"}}),
            store=small,
            opened=Opened(),
        )


def test_a_pilot_needs_the_folder_of_the_run(small):
    with pytest.raises(InputError, match="--out"):
        forecast(small_recipe(), store=small, opened=Opened(), pilot=2)


def test_every_reply_of_a_pilot_serves_the_run_and_its_measures_the_forecast(small, tmp_path):
    out = tmp_path / "run"
    with running() as url:
        recipe = llm_recipe(
            url,
            seeds={
                "count": 24,
                "methods": {"paths": 1},
                "levels": {"easy": 1},
                "rare_min_statements": 6,
                "anchor_min_in_degree": 1,
            },
        )
        made = forecast(recipe, store=small, opened=Opened(), pilot=12, out=str(out))
        asked = requests(url)
        assert made.pilot.num_seeds == 12 and asked
        assert made.pilot.spent.num_calls == len(asked)
        draft = next(s for s in made.stages if s.stage == "draft")
        assert draft.source.startswith("pilot: ")
        num_planned = made.pilot.shares["plan"][0]
        assert 0 < num_planned < 12
        assert draft.calls.likely == pytest.approx(draft.items.likely * len(asked) / num_planned)
        run_synth(recipe, store=small, out=str(out), opened=Opened())
        after = requests(url)
    assert len(after) > len(asked)
    assert set(after.values()) == {1}, "no request is sent twice"
    pilot = {s.id for s in read_stage(str(out / "pilot"), "seeds", "kept", Seed)}
    assert pilot < {s.id for s in read_stage(str(out), "seeds", "kept", Seed)}
    assert not Path(out, "pilot", "calls.sqlite").exists()


def test_a_pilot_without_a_folder_is_refused_before_anything_is_written(
    small, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="needs the run's folder"):
        forecast(small_recipe(), store=small, opened=Opened(), pilot=3)
    assert not list(tmp_path.iterdir())
