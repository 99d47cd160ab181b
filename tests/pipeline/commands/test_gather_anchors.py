"""How `questloom gather` is told its anchors: titles, the articles of a dump, a category, a query."""

import json
import re

import pytest
from typer.testing import CliRunner

from benchmarks.wikimedia import serving
from benchmarks.wikimedia_world import World
from questloom.knowledge.gather import wikimedia
from questloom.pipeline.cli import app
from questloom.pipeline.commands.gather import summary_text, titles_of_articles
from questloom.records.errors import InputError, ProviderFault
from tests.small_wikimedia import (
    CONTACT,
    LIGHTHOUSE,
    SITTER,
    entities_of,
    gathered,
    small_world,
    without_waits,
)


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    return small_world(tmp_path_factory)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    without_waits(monkeypatch)


def test_articles_by_title_are_anchors_and_a_redirect_leads_to_its_article(world, tmp_path):
    redirect = next(t for t, xml in world.pages.items() if "<redirect title=" in xml)
    target = re.search(r'<redirect title="(.*?)" />', world.pages[redirect])[1]  # type: ignore[index]
    made, _, _ = gathered(world, tmp_path, titles=(redirect, "No such page"), depth=0, rivals=0)
    assert made["asked"]["anchors"] == 1 and set(made["revisions"]["articles"]) == {target}


def lighthouses(world: World) -> set[str]:
    """Items of the world that are stated to be lighthouses."""
    return {n for n, e in world.entities.items() if f'"{LIGHTHOUSE}"' in json.dumps(e["claims"])}


@pytest.mark.parametrize("limit", [500, 2])
def test_what_a_query_selects_are_anchors(world, tmp_path, limit):
    query = f"SELECT ?item WHERE {{ ?item wdt:P31 wd:{LIGHTHOUSE} }} ORDER BY ?item"
    made, manners, lines = gathered(
        world, tmp_path, query=query, limit=limit, depth=0, rivals=0, views=0
    )
    found = lighthouses(world) & entities_of(tmp_path).keys()
    assert made["asked"]["query"] == query and len(found) == min(limit, 5)
    assert manners.violations == [] and "the query" in lines[0]


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("ASK { ?item wdt:P31 wd:Q5 }", "selects no ?item"),
        ("SELECT ?class WHERE { ?x wdt:P31 ?class }", "selects no ?item"),
        ("SELECT ?item WHERE { ?x wdt:P18 ?item }", "which is no item"),
        ("SELECT ?item WHERE { ?item wdt:P31 wd:Q1999999999 }", "selects nothing"),
    ],
)
def test_a_query_that_selects_no_items_is_refused(world, tmp_path, query, what):
    with pytest.raises(InputError) as found:
        gathered(world, tmp_path, query=query, depth=0)
    assert found.value.where == "--sparql" and what in found.value.what


def test_a_query_that_the_service_cannot_read_is_one_message(world, tmp_path):
    with pytest.raises(ProviderFault, match="refuses the query"):
        gathered(world, tmp_path, query="SELECT ?item WHERE { broken", depth=0)


def test_articles_of_a_category_are_anchors_page_after_page(world, tmp_path, monkeypatch):
    monkeypatch.setattr(wikimedia, "MEMBERS_A_CALL", 2)
    category = max(
        (c for xml in world.pages.values() for c in re.findall(r"\[\[Category:(.*?)\]\]", xml)),
        key=lambda c: len(world.in_category(c)),
    )
    titles = world.in_category(category)
    assert len(titles) > 4
    made, manners, _ = gathered(world, tmp_path, category=category, depth=0, rivals=0, views=0)
    items = {page["pageprops"].get("wikibase_item") for page in world.items_of(titles)["pages"]}
    assert items - {None} <= entities_of(tmp_path).keys()
    assert made["asked"]["anchors"] == len(items - {None}) and manners.violations == []


def test_a_category_without_articles_is_refused(world, tmp_path):
    with pytest.raises(InputError, match="has no articles in 'en', or is no category"):
        gathered(world, tmp_path, category="No such thing", depth=0)


def test_the_command_takes_one_way_to_name_anchors(world, tmp_path):
    def run(*options):
        with serving(world) as base:
            more = ("--services", base, "--contact", CONTACT, "--depth", "0", "--rivals", "0")
            command = ["gather", "--out", str(tmp_path / "out"), *options, *more]
            return CliRunner().invoke(app, command)

    query = f"SELECT ?item WHERE {{ ?item wdt:P31 wd:{LIGHTHOUSE} }}"
    assert run("--sparql", query, "--views", "0").exit_code == 0
    assert lighthouses(world) <= entities_of(tmp_path / "out").keys()
    dump = tmp_path / "some.xml"
    page = next(xml for xml in world.pages.values() if "<redirect" not in xml)
    dump.write_text(f"{world.header}{page}</mediawiki>\n")
    (tmp_path / "titles.txt").write_text("One")
    for both in (
        ("--sparql", query, "--category", "Ships"),
        ("--titles", str(tmp_path / "titles.txt"), "--articles", str(dump)),
    ):
        ended = run(*both)
        assert isinstance(ended.exception, InputError) and "takes" in ended.exception.what


def test_titles_without_an_item_are_named(world, tmp_path):
    title = world.entities[SITTER]["sitelinks"]["enwiki"]["title"]
    made, _, _ = gathered(world, tmp_path, titles=(title, "No such page"), depth=0, rivals=0)
    assert made["failed"]["title"] == {
        "No such page": "there is no such article, or it has no item"
    }
    assert "not to be had, title: 1 (No such page" in summary_text(tmp_path, made)


def test_the_articles_of_a_dump_are_anchors(world, tmp_path):
    things = [n for n in world.pictured() if "enwiki" in world.entities[n]["sitelinks"]][:2]
    titles = [world.entities[name]["sitelinks"]["enwiki"]["title"] for name in things]
    dump = tmp_path / "some.xml"
    dump.write_text(world.header + "".join(world.pages[t] for t in titles) + "</mediawiki>\n")
    found = titles_of_articles(str(dump), "en")
    assert set(found) == set(titles)
    made, _, _ = gathered(world, tmp_path / "out", titles=found, depth=0, rivals=0, views=0)
    assert made["asked"]["anchors"] == 2 and set(things) <= entities_of(tmp_path / "out").keys()
    with pytest.raises(InputError, match="is in 'en', and --language is 'de'"):
        titles_of_articles(str(dump), "de")
    dump.write_text(world.header + "</mediawiki>\n")
    with pytest.raises(InputError, match="holds no article"):
        titles_of_articles(str(dump), "en")
