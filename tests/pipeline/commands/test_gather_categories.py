"""`questloom gather --category`: subcategories, to a depth, each read once."""

import re
from dataclasses import replace

import pytest

from benchmarks.wikimedia import Manners, serving
from benchmarks.wikimedia_world import World
from questloom.knowledge.gather import categories, wikimedia
from questloom.knowledge.gather.request import GatherRequest
from questloom.pipeline.commands.gather import gather
from questloom.records.errors import InputError
from tests.small_wikimedia import CONTACT, QUICK, api, gathered, small_world, twice, without_waits

PARENTS = {
    "Tree": ["Branch", "Tip", "Tree"],
    "Branch": ["Tree"],
    "Leaf": ["Branch"],
    "Tip": ["Leaf"],
}
"""The categories that each category's page names."""
FEW = {"depth": 0, "rivals": 0, "views": 0, "page_views": False}


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    without_waits(monkeypatch)


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    """A world whose first articles lie in a tree of categories: Tree, in it Branch, in it Leaf, in
    it Tip. Branch and Tip hold Tree again, and Tree holds itself."""
    world = small_world(tmp_path_factory)
    items = sorted(
        {e["sitelinks"]["enwiki"]["title"] for e in map(world.entities.get, world.pictured())}
    )
    below = {name: items[3 * n : 3 * n + 3] for n, name in enumerate(PARENTS)}
    pages = dict(world.pages)
    for name, titles in below.items():
        for title in titles:
            pages[title] = pages[title].replace("</text>", f"\n[[Category:{name}]]</text>")
    for name, above in PARENTS.items():
        text = "".join(f"[[Category:{one}]]" for one in above)
        pages[f"Category:{name}"] = (
            f"  <page><title>Category:{name}</title><text>{text}</text></page>\n"
        )
    return replace(world, pages=pages)


@pytest.mark.parametrize(("depth", "articles"), [(0, 3), (1, 6), (2, 9), (3, 12), (5, 12)])
def test_articles_of_subcategories_come_to_the_depth_and_a_cycle_ends(
    world, tmp_path, depth, articles
):
    made, manners, lines = gathered(world, tmp_path, category="Tree", category_depth=depth, **FEW)
    assert made["asked"]["anchors"] == articles and made["asked"]["category_depth"] == depth
    assert manners.violations == [] and twice(manners) == []
    read = [name for name in manners.served if name.startswith("category")]
    assert len(read) == min(depth, 3) + 1
    deeper = "; deeper: 1 category." if depth < 3 else "articles."
    assert deeper in lines[2]


def test_the_plan_tells_how_many_categories_are_known_before_the_first_request(world, tmp_path):
    lines: list[str] = []
    said_first: list[list[str]] = []
    manners = Manners(lambda number: said_first.append(list(lines)) or "")
    request = GatherRequest(category="Tree", **FEW)
    for known in (1, 3):
        lines.clear()
        with serving(world, manners) as base:
            options = {"base": base, "contact": CONTACT, "retry": QUICK, "say": lines.append}
            gather(request, tmp_path, **options)
        assert f"{known} known before the first request" in lines[0] and "depth 2" in lines[0]
        assert ("of 3 categories" in lines[1]) == (known == 3) and "In all about" in lines[1]
        walked = "Category Tree: 3 categories read, 9 articles; deeper: 1 category."
        assert lines[2] == walked and re.search("of 3 categories +9 in +3 calls", lines[3])
    assert len(said_first[0]) == 2


def test_the_nearest_articles_come_first_and_a_larger_limit_reads_only_what_is_new(
    world, tmp_path, monkeypatch
):
    monkeypatch.setattr(wikimedia, "MEMBERS_A_CALL", 2)
    first, small, _ = gathered(world, tmp_path, category="tree", limit=4, **FEW)
    assert first["asked"]["anchors"] == 4
    _, larger, _ = gathered(world, tmp_path, category="tree", limit=100, **FEW)
    assert not small.served.keys() & larger.served.keys()
    read = {name for name in small.served if name.startswith("category")}
    assert read == {
        "category Category:Tree 0",
        "category Category:Tree 2",
        "category Category:Tree 4",
        "category Category:Branch 0",
    }
    assert "category Category:Leaf 0" in larger.served


def test_once_there_are_enough_articles_no_further_category_is_read(world, tmp_path):
    made, manners, lines = gathered(world, tmp_path, category="Tree", limit=4, **FEW)
    assert made["asked"]["anchors"] == 4
    assert lines[2] == "Category Tree: 2 categories read, 4 articles; not read: 1 category."
    assert "category Category:Leaf 0" not in manners.served


def test_no_more_categories_are_read_than_the_bound(world, tmp_path, monkeypatch):
    monkeypatch.setattr(categories, "MAX_CATEGORIES", 2)
    made, _, lines = gathered(world, tmp_path, category="Tree", category_depth=5, **FEW)
    assert made["asked"]["anchors"] == 6 and "; not read: 1 category" in lines[2]


def test_what_was_read_before_a_run_stopped_is_not_read_again(world, tmp_path):
    class Stopped(Exception):
        pass

    def say(line: str) -> None:
        if "categories read" in line:
            raise Stopped

    manners, request = Manners(), GatherRequest(category="Tree", **FEW)
    with serving(world, manners) as base:
        options = {"base": base, "contact": CONTACT, "retry": QUICK}
        with pytest.raises(Stopped):
            gather(request, tmp_path, **options, say=say)
        assert sum(name.startswith("category") for name in manners.served) == 3
        gather(request, tmp_path, **options)
    assert twice(manners) == [] and manners.violations == []


def test_an_unknown_category_and_one_whose_articles_lie_deeper_are_told_apart(world, tmp_path):
    with pytest.raises(InputError, match="has no articles in 'en', or is no category") as found:
        gathered(world, tmp_path / "none", category="No such thing", **FEW)
    assert found.value.where == "--category No such thing"
    pages = dict(world.pages)
    pages["Category:By country"] = "  <page><title>Category:By country</title></page>\n"
    page = pages["Category:Tree"]
    pages["Category:Tree"] = page.replace("</text>", "[[Category:By country]]</text>")
    with pytest.raises(InputError, match=r"subcategories \(1\) lie deeper \(--category-depth\)"):
        gathered(
            replace(world, pages=pages),
            tmp_path / "deep",
            category="By country",
            category_depth=0,
            **FEW,
        )


def test_the_services_answer_by_kind_and_namespace_as_mediawiki_does(world):
    asked = {"list": "categorymembers", "cmtitle": "Category:Tree", "cmlimit": "500"}
    with serving(world) as base:
        found = {
            kinds: [
                m["ns"]
                for m in api(base, "en.wikipedia", **asked, cmtype=kinds)["query"][
                    "categorymembers"
                ]
            ]
            for kinds in ("page", "subcat", "page|subcat")
        }
    assert found == {"page": [0] * 3, "subcat": [14] * 2, "page|subcat": [0] * 3 + [14] * 2}
