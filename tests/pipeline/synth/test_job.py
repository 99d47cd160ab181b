"""Where a run's call cache is: a file in its folder, a file elsewhere, or a Redis database under a prefix of its own."""

import asyncio
from pathlib import Path

import pytest

from questloom.agent.setup import check_client
from questloom.calls.ledger import has_ledger
from questloom.calls.open import open_cache
from questloom.calls.shared.place import place_of
from questloom.models.messages import user
from questloom.pipeline.commands.options import with_cache
from questloom.pipeline.export.reply_costs import replies_of
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.report.spend_text import read_spend
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError
from questloom.transforms.stages.run_folder import RunFolder
from tests.calls.redis_server import RedisServer, free_port, needs_redis


def job_of(recipe: Recipe, run: Path) -> Job:
    return Job(RunFolder(str(run)), "", recipe)


def recipe_with(calls: str, url: str = "http://127.0.0.1:9/v1"):
    endpoint = f'[{{"name": "mock", "base_url": "{url}", "prices": {{"small": {{"tokens_in": 1, "tokens_out": 2}}}}}}]'
    return load_recipe(
        "demo",
        (
            f"models.endpoints={endpoint}",
            'models.roles={"default": {"endpoint": "mock", "model": "small"}}',
            *with_cache(None, calls),
        ),
    )


def test_a_runs_calls_are_a_file_in_its_folder_unless_the_recipe_names_a_place(tmp_path):
    assert RunFolder(str(tmp_path)).calls("") == tmp_path / "calls.sqlite"
    assert (
        RunFolder(str(tmp_path)).calls(str(tmp_path / "shared.sqlite"))
        == tmp_path / "shared.sqlite"
    )


def test_each_run_has_a_prefix_of_its_own_that_its_pilot_shares(tmp_path):
    run, other = tmp_path / "a" / "run 1", tmp_path / "b" / "run 1"
    for folder in (run, other):
        folder.mkdir(parents=True)
        (folder / "recipe.json").write_text("{}")
    url = "redis://host/0"
    found = place_of(str(RunFolder(str(run)).calls(url)))
    assert found.prefix.startswith("questloom:run_1-")
    assert (
        RunFolder(str(run / "pilot")).calls(url)
        == RunFolder(str(run)).calls(url)
        != RunFolder(str(other)).calls(url)
    )
    assert RunFolder(str(run)).calls(f"{url}?prefix=mine") == f"{url}?prefix=mine"


def test_a_password_in_the_recipe_is_refused_without_being_told():
    with pytest.raises(InputError, match="QUESTLOOM_REDIS_PASSWORD") as caught:
        RunFolder("run").calls("redis://:topsecret@host/0")
    assert "topsecret" not in str(caught.value)


@pytest.mark.parametrize(
    "calls", ["postgres://host/0", "no/such/folder/calls.sqlite", "redis://host/zero"]
)
def test_a_place_that_is_none_is_the_users_error(calls):
    with pytest.raises(InputError):
        RunFolder("run").calls(calls)


@needs_redis
def test_a_server_that_is_not_there_is_told_before_there_is_a_run(tmp_path):
    job = job_of(recipe_with(f"redis://127.0.0.1:{free_port()}/0"), tmp_path)
    with pytest.raises(InputError, match="cannot be opened"):
        check_client(job.recipe.models, job.calls())


def test_where_replies_are_kept_does_not_bear_on_the_fingerprint():
    assert recipe_with("redis://host/0").fingerprint == recipe_with("").fingerprint


@needs_redis
def test_a_run_calls_and_books_through_redis(tmp_path):
    from benchmarks.mock_endpoint import running

    server = RedisServer(tmp_path)
    server.start()
    with running() as url:
        recipe = recipe_with(f"redis://127.0.0.1:{server.port}/0", url)
        job = job_of(recipe, tmp_path)
        where = job.calls()
        check_client(recipe.models, where)
        client = job.client("draft").client

        async def ask() -> None:
            await client.chat(
                "judge_answer" if "judge_answer" in client.roles else next(iter(client.roles)),
                [user("a question")],
            )
            await client.aclose()

        asyncio.run(ask())
        assert has_ledger(where)
        opened = open_cache(where)
        assert opened.spent().calls == 1
        opened.close()
        spent = replies_of(job.run, recipe.run.calls)
        assert [(s.model, s.num_replies, s.money is not None) for s in spent] == [
            ("small", 1, True)
        ]
        assert not (tmp_path / "calls.sqlite").exists()
    server.stop()


def test_the_report_takes_the_spend_of_a_shared_ledger_from_the_runs_own_facts(tmp_path):
    line = {
        "group": ["draft", "small"],
        "num_calls": 3,
        "num_faults": 1,
        "num_lost": 0,
        "tokens_in": 5,
        "tokens_out": 6,
        "num_estimated": 0,
        "money": 0.5,
        "num_unpriced": 0,
        "seconds": 1.5,
    }
    lines, total = read_spend(tmp_path, {"cost": [line, line]})
    assert [found.group for found in lines] == [("draft", "small")] * 2
    assert (total.num_calls, total.money) == (6, 1.0)
    assert read_spend(tmp_path, {}) == ([], None)
