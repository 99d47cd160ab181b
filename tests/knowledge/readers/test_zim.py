"""ZIM files: articles, aliases and pictures of one file."""

import pytest

from questloom.knowledge.readers.html_page import read_html
from questloom.knowledge.readers.titles import Site
from questloom.knowledge.readers.zim import plan_zim, read_zim, read_zim_site
from questloom.records.errors import InputError
from questloom.records.knowledge import Article, Redirect
from questloom.records.outcomes import Rejection

HTML = """<html><body class="ns-0"><div id="mw-content-text">
<div class="hatnote">See <a href="Other">other</a></div>
<table class="infobox vcard"><tr><th>Born</th><td>1 May 1900<br><a href="Paris">Paris</a><span style="display:none">(1900)</span></td></tr>
<tr><td colspan=2><img src="../I/p.jpg"></td></tr></table>
<p><b>Ann</b> was   born in <a href="Paris">the <i>city</i></a>.<sup class="reference"><a href="#c">[1]</a></sup> She left for
<a href="New_York_(state)#History">New York</a>. See <a href="https://x.org">x</a> or <a href="geo:1,2">here</a>.</p>
<h2>Work</h2><ul><li>A <a href="Caf%C3%A9.html">café</a><ul><li>inner <a href="File:x.png">f</a></li></ul></li></ul>
<figure><img src="../I/q.png"><figcaption>A <b>view</b></figcaption></figure>
<div role="navigation" class="navbox"><p><a href="Nav">nav</a></p></div>
<div>This article is issued from <a href="http://en.wikipedia.org/?oldid=31">Wikipedia</a></div>
</div></body></html>"""


def _read(html):
    return read_html(html.encode(), title="Ann", page_id=1, folder="A", site=Site())


def test_body_paragraphs_and_lists_are_text_and_boxes_are_not():
    article = _read(HTML)
    assert [s.text for s in article.sections] == [
        "Ann was born in the city. She left for New York. See x or here.",
        "A café\ninner f",
    ]
    assert [(k.target, k.anchor, article.sentence(k)) for k in article.links] == [
        ("Paris", "the city", "Ann was born in the city."),
        ("New York (state)", "New York", "She left for New York."),
        ("Café", "café", "A café"),
    ]
    assert [(f.name, f.text, f.targets) for f in article.infobox] == [
        ("Born", "1 May 1900; Paris", ("Paris",))
    ]
    assert [(p.file, p.caption, p.in_infobox) for p in article.pictures] == [
        ("I/p.jpg", "", True),
        ("I/q.png", "A view", False),
    ]
    assert article.revision == 31


@pytest.mark.parametrize(
    "html",
    ["", "   ", "<html></html>", "<html><body class='ns-4'><p>x</p></body></html>", "\0\1\2"],
)
def test_a_page_without_text_is_none(html):
    assert isinstance(_read(html), str)


def test_deep_nesting_is_read_without_an_error():
    assert isinstance(_read("<html><body>" + "<div>" * 5000 + "<p>x</p>"), (Article, str))
    assert isinstance(_read("<html><body><p>y " + "<b>" * 5000 + "x"), Article)


@pytest.mark.parametrize(
    ("name", "wiki", "articles", "redirects", "pictures"),
    [
        ("wikipedia_cr_all_2015-04.zim", "crwiki", 229, 109, 150),
        ("wikipedia_en_100_mini_2022-10.zim", "enwiki", 101, 3885, 0),
    ],
)
def test_real_files_are_read_the_same_in_one_range_and_in_many(
    shared, name, wiki, articles, redirects, pictures
):
    path = str(shared(f"zim/{name}"))
    site = read_zim_site(path)
    got = [x for part in plan_zim(path) for x in read_zim(part, site)]
    assert site.wiki == wiki
    assert got == [
        x for part in plan_zim(path, entries_per_range=101) for x in read_zim(part, site)
    ]
    assert sum(isinstance(x, Article) for x in got) == articles
    assert sum(isinstance(x, Redirect) for x in got) == redirects
    assert sum(isinstance(x, tuple) for x in got) == pictures
    assert all(x[0].licence == "" for x in got if isinstance(x, tuple))
    titles = {x.title for x in got if isinstance(x, (Article, Redirect))}
    links = [k.target for x in got if isinstance(x, Article) for k in x.links]
    assert links
    assert set(links) <= titles
    assert len({x.id for x in got if isinstance(x, Article)}) == articles
    assert {x.reason for x in got if isinstance(x, Rejection)} <= {"namespace", "picture_kind"}


def test_what_is_no_zim_and_a_damaged_one_are_errors(tmp_path, shared):
    path = tmp_path / "x.zim"
    with pytest.raises(InputError, match="no such file"):
        plan_zim(str(path))
    for data in (b"", b"PK not a zim", b"ZIM\x04" + b"\0" * 200):
        path.write_bytes(data)
        with pytest.raises(InputError, match="is no ZIM file"):
            plan_zim(str(path))
    real = bytearray(shared("zim/wikipedia_cr_all_2015-04.zim").read_bytes())
    path.write_bytes(real[: len(real) // 2])
    with pytest.raises(InputError):
        plan_zim(str(path))
    real[len(real) // 2] ^= 1
    path.write_bytes(real)
    with pytest.raises(InputError, match="checksum"):
        plan_zim(str(path))
