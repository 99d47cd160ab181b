"""Pages out of exports: what is kept, what is refused and why, and what damage is called."""

import bz2
import gzip
import random

import pytest

from questloom.knowledge.readers import mediawiki_xml
from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.mediawiki_xml import RawPage, read_pages, read_site
from questloom.records.errors import InputError
from questloom.records.knowledge import Redirect
from questloom.records.outcomes import Reason, Rejection


def _read(path, data=None, *, range_bytes=1 << 40, keep_partial=False):
    if data is not None:
        path.write_bytes(data)
    site = read_site(str(path))
    return [
        item
        for part in plan_ranges(str(path), range_bytes=range_bytes)
        for item in read_pages(part, site, keep_partial=keep_partial)
    ]


def test_articles_redirects_and_what_is_neither_are_told_apart(tmp_path, make_dump, page):
    data = make_dump(
        [
            page(1, "eiffel_Tower", "text"),
            page(2, "Old", "#REDIRECT [[New]]", redirect="New"),
            page(3, "Older", "#redirect [[ old_page#Part ]]"),
            page(4, "Talk:New", "x", namespace=1),
            page(5, "Data", "{}", model="json"),
            page(6, "Blank", "  "),
            page(7, "To category", "#REDIRECT [[Category:X]]", redirect="Category:X"),
            page(8, "A[b", "x"),
        ]
    )
    got = _read(tmp_path / "d", data)
    assert got[0] == RawPage("Eiffel Tower", 1, 1001, "2026-01-02T03:04:05Z", "text")
    assert got[1:3] == [
        Redirect(wiki="enwiki", title="Old", target="New"),
        Redirect(wiki="enwiki", title="Older", target="Old page"),
    ]
    assert [r.reason for r in got[3:]] == [
        Reason.NAMESPACE,
        Reason.NOT_WIKITEXT,
        Reason.BAD_PAGE,
        Reason.REDIRECT,
        Reason.BAD_PAGE,
    ]


def test_a_page_that_is_too_large_is_refused_alone(tmp_path, make_dump, page, monkeypatch):
    monkeypatch.setattr(mediawiki_xml, "MAX_TEXT_CHARS", 100)
    got = _read(tmp_path / "d", make_dump([page(1, "A", "a" * 101), page(2, "B", "b")]))
    assert [getattr(x, "reason", "") for x in got] == [Reason.PAGE_TOO_LARGE, ""]


def test_siteinfo_gives_the_wiki_and_its_names_also_on_one_line(tmp_path, make_dump):
    info = (
        '<siteinfo><dbname>dewiki</dbname><case>case-sensitive</case><namespaces><namespace key="6" case="first-letter">Datei</namespace>'
        '<namespace key="0" /></namespaces></siteinfo>'
    )
    (tmp_path / "d").write_bytes(make_dump(siteinfo=info, version="0.10"))
    site = read_site(str(tmp_path / "d"))
    assert (site.wiki, site.first_letter, site.namespaces) == ("dewiki", False, (("datei", 6),))
    (tmp_path / "d").write_bytes(make_dump(siteinfo=""))
    assert read_site(str(tmp_path / "d")).wiki == "enwiki"


def test_entities_of_a_document_type_are_never_expanded(tmp_path, make_dump, page):
    data = make_dump([page(1, "A", "x").replace(">x<", ">&bomb;<")])
    with pytest.raises(InputError, match=r"malformed XML.*bomb"):
        _read(tmp_path / "d", b'<!DOCTYPE mediawiki [<!ENTITY bomb "b">]>' + data)


@pytest.mark.parametrize(
    ("break_it", "what"),
    [
        (
            lambda d: d.replace(b"</title><ns>0</ns><id>12<", b"</titel><ns>0</ns><id>12<"),
            "malformed XML",
        ),
        (
            lambda d: d.replace(b"</page>\n<page><title>Page 12<", b"</pag\n<page><title>Page 12<"),
            "malformed XML",
        ),
        (
            lambda d: d.replace(b"<page><title>Page 12<", b"<pagf><title>Page 12<"),
            "after a page stands",
        ),
        (lambda d: d.replace(b"near [[Page 13", b"near \xff\xfe[[Page 13"), "not UTF-8"),
        (lambda d: d.replace(b"<id>12</id>", b"<id>x12</id>"), "damaged"),
        (lambda d: d.replace(b"<ns>0</ns><id>12</id>", b"<ns>0</ns>"), "damaged"),
        (lambda d: d[: d.index(b"Page 12") + 40], "ends within the page"),
        (lambda d: d[: d.index(b"<page><title>Page 12")], "ends without </mediawiki>"),
        (lambda d: d.removesuffix(b"</mediawiki>\n"), "ends without </mediawiki>"),
    ],
)
@pytest.mark.parametrize("range_bytes", [700, 1 << 40])
def test_malformed_xml_is_an_error_with_its_place_or_a_rejection_if_asked(
    tmp_path, make_dump, break_it, what, range_bytes
):
    data = break_it(make_dump(num=20))
    with pytest.raises(InputError, match=what) as caught:
        _read(tmp_path / "d", data, range_bytes=range_bytes)
    place = int(caught.value.where.rpartition("byte ")[2].replace(",", ""))
    assert data[place : place + 40].lstrip()[:4] == b"<pag" or place > len(data) - 40
    got = _read(tmp_path / "d", keep_partial=True, range_bytes=range_bytes)
    kept = [item.title for item in got if isinstance(item, RawPage)]
    assert kept[:10] == [f"Page {n}" for n in range(1, 11)]
    assert {r.reason for r in got if isinstance(r, Rejection)} == {Reason.BAD_PAGE}


def test_what_is_no_export_or_not_in_utf8_is_refused_at_the_start(tmp_path, make_dump):
    path = tmp_path / "d"
    for data, what in (
        (b"<html></html>", "no MediaWiki XML export"),
        (b'<?xml version="1.0" encoding="ISO-8859-1"?>' + make_dump(), "ISO-8859-1"),
        (make_dump().decode().encode("utf-16"), "UTF-16"),
        (b"{}", "no MediaWiki XML export"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError, match=what):
            read_site(str(path))


def test_a_page_without_an_end_is_not_gathered_for_ever(tmp_path, make_dump, monkeypatch):
    monkeypatch.setattr(mediawiki_xml, "MAX_PAGE_BYTES", 300_000)
    data = make_dump(num=3).replace(b"</page>", b"") + b"x" * 1_000_000
    with pytest.raises(InputError, match="more than 300,000 bytes"):
        _read(tmp_path / "d", data)


@pytest.mark.parametrize("form", ["one stream", "many streams", "gz"])
def test_no_damage_to_a_compressed_dump_goes_unseen(tmp_path, make_dump, multistream, form):
    data = make_dump(num=300)
    packed = {
        "one stream": bz2.compress(data, 1),
        "many streams": multistream(data, 20_000),
        "gz": gzip.compress(data),
    }[form]
    draw = random.Random(11)
    for number in range(24):
        damaged = bytearray(packed)
        at = draw.randrange(40, len(packed) - 20)
        if number % 3 == 0:
            del damaged[at:]
        elif number % 3 == 1:
            damaged[at] ^= 1 << draw.randrange(8)
        else:
            del damaged[at : at + 50]
        for range_bytes in (1500, 1 << 40):
            with pytest.raises(InputError):
                _read(tmp_path / "d", bytes(damaged), range_bytes=range_bytes)


def test_what_is_whole_of_a_damaged_dump_is_kept_if_asked(tmp_path, make_dump, multistream):
    packed = bytearray(multistream(make_dump(num=300), 20_000))
    packed[len(packed) // 2] ^= 4
    got = _read(tmp_path / "d", bytes(packed), range_bytes=1500, keep_partial=True)
    assert 250 <= sum(isinstance(item, RawPage) for item in got) < 300
    assert any(isinstance(item, Rejection) for item in got)


@pytest.mark.parametrize(
    ("name", "articles", "redirects", "refused"),
    [
        ("enwiki-20160501-pages-articles-shortened.xml.bz2", 106, 99, {"namespace": 1}),
        ("enwiki-table-markup.xml.bz2", 5, 0, {}),
        ("dbpedia_mini/en.xml.bz2", 24, 2, {"namespace": 1}),
        ("dbpedia_mini/commons.xml.bz2", 1, 0, {}),
        ("dbpedia_mini/wikidata.xml.bz2", 0, 0, {"namespace": 34, "not_wikitext": 13}),
    ],
)
def test_real_dumps_are_read_the_same_in_one_range_and_in_many(
    shared, name, articles, redirects, refused
):
    path = shared(f"dumps/{name}")
    got = _read(path)
    assert got == _read(path, range_bytes=40_000)
    assert sum(isinstance(x, RawPage) for x in got) == articles
    assert sum(isinstance(x, Redirect) for x in got) == redirects
    assert {
        r: sum(isinstance(x, Rejection) and x.reason == r for x in got) for r in refused
    } == refused
    assert len(got) == articles + redirects + sum(refused.values())
