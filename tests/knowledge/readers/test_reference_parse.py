"""The fast extraction against mwparserfromhell, and the guard around it."""

import time

import pytest

from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.mediawiki_xml import RawPage, read_pages, read_site
from questloom.knowledge.readers.titles import Site
from questloom.knowledge.readers.wikitext import read_article
from questloom.records.knowledge import Article
from questloom.records.outcomes import Rejection
from tests.knowledge.readers.reference_parse import ReferenceParser, compare


def _page(text):
    return RawPage("T", 1, 1, "", text)


def test_the_reference_reads_lead_and_body_links():
    with ReferenceParser(Site()) as parser:
        got = parser.parse(
            _page(
                "'''A''' is a [[b|bee]]{{x|[[c]]}}<ref>[[d]]</ref>. [[File:x.jpg|[[e]]]]\n== H ==\n[[f]]\n{|\n| [[g]]\n|}"
            )
        )
    assert got.links == ("B", "F")
    assert got.lead == "A is a bee."


@pytest.mark.parametrize(
    "name",
    [
        "dumps/enwiki-20160501-pages-articles-shortened.xml.bz2",
        "dumps/dbpedia_mini/en.xml.bz2",
        "dumps/enwiki-table-markup.xml.bz2",
    ],
)
def test_both_agree_on_real_pages(shared, name):
    path = str(shared(name))
    site = read_site(path)
    pages = [
        p
        for part in plan_ranges(path)
        for p in read_pages(part, site)
        if isinstance(p, RawPage) and len(p.text) < 60_000
    ][:20]
    scores = []
    with ReferenceParser(site) as parser:
        for page in pages:
            article, reference = read_article(page, site), parser.parse(page)
            if isinstance(article, Article) and not isinstance(reference, Rejection):
                scores.append(compare(article, reference))
    assert len(scores) >= 2
    for values in zip(*scores, strict=True):
        assert sum(values) / len(values) > 0.98
        assert min(values) > 0.8


def test_a_page_too_large_or_too_slow_or_too_hungry_is_refused_and_the_next_one_is_read():
    with ReferenceParser(Site(), seconds=0.3) as parser:
        parser.parse(_page("warm up"))
        assert "characters" in parser.parse(_page("x" * (1 << 20) + "y"))
        begun = time.monotonic()
        got = parser.parse(_page("".join(f"[[a{n}|{{{{b{n}|''c" for n in range(40_000))))
        assert time.monotonic() - begun < 3
        assert isinstance(got, str)
    with ReferenceParser(Site(), seconds=20, memory_bytes=300 << 20) as parser:
        got = parser.parse(_page("[[a]] {{b|''c''}} " * 50_000))
        assert isinstance(got, str)
        assert parser.parse(_page("[[a]]")).links == ("A",)
