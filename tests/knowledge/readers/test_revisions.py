"""Revisions: the newest is the page, wherever it stands; what is deleted stops nothing; sums are of what they say."""

import bz2
import gzip

import pytest

from questloom.knowledge.readers import mediawiki_xml, pieces
from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.mediawiki_xml import RawPage, read_pages, read_site
from questloom.knowledge.readers.revisions import base36_sum
from questloom.records.errors import InputError
from questloom.records.knowledge import Redirect
from questloom.records.outcomes import Reason, Rejection

FORMS = ["plain", "one stream", "many streams", "gz"]


def revision(number, text="", *, time="2025-01-01T00:00:00Z", attributes="", sha1=None, more=""):
    """One `<revision>`; `text` None leaves the element out, `sha1` None the sum."""
    element = "" if text is None else f"<text {attributes}>{text}</text>"
    return (
        f"<revision><id>{number}</id>"
        + (f"<timestamp>{time}</timestamp>" if time else "")
        + '<contributor deleted="deleted" /><comment deleted="deleted" />'
        + f"<model>wikitext</model><format>text/x-wiki</format>{element}{more}"
        + ("" if sha1 is None else f"<sha1>{sha1}</sha1>")
        + "</revision>"
    )


def slot(role, text, *, stated=True):
    """One `<content>`: another slot of a revision."""
    stated = f' sha1="{base36_sum(text)}"' if stated else ""
    return f'<content><role>{role}</role><origin>7</origin><model>json</model><text bytes="9"{stated}>{text}</text></content>'


def page(*revisions, title="A", extra=""):
    return f"<page><title>{title}</title><ns>0</ns><id>1</id>{extra}{''.join(revisions)}</page>\n"


@pytest.fixture
def read(tmp_path, make_dump, multistream):
    """Reads an export of some pages in one of its forms."""

    def run(pages, form="plain", *, range_bytes=1 << 40, keep_partial=False, data=None):
        data = data or make_dump(pages)
        path = tmp_path / "dump"
        path.write_bytes(
            {
                "plain": data,
                "one stream": bz2.compress(data, 1),
                "many streams": multistream(data, 333),
                "gz": gzip.compress(data),
            }[form]
        )
        site = read_site(str(path))
        return [
            item
            for part in plan_ranges(str(path), range_bytes=range_bytes)
            for item in read_pages(part, site, keep_partial=keep_partial)
        ]

    return run


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("range_bytes", [97, 1 << 40])
def test_the_reported_exports_are_read_the_same_in_every_form(read, shared, form, range_bytes):
    newest = read(
        [], form, range_bytes=range_bytes, data=shared("reports/newest_first.xml").read_bytes()
    )
    assert [(p.title, p.revision, p.timestamp) for p in newest] == [
        ("The Mill", 22, "2025-05-02T00:00:00Z"),
        ("Lower Town", 31, "2025-01-01T00:00:00Z"),
        ("Upper Town", 32, "2025-01-01T00:00:00Z"),
    ]
    assert newest[0].text == "The Mill is a water mill in [[Upper Town]]. It was built in 1820."
    slots = read(
        [], form, range_bytes=range_bytes, data=shared("reports/multi_slot.xml").read_bytes()
    )
    assert [(p.title, p.revision, p.text) for p in slots] == [
        ("Red Tower", 41, "Red Tower is a tower in [[Upper Town]]."),
        ("Upper Town", 32, "Upper Town is a town."),
    ]


@pytest.mark.parametrize(
    ("revisions", "newest"),
    [
        (
            [
                revision(3, "x", time="2024-01-01T00:00:00Z"),
                revision(2, "x", time="2025-01-01T00:00:00Z"),
            ],
            2,
        ),  # the third was imported late
        ([revision(9, "x"), revision(10, "x"), revision(8, "x")], 10),
        ([revision(10, "x", time=""), revision(9, "x", time="2025-01-01T00:00:00Z")], 10),
    ],
)
def test_the_newest_is_told_by_its_time_then_by_its_number(read, revisions, newest):
    for order in (revisions, revisions[::-1]):
        assert [p.revision for p in read([page(*order)])] == [newest]


DELETED = 'bytes="9" sha1="53k2m5epgcyux508oawcp2w3j9za5e5" deleted="deleted"'


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "gone",
    [
        revision(3, attributes=DELETED, time="2026-01-01T00:00:00Z", sha1=""),
        revision(3, None, time="2026-01-01T00:00:00Z", sha1=""),
        revision(3, attributes='deleted="deleted"', time="2026-01-01T00:00:00Z"),
        revision(3, attributes='bytes="9" location="tt:3" id="3"', time="2026-01-01T00:00:00Z"),
        revision(3, attributes='bytes="9"', time="2026-01-01T00:00:00Z"),
        revision(
            3, time="2026-01-01T00:00:00Z", sha1="53k2m5epgcyux508oawcp2w3j9za5e5"
        ),  # what MediaWiki writes where it cannot load a text
    ],
    ids=["deleted", "left out", "deleted, no sum", "stub", "not loaded", "not loaded, no size"],
)
def test_of_a_page_whose_newest_text_is_not_there_the_newest_that_is_counts(read, gone, form):
    old = revision(2, "readable")
    assert [(p.revision, p.text) for p in read([page(gone, old)], form)] == [(2, "readable")]
    lost, sound = read([page(gone), page(old, title="B")], form)
    assert isinstance(lost, Rejection)
    assert (lost.reason, sound.title) == (Reason.BAD_PAGE, "B")
    assert "text is deleted" in str(lost.evidence) or "does not hold the page's text" in str(
        lost.evidence
    )


def test_a_blank_page_is_blank_though_it_was_not_once(read):
    blank = revision(
        3,
        attributes=f'bytes="0" sha1="{base36_sum("")}"',
        time="2026-01-01T00:00:00Z",
        sha1=base36_sum(""),
    )
    (got,) = read([page(blank, revision(2, "readable"))])
    assert (got.reason, got.evidence) == (Reason.BAD_PAGE, "the page has no text")


def test_a_page_without_a_revision_stops_nothing(read):
    lost, sound = read([page(), page(revision(2, "x"), title="B")])
    assert (lost.reason, sound.title) == (Reason.BAD_PAGE, "B")


def test_a_redirect_whose_text_is_deleted_still_leads_on(read):
    (got,) = read([page(revision(3, attributes=DELETED, sha1=""), extra='<redirect title="B" />')])
    assert got == Redirect(wiki="enwiki", title="A", target="B")
    assert (got.revision, got.timestamp) == (3, "2025-01-01T00:00:00Z")


def _folded(*sums):
    first, *others = sums
    for other in others:
        first = base36_sum(first + other)
    return first


MAIN, LEFT, RIGHT = "the text", '{"a":1}', '{"b":2}'
SUMS = tuple(map(base36_sum, (MAIN, LEFT, RIGHT)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "sound",
    [
        revision(3, MAIN, sha1=SUMS[0]),
        revision(3, MAIN, attributes=f'sha1="{SUMS[0]}"', sha1=SUMS[0]),
        revision(3, MAIN, attributes=f'sha1="{SUMS[0]}"'),
        revision(3, MAIN, more=slot("mediainfo", LEFT), sha1=_folded(SUMS[0], SUMS[1])),
        revision(
            3, MAIN, more=slot("captions", LEFT), sha1=_folded(SUMS[1], SUMS[0])
        ),  # in the order of the roles
        revision(
            3, MAIN, more=slot("captions", LEFT), sha1=_folded(SUMS[0], SUMS[1])
        ),  # in the order in which they stand
        revision(
            3,
            MAIN,
            more=slot("zoo", RIGHT) + slot("abc", LEFT, stated=False),
            sha1=_folded(SUMS[1], SUMS[0], SUMS[2]),
        ),
        revision(
            3,
            MAIN,
            more='<content><role>z</role><text bytes="9" location="tt:1"/></content>',
            sha1=_folded(SUMS[0], SUMS[1]),
        ),
        revision(
            3,
            MAIN,
            more=f'<content><role>z</role><text bytes="9" sha1="{SUMS[1]}"/></content>',
            sha1=_folded(SUMS[0], SUMS[1]),
        ),
        revision(3, MAIN, sha1=""),
        revision(3, MAIN, attributes='sha1=""'),
    ],
    ids=[
        "one",
        "both",
        "text-alone",
        "mediainfo",
        "by-role",
        "as-they-stand",
        "three",
        "not-there",
        "stated-alone",
        "empty-sum",
        "empty-attribute",
    ],
)
def test_sums_that_agree_with_what_they_are_of_are_sound(read, sound, form):
    assert [type(item) for item in read([page(sound)], form)] == [RawPage]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "wrong",
    [
        revision(3, MAIN, sha1=SUMS[1]),
        revision(3, MAIN, attributes=f'sha1="{SUMS[1]}"'),
        revision(3, MAIN, attributes=f'sha1="{SUMS[1]}"', sha1=SUMS[0]),
        revision(3, MAIN, more=slot("z", LEFT), sha1=SUMS[0]),
        revision(3, MAIN, more=slot("z", LEFT), sha1=_folded(SUMS[0], SUMS[2])),
        revision(3, MAIN, more=slot("z", LEFT).replace("{", "[")),
        revision(3, MAIN, sha1="no-number"),
    ],
    ids=[
        "one",
        "text-alone",
        "text-of-both",
        "not-folded",
        "other-slot",
        "damaged-slot",
        "no-number",
    ],
)
def test_a_sum_that_does_not_agree_is_damage_in_every_form_or_a_page_lost_if_asked(
    read, wrong, form
):
    pages = [page(wrong), page(revision(2, "x"), title="B")]
    with pytest.raises(InputError, match="damaged"):
        read(pages, form)
    lost, sound = read(pages, form, keep_partial=True)
    assert (lost.reason, sound.title) == (Reason.BAD_PAGE, "B")


def test_sums_of_older_revisions_and_of_other_kinds_of_pages_are_not_looked_at(read):
    old, new = revision(2, "old", sha1=SUMS[1]), revision(3, MAIN, time="2026-01-01T00:00:00Z")
    assert [p.revision for p in read([page(old, new)])] == [3]
    assert [
        p.reason
        for p in read([page(revision(3, "{}", sha1=SUMS[1]).replace("wikitext", "wikibase-item"))])
    ] == [Reason.NOT_WIKITEXT]


def test_an_empty_text_has_a_sum_of_31_digits():
    assert base36_sum("") == "phoiac9h4m842xq45sp7s6u21eteeq1"
    assert {len(base36_sum(str(n))) for n in range(2000)} == {31}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("range_bytes", [5000, 1 << 40])
@pytest.mark.parametrize("newest", [0, 30, 59])
def test_a_history_larger_than_the_limit_of_a_page_is_read_for_its_newest_revision(
    read, monkeypatch, form, range_bytes, newest
):
    monkeypatch.setattr(mediawiki_xml, "MAX_PAGE_BYTES", 20_000)
    monkeypatch.setattr(pieces, "CHUNK", 3000)
    text = "the newest " + "x" * 2000
    history = [revision(n, "older " + "y" * 3000) for n in range(1, 60)]
    history.insert(newest, revision(99, text, time="2025-06-01T00:00:00Z", sha1=base36_sum(text)))
    pages = [
        page(revision(1, "before"), title="B"),
        page(*history),
        page(revision(2, "after"), title="C"),
    ]
    assert [(p.title, p.text[:10]) for p in read(pages, form, range_bytes=range_bytes)] == [
        ("B", "before"),
        ("A", "the newest"),
        ("C", "after"),
    ]


def test_damage_behind_a_long_history_is_told_with_its_place_in_the_file(
    read, make_dump, monkeypatch
):
    monkeypatch.setattr(mediawiki_xml, "MAX_PAGE_BYTES", 20_000)
    monkeypatch.setattr(pieces, "CHUNK", 3000)
    data = make_dump(
        [
            page(*(revision(n, "y" * 3000) for n in range(1, 60))),
            page(revision(2, "after"), title="C").replace("</title>", "</titel>"),
        ]
    )
    with pytest.raises(InputError, match="malformed") as caught:
        read([], data=data)
    place = int(caught.value.where.rpartition("byte ")[2].replace(",", ""))
    assert data[place:].lstrip().startswith(b"<page><title>C")
