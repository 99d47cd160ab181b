import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.transforms.ingest.classes import ClassTree, write_class_edges
from questloom.transforms.ingest.pages import (
    NOWHERE,
    Merged,
    PageTable,
    build_pages,
    link_array,
    revision_order,
)
from questloom.transforms.ingest.part_files import PartWriter

TITLES = [f"T{n}" for n in range(12)]
titles = st.sampled_from(TITLES)


def table(
    articles: dict[str, set[str]],
    redirects: dict[str, str],
    sitelinks: dict[str, tuple[str, str]],
    items: dict[str, str] | None = None,
    merged: dict[str, str] | None = None,
) -> PageTable:
    """The page table of articles (title to links), redirects, and sitelinks (title to entity and classes)."""
    folder = Path(tempfile.mkdtemp())
    writer = PartWriter(folder, "t", 2)
    for title in articles:
        writer.add("page", (title, revision_order(7, 1), (items or {}).get(title, "").encode()))
    for title, target in redirects.items():
        writer.add("redirect", (title, target, target.encode()))
    for title, (entity, classes) in sitelinks.items():
        writer.add("sitelink", (title, entity, entity.encode(), classes.encode()))
    writer.close()
    (folder / "links").mkdir()
    links = [
        link_array("", 0, ()),
        *(link_array(title, 7, targets) for title, targets in articles.items()),
    ]
    np.save(folder / "links" / "0.npy", np.concatenate(links))
    write_class_edges(folder / "classes.arrow", [("Q2", "Q4167410")])
    (folder / "index").mkdir()
    build_pages(
        folder,
        folder / "index",
        "enwiki",
        ClassTree(folder / "classes.arrow"),
        Merged(merged or {}),
    )
    return PageTable(folder / "index")


def followed(title: str, articles, redirects) -> str | None:
    seen = set()
    while title not in articles and title in redirects and title not in seen:
        seen.add(title)
        title = redirects[title]
    return title if title in articles else None


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(titles, st.sets(titles), max_size=8),
    st.dictionaries(titles, titles, max_size=12),
)
def test_redirects_and_in_degrees_are_those_of_following_every_link_by_hand(articles, redirects):
    pages = table(articles, redirects, {})
    for title in TITLES:
        goal = followed(title, articles, redirects)
        row = pages.resolve(title)
        assert (pages.title(row) if row != NOWHERE else None) == goal
        if title in articles:
            leading = {
                t
                for t in redirects
                if t not in articles and followed(t, articles, redirects) == title
            }
            assert pages.redirects_to(row) == tuple(sorted(leading))
            assert pages.in_degree[row] == sum(
                title != source and any(followed(t, articles, redirects) == title for t in links)
                for source, links in articles.items()
            )


def test_chains_of_redirects_are_followed_to_their_end_and_loops_lead_nowhere():
    chain = {f"R{n}": f"R{n + 1}" for n in range(60)} | {
        "R60": "End",
        "L1": "L2",
        "L2": "L3",
        "L3": "L1",
    }
    pages = table({"End": set()}, chain, {})
    assert (
        pages.title(pages.resolve("R0")) == "End"
        and len(pages.redirects_to(pages.row("End"))) == 61
    )
    assert pages.resolve("L2") == NOWHERE


def test_an_article_is_joined_by_sitelink_then_by_its_item_then_minted():
    pages = table(
        {t: set() for t in ("A", "B", "C", "D", "E")},
        {},
        {"A": ("Q11", ""), "Only": ("Q12", "")},
        items={"A": "Q99", "B": "Q13", "C": "Q13", "D": "Q11"},
        merged={"Q13": "Q14"},
    )
    assert {t: pages.entity_of(t) for t in ("A", "B", "C", "D", "E", "Only", "None")} == {
        "A": "Q11",
        "B": "Q14",
        "C": "enwiki:C",
        "D": "enwiki:D",
        "E": "enwiki:E",
        "Only": "Q12",
        "None": "",
    }


def test_pages_that_are_no_articles_lead_nowhere_and_give_no_links():
    pages = table(
        {"A": set(), "Dab": {"A"}, "List of A": {"A"}, "List of B": {"A"}},
        {"To dab": "Dab"},
        {"Dab": ("Q11", "Q2"), "List of B": ("Q12", "Q3")},
    )
    assert {t: pages.reason(pages.row(t)) for t in ("A", "Dab", "List of A", "List of B")} == {
        "A": "",
        "Dab": "disambiguation",
        "List of A": "list_page",
        "List of B": "",
    }
    assert pages.resolve("Dab") == pages.resolve("To dab") == NOWHERE
    assert pages.in_degree[pages.row("A")] == 1
    assert pages.titles().to_pylist() == [
        {"key": "A", "record": b"enwiki:A"},
        {"key": "List of B", "record": b"Q12"},
    ]


def test_an_empty_wiki_has_an_empty_table():
    pages = table({}, {}, {})
    assert pages.resolve("A") == NOWHERE and pages.titles().num_rows == 0


def test_ids_merged_over_several_steps_lead_to_the_last_and_a_loop_ends():
    merged = Merged({"Q1": "Q2", "Q2": "Q3", "Q8": "Q9", "Q9": "Q8"})
    assert merged("Q1") == "Q3" and merged.names("Q3") == ("Q1", "Q2")
    assert merged("Q8") in ("Q8", "Q9")
