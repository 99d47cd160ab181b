"""One call cache, ledger and budget for all rounds of a loop; and what a round's calls cost."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from questloom.calls.budget import Budget
from questloom.calls.caller import Caller
from questloom.calls.open import open_cache
from questloom.calls.request import CallRequest, Price, Reply
from questloom.pipeline.evolve.forward import round_recipe
from questloom.pipeline.evolve.loop_folder import LoopFolder
from questloom.pipeline.evolve.loop_report import build_loop_report
from questloom.pipeline.evolve.spending import calls_of, note_spent, spent_words
from questloom.pipeline.evolve.update import update
from questloom.pipeline.synth.job import Job
from questloom.pipeline.teach.play_job import PlayJob
from questloom.records.errors import BudgetExceeded
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from tests.pipeline.evolve.made import a_loop, a_round

PRICED = Price(tokens_in=1e6, tokens_out=0.0)
"""A token costs 1."""


def asked(
    place: Path | str,
    stage: str,
    words: str,
    *,
    price: Price | None = PRICED,
    budget: Budget | None = None,
) -> bool:
    """Asks a model that answers everything; whether it was asked indeed."""
    cache, sent = open_cache(place), []

    async def send(key: str) -> Reply:
        sent.append(key)
        return Reply(body=b"{}", tokens_in=2, tokens_out=1)

    try:
        request = CallRequest(
            provider="p",
            model="m",
            content=words,
            stage=stage,
            tokens_in=2,
            tokens_out=1,
            price=price,
        )
        asyncio.run(Caller(cache, budget=budget or Budget()).call(request, send))
    finally:
        cache.close()
    return bool(sent)


def places(loop: LoopFolder) -> list[Path | str]:
    """Where the calls of each part of each round go: synthesis, the policy's rollouts, the teacher's, and those on held-out tasks."""
    found = []
    for at in (loop.round(1), loop.round(2), loop.held_out(1)):
        made = round_recipe(loop, at, seed=at.number)
        found.append(Job(at.synth, loop.store, made).calls())
        for run in (at.batch, at.unsolved):
            found.append(
                PlayJob(
                    run=run,
                    store_path=loop.store,
                    recipe=made,
                    out=EpisodeFolder.of(run, "policy"),
                    questions="",
                ).calls()
            )
    return found


@pytest.fixture
def loop(tmp_path) -> LoopFolder:
    made = a_loop(tmp_path)
    for number in (1, 2):
        a_round(made, number)
    made.held_out(1).begin(made.recipe, model="", parent=1)
    return made


def test_what_one_round_has_asked_no_other_part_of_the_loop_pays_for_again(loop):
    assert set(places(loop)) == {loop.path / "calls.sqlite"}
    assert [asked(place, "draft", "the same words") for place in places(loop)] == [True] + [
        False
    ] * 8


def test_a_budget_holds_for_all_rounds_together(loop):
    first, second, *_ = places(loop)
    asked(first, "draft", "one", budget=Budget(calls=1))
    with pytest.raises(BudgetExceeded):
        asked(second, "draft", "another", budget=Budget(calls=1))


@pytest.mark.parametrize(
    ("setting", "place"),
    [
        ("redis://host/0?prefix=mine", "redis://host/0?prefix=mine"),
        ("{}/mine.sqlite", "{}/mine.sqlite"),
    ],
)
def test_a_place_that_the_recipe_names_stays(tmp_path, setting, place):
    loop = a_loop(tmp_path)
    named = replace(loop.recipe, run=replace(loop.recipe.run, calls=setting.format(tmp_path)))
    assert str(calls_of(loop, named)) == place.format(tmp_path)


def test_an_address_without_a_prefix_gets_the_loops_so_that_its_rounds_share_one(tmp_path):
    loop = a_loop(tmp_path)
    named = replace(loop.recipe, run=replace(loop.recipe.run, calls="redis://host/0"))
    for number in (1, 2):
        at = a_round(loop, number, made=named)
        assert round_recipe(loop, at, seed=1).run.calls.startswith(
            "redis://host/0?prefix=questloom:loop-"
        )
    assert len({round_recipe(loop, loop.round(number), seed=1).run.calls for number in (1, 2)}) == 1


def test_the_place_is_the_loops_alone_and_not_handed_on_with_the_recipe(loop):
    assert (
        round_recipe(loop, loop.round(1), seed=1).run.calls and not loop.round(1).recipe.run.calls
    )


def test_a_round_is_charged_with_what_it_added_to_the_ledger_by_stage(loop):
    first, second = loop.round(1), loop.round(2)
    place = calls_of(loop, loop.recipe)
    note_spent(loop, first, "before")
    assert spent_words(first) == "", "it has not ended"
    for words in ("a", "b", "c"):
        asked(place, "draft", words)
    asked(place, "probe", "d")
    note_spent(loop, first, "before")  # as where the step is done again: what was noted stays
    note_spent(loop, first, "after")
    note_spent(loop, second, "before")
    asked(place, "draft", "a")
    asked(place, "probe", "e")
    note_spent(loop, second, "after")
    assert spent_words(first) == "4 (draft 3, probe 1); money: $8.00"
    assert spent_words(second) == "1 (probe 1); money: $2.00", (
        "what the first round has asked costs nothing"
    )


def test_calls_of_an_unknown_price_are_said_to_be_so(loop):
    note_spent(loop, loop.round(1), "before")
    asked(calls_of(loop, loop.recipe), "draft", "a")
    asked(calls_of(loop, loop.recipe), "draft", "b", price=None)
    note_spent(loop, loop.round(1), "after")
    assert spent_words(loop.round(1)) == "2 (draft 2); money: at least $2.00"


def test_a_round_that_asked_nobody_and_one_that_noted_nothing_say_nothing(loop):
    note_spent(loop, loop.round(1), "before")
    note_spent(loop, loop.round(1), "after")
    assert spent_words(loop.round(1)) == spent_words(loop.round(2)) == ""


def test_the_report_has_the_cost_of_each_round(loop):
    note_spent(loop, loop.round(1), "before")
    asked(calls_of(loop, loop.recipe), "draft", "a")
    note_spent(loop, loop.round(1), "after")
    update(loop, loop.round(1), None)
    assert "calls of models: 1 (draft 1); money: $2.00" in build_loop_report(loop).read_text()
