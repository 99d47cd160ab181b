"""Page views in `questloom gather`: fetched once, written as a popularity file, and no reason to lose a slice."""

import json
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from benchmarks.wikimedia import Manners, serving
from benchmarks.wikimedia_world import World
from questloom.knowledge.gather.request import GatherRequest
from questloom.knowledge.gather.wikimedia import VIEW_DAYS
from questloom.knowledge.store.store import Store
from questloom.pipeline.cli import app
from questloom.pipeline.commands.gather import gather, summary_text
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from tests.small_wikimedia import (
    CONTACT,
    LIGHTHOUSE,
    QUICK,
    entities_of,
    gathered,
    small_world,
    twice,
    without_waits,
)

REQUEST = {"class_id": LIGHTHOUSE, "depth": 1}


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    return small_world(tmp_path_factory)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    without_waits(monkeypatch)


def rows_of(out) -> dict[str, tuple[str, str]]:
    """(sitelinks, page views) of each item, as in the popularity file."""
    head, *lines = (out / "popularity.tsv").read_text().splitlines()
    assert head == "id\tsitelinks\tpage_views"
    return {line.split("\t")[0]: tuple(line.split("\t")[1:]) for line in lines}


def stated(world: World, title: str) -> str:
    """The sum of the days with a count, as the file should have it."""
    days = [n for n in world.page_views(title, VIEW_DAYS).values() if n is not None]
    return str(sum(days)) if days else ""


def test_the_file_has_the_sum_of_the_days_and_an_empty_cell_where_no_day_is_known(world, tmp_path):
    made, manners, _ = gathered(world, tmp_path, **REQUEST)
    rows, titles = rows_of(tmp_path), made["revisions"]["articles"]
    items = {n: e for n, e in entities_of(tmp_path).items() if n.startswith("Q")}
    assert rows.keys() == items.keys() and manners.violations == [] and twice(manners) == []
    for name, (sitelinks, views) in rows.items():
        links = items[name].get("sitelinks") or {}
        title = links.get("enwiki", {}).get("title")
        assert sitelinks == str(len(links))
        assert views == (stated(world, title) if title in titles else "")
    empty = [t for t in titles if not stated(world, t)]
    assert empty and made["failed"]["page views"] == dict.fromkeys(
        sorted(empty), "no views are known"
    )
    known = sum(views != "" for _, views in rows.values())
    assert made["page_views"] == {"days": 60, "items": known, "stopped": ""} and known
    assert made["dumps"]["popularity"] == "popularity.tsv"
    assert re.search(r"--popularity \S+popularity\.tsv", summary_text(tmp_path, made))


def test_titles_share_requests_of_fifty_and_a_reply_has_five(world, tmp_path):
    _, manners, _ = gathered(world, tmp_path, class_id="Q5", limit=30, depth=1)
    without, quiet, _ = gathered(
        world, tmp_path / "without", class_id="Q5", limit=30, depth=1, page_views=False
    )
    viewed = sum(name.startswith("views") for name in manners.served)
    calls = manners.requests["en.wikipedia"] - quiet.requests["en.wikipedia"]
    assert viewed > 50 and calls == -(-viewed // 5)
    assert without["page_views"]["items"] == 0 and not any(
        name.startswith("views") for name in quiet.served
    )


def test_the_store_knows_the_page_views(world, tmp_path):
    made, _, _ = gathered(world, tmp_path / "out", **REQUEST)
    out, dumps = tmp_path / "out", made["dumps"]
    run_ingest(
        IngestOptions(
            store=str(tmp_path / "store"),
            entities=(str(out / dumps["entities"]),),
            articles=(str(out / dumps["articles"]),),
            images=(str(out / dumps["images"]),),
            popularity=str(out / dumps["popularity"]),
        )
    )
    store = Store.open(str(tmp_path / "store"))
    assert store.meta["popularity"]["met"] == len(rows_of(out))
    for name, (_, views) in rows_of(out).items():
        assert store.entity(name).popularity.page_views == (int(views) if views else None)


def failing_views(fault: str, after: int) -> Manners:
    """Services that fail from the request with this number on."""
    return Manners(lambda number: fault if number > after else "", pause=0.1)


def requests_before_views(world, tmp_path) -> int:
    _, manners, _ = gathered(world, tmp_path / "count", **REQUEST, page_views=False)
    return manners.requests.total()


@pytest.mark.parametrize(("fault", "told"), [("404", "404"), ("html", "Log in"), ("429", "429")])
def test_a_service_that_fails_for_good_costs_the_views_and_not_the_slice(
    world, tmp_path, fault, told
):
    before = requests_before_views(world, tmp_path)
    out, manners = tmp_path / "out", failing_views(fault, before + 1)
    made, manners, _ = gathered(world, out, manners, **REQUEST)
    views = made["page_views"]
    assert told in views["stopped"] and 0 < views["items"] <= 5 and made["gathered"]["pictures"]
    assert "the same command asks again" in summary_text(out, made)
    assert [v for v in manners.violations if "banned" not in v] == []
    again, then, _ = gathered(world, out, **REQUEST)
    whole, _, _ = gathered(world, tmp_path / "whole", **REQUEST)
    assert rows_of(out) == rows_of(tmp_path / "whole")
    assert again["page_views"] == whole["page_views"]
    assert not manners.served.keys() & then.served.keys()


@pytest.mark.parametrize("fault", ["429", "503", "maxlag", "cut", "half"])
def test_a_service_that_asks_for_a_pause_gets_it(world, tmp_path, fault):
    before = requests_before_views(world, tmp_path)
    manners = Manners(lambda number: fault if number == before + 2 else "", pause=0.3)
    made, manners, _ = gathered(world, tmp_path / "out", manners, **REQUEST)
    assert made["page_views"]["stopped"] == "" and manners.violations == []
    assert twice(manners) == []


def test_a_wiki_without_page_views_gives_empty_cells_and_is_asked_once(world, tmp_path):
    _, manners, _ = gathered(replace(world, counts_views=False), tmp_path, **REQUEST)
    before = requests_before_views(world, tmp_path)
    assert {views for _, views in rows_of(tmp_path).values()} == {""}
    assert manners.requests.total() == before + 1
    _, again, _ = gathered(world, tmp_path, **REQUEST)
    assert not again.requests


def test_a_service_that_names_no_title_is_not_asked_for_ever(world, tmp_path):
    made, _, _ = gathered(replace(world, views_a_reply=0), tmp_path, **REQUEST)
    assert "without the views of any title" in made["page_views"]["stopped"]
    again, _, _ = gathered(world, tmp_path, **REQUEST)
    assert again["page_views"]["items"] and not again["page_views"]["stopped"]


def test_the_command_can_leave_the_views_out(world, tmp_path):
    with serving(world, manners := Manners()) as base:
        command = ["gather", "--class", LIGHTHOUSE, "--depth", "0", "--out", str(tmp_path / "out")]
        more = ["--services", base, "--contact", CONTACT, "--no-page-views", "--json"]
        ended = CliRunner().invoke(app, [*command, *more])
    assert ended.exit_code == 0
    assert not any(name.startswith("views") for name in manners.served)
    made = json.loads((tmp_path / "out" / "gather.json").read_text())
    assert made["page_views"]["items"] == 0


def test_a_second_run_asks_for_no_views_again_and_a_deeper_one_only_for_new_titles(world, tmp_path):
    manners = Manners()
    with serving(world, manners) as base:
        options = {"base": base, "contact": CONTACT, "retry": QUICK, "say": lambda line: None}
        gather(GatherRequest(class_id=LIGHTHOUSE, depth=0), tmp_path, **options)
        shallow = {name for name in manners.served if name.startswith("views")}
        gather(GatherRequest(class_id=LIGHTHOUSE, depth=1), tmp_path, **options)
    assert shallow < {name for name in manners.served if name.startswith("views")}
    assert twice(manners) == []
