"""Wikitext to articles: what is text, what is a link, and what is neither."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.mediawiki_xml import RawPage, read_pages, read_site
from questloom.knowledge.readers.titles import Site
from questloom.knowledge.readers.wikitext import read_article, read_links
from questloom.records.knowledge import Article
from questloom.records.outcomes import Reason, Rejection

SITE = Site(namespaces=(("datei", 6), ("kategorie", 14)))


def _page(text):
    return RawPage("T", 7, 70, "2026-01-01T00:00:00Z", text)


def _article(text) -> Article:
    article = read_article(_page(text), SITE)
    assert isinstance(article, Article)
    return article


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("'''Bold''' and ''italic'' and '''''both'''''.", "Bold and italic and both."),
        ("The [[cat]]s and [[dog|the dogs]].", "The cats and the dogs."),
        ('A<ref>note [[x]]</ref> b<ref name="y" /> c<!-- [[z]] --> d.', "A b c d."),
        (
            "Write <nowiki>[[not a link]] ''not italic'' {{x}}</nowiki>.",
            "Write [[not a link]] ''not italic'' {{x}}.",
        ),
        (
            "5 &lt; 6 &amp;amp; &#91;&#91;x&#93;&#93; caf&eacute; a&nbsp;b",
            "5 < 6 &amp; [[x]] café a b",
        ),
        ("It is {{convert|1300|mi|km}} long.", "It is 1300 mi long."),
        ("Sun ({{lang|la|''Sol''}}) rises.", "Sun (Sol) rises."),
        ("Rome ({{IPA|rom}}) is old.", "Rome is old."),
        ("Rome ({{IPA|rom}}; born 753) is old.", "Rome (born 753) is old."),
        ("A {{citation needed}} b, c {{dead}}, d.", "A b, c, d."),
        ("one\ntwo\n\nthree\n* four\n** five\n: six", "one two\nthree\nfour\nfive\nsix"),
        ("See [http://x.org the page] and [http://y.org].", "See the page and ."),
        ("a\n{| class=x\n| [[cell]]\n{| inner\n|}\n|}\nb", "a\nb"),
        ("a\n{| class=x\n| [[cell]]\n! head\nb", "a\nb"),
        ("a {{x|{{y}} [[z]]}} b {{unterminated [[c]] d", "a b unterminated c d"),
        ("H<sub>2</sub>O<br />x", "H2O x"),
        ("__NOTOC__\ntext\n----\nmore", "text\nmore"),
        (
            "[[Category:Towers|x]]\n[[fr:Tour]]\nThe [[:Category:Towers]] [[:fr:Tour]].",
            "The Category:Towers fr:Tour.",
        ),
        ("[[File:A.jpg|thumb|A [[link]] in a caption]]Text.", "Text."),
    ],
)
def test_plain_text_is_what_a_reader_sees(raw, plain):
    assert _article(raw).lead == plain


@pytest.mark.parametrize(
    ("raw", "targets"),
    [
        ("[[a]] [[b|c]] [[d#e|f]] [[g_h]]", ["A", "B", "D", "G h"]),
        ("{{box|[[a]]}} <ref>[[b]]</ref> <!--[[c]]--> <nowiki>[[d]]</nowiki> [[e]]", ["E"]),
        ("\n{|\n| [[a]]\n|}\n[[b]]", ["B"]),
        ("[[File:x.jpg|thumb|[[a]]]] [[Datei:y.jpg|[[b]]]] [[c]]", ["C"]),
        ("[[Category:a]] [[fr:b]] [[wikt:c|c]] [[#d]] [[:Category:e]] [[f]]", ["F"]),
        ("{{nowrap|[[a]]}} {{navbox|[[b]]}} [[c", []),
        ("{{a {{b}} [[c]]", ["C"]),
        ("<gallery>\nFile:x.jpg|[[a]]\n</gallery>[[b]]", ["B"]),
    ],
)
def test_only_links_in_running_text_are_body_links(raw, targets):
    assert [link.target for link in _article(raw).links] == targets
    assert read_links(_page(raw), SITE) == targets


def test_links_carry_their_anchor_and_sentence():
    article = _article(
        "First. The [[tower (Paris)|tower]]s of [[Paris]] are ''high''. Last.\n== More ==\nA [[bridge]]."
    )
    assert [(link.anchor, article.sentence(link)) for link in article.links] == [
        ("towers", "The towers of Paris are high."),
        ("Paris", "The towers of Paris are high."),
        ("bridge", "A bridge."),
    ]
    assert [(s.title, s.level) for s in article.sections] == [("", 1), ("More", 2)]


def test_offsets_count_characters_of_the_section_also_after_removed_and_literal_markup():
    article = _article(
        "Ä {{x}} ö <nowiki>[[</nowiki> é [[ñandú|bird]] <!-- c -->runs. Next &mdash; [[b]]."
    )
    assert [article.sentence(link) for link in article.links] == [
        "Ä ö [[ é bird runs.",
        "Next — b.",
    ]


def test_the_infobox_gives_fields_targets_and_its_picture():
    article = _article("""{{Infobox building
| name = Tower <!-- x -->
| image = File:Tower_of_X.jpg
| caption = The '''tower'''
| architect = [[Ann Bo|A. Bo]]<br>[[Cy Do]]
| built = {{start date|1889|3|31}}
| height = {{convert|300|m}}<ref>x</ref>
| owners = {{plainlist|
* [[City]]
* State
}}
| empty =
}}
'''Tower''' is high.""")
    assert article.infobox_name == "Infobox building"
    assert {f.name: (f.text, f.targets) for f in article.infobox} == {
        "name": ("Tower", ()),
        "image": ("File:Tower_of_X.jpg", ()),
        "caption": ("The tower", ()),
        "architect": ("A. Bo; Cy Do", ("Ann Bo", "Cy Do")),
        "built": ("31 March 1889", ()),
        "height": ("300 m", ()),
        "owners": ("City; State", ("City",)),
    }
    (picture,) = article.pictures
    assert (picture.file, picture.caption, picture.in_infobox) == (
        "Tower of X.jpg",
        "The tower",
        True,
    )
    assert article.lead == "Tower is high."


def test_pictures_of_text_and_galleries_have_their_captions():
    article = _article(
        "[[File:a b.jpg|thumb|left|200px|alt=no|A ''view'' of [[X]]]] [[Image:c.png]]\n<gallery>\nFile:d.jpg|In [[Rome]]\ne.JPG\n</gallery>"
    )
    assert [(p.file, p.caption) for p in article.pictures] == [
        ("A b.jpg", "A view of X"),
        ("C.png", ""),
        ("D.jpg", "In Rome"),
        ("E.JPG", ""),
    ]


def test_categories_are_listed_once():
    assert _article("x [[Category:B]] [[kategorie:a_c|sort]] [[Category:B]]").categories == (
        "B",
        "A c",
    )


def test_a_page_that_marks_itself_as_a_disambiguation_is_refused():
    got = read_article(_page("'''Lamp''' may be:\n* [[Lamp 1]]\n{{Disambiguation}}"), SITE)
    assert isinstance(got, Rejection)
    assert got.reason == Reason.DISAMBIGUATION


_PIECES = st.sampled_from(
    [
        "{{",
        "}}",
        "[[",
        "]]",
        "|",
        "<ref>",
        "</ref>",
        "<!--",
        "-->",
        "{|",
        "|}",
        "\n",
        "''",
        "'''",
        "==",
        "\n== A ==\n",
        " ",
        "a",
        "Ö. ",
        "<nowiki>",
        "</nowiki>",
        "File:",
        "File:x.jpg|",
        "Category:",
        "&lt;",
        "&#91;",
        "<br>",
        "<gallery>",
        "</gallery>",
        "Infobox x|a=",
        "convert|1|m",
        "lang|fr|",
        "=",
        "*",
        "#",
        ":",
        "http://x ",
        "[",
        "]",
        "(",
        ")",
        ".",
        "\ufdd0",
        "\0",
        "日本。",
        "-",
        "\n|",
        "_",
        "%",
    ]
)


@settings(max_examples=400, deadline=None)
@example("\ufdd0[[&lt;]]")
@example("[[&#91;]]")
@example("[[日本。a]]")
@given(st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=100))
def test_no_text_raises_and_all_offsets_lie_in_their_section(text):
    article = read_article(_page(text), SITE)
    if isinstance(article, Rejection):
        return
    for link in article.links:
        section = article.sections[link.section].text
        assert 0 <= link.sentence_start < link.sentence_end <= len(section)
        assert link.anchor.split()[0] in article.sentence(link) or len(link.anchor.split()) == 0
    Article.from_row(article.to_row())


def test_a_links_entities_are_its_characters():
    article = read_article(_page("The [[AT&amp;T|firm &amp; sons]] of [[&#91;]]."), SITE)
    assert [(link.target, link.anchor) for link in article.links] == [("AT&T", "firm & sons")]
    only = read_article(_page("The [[AT&amp;T|firm &amp; sons]] &#39;here&#39;."), SITE)
    assert (only.links[0].target, only.sections[0].text) == ("AT&T", "The firm & sons 'here'.")


@pytest.mark.parametrize(
    "unit",
    [
        "{{",
        "}}",
        "[[",
        "[[a|",
        "<ref>",
        "<a",
        "<!--",
        "\n{|",
        "=",
        "'",
        "[[File:",
        "{{nowrap|",
        "{{a|b=",
        "(",
        "&",
        "[http",
        "\n== ",
        "{{Infobox x|image=",
        "{{Infobox x|a=[[b|",
        "[[a.b]] x. ",
        "\n*",
        "\u3000",
        "<gallery>\n",
    ],
)
def test_time_grows_with_the_length_and_no_faster(unit):
    def seconds(length: int) -> float:
        page = _page((unit * length)[:length])
        begun = time.process_time()
        read_article(page, SITE)
        return time.process_time() - begun

    seconds(1000)
    assert min(seconds(80_000) for _ in range(2)) < 0.5
    assert min(seconds(320_000) for _ in range(2)) < 2.0  # a quadratic one takes minutes


def test_all_real_pages_give_articles_with_text_and_valid_links(shared):
    path = str(shared("dumps/enwiki-20160501-pages-articles-shortened.xml.bz2"))
    site = read_site(path)
    pages = [
        p for part in plan_ranges(path) for p in read_pages(part, site) if isinstance(p, RawPage)
    ]
    articles = [a for a in (read_article(p, site) for p in pages) if isinstance(a, Article)]
    assert len(articles) == 98  # eight mark themselves as disambiguations
    assert sum(len(a.links) for a in articles) > 22_000
    assert sum(bool(a.infobox) for a in articles) >= 50
    for article in articles:
        assert article.lead or article.title.startswith("List of")
        for leftover in ("{{", "}}", "[[", "]]", "'''", "<ref", "&nbsp;", "|-"):
            assert leftover not in article.lead
        assert all(
            article.sentence(link).strip() == article.sentence(link) for link in article.links
        )
    lincoln = next(a for a in articles if a.title == "Abraham Lincoln")
    fields = {f.name: f for f in lincoln.infobox}
    assert (fields["birth_date"].text, fields["predecessor1"].targets) == (
        "12 February 1809",
        ("James Buchanan",),
    )
    assert lincoln.lead.startswith(
        "Abraham Lincoln (February 12, 1809 – April 15, 1865) was the 16th President of the United States"
    )
    links = {a.title: sorted(link.target for link in a.links) for a in articles}
    assert all(sorted(read_links(p, site)) == links[p.title] for p in pages if p.title in links)
