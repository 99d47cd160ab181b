"""Writes pages as a MediaWiki XML export: one bz2 stream per hundred pages, and an index of the streams' offsets.

Source: https://www.mediawiki.org/xml/export-0.11.xsd and https://meta.wikimedia.org/wiki/Data_dumps/Dump_format
"""

import bz2
import hashlib
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from questloom.knowledge.world.article_texts import Page

PAGES_PER_STREAM = 100
PAGES_PER_PART = 5_000
NAMESPACES = {
    -2: "Media",
    -1: "Special",
    0: "",
    1: "Talk",
    2: "User",
    3: "User talk",
    4: "Wikipedia",
    5: "Wikipedia talk",
    6: "File",
    7: "File talk",
    8: "MediaWiki",
    9: "MediaWiki talk",
    10: "Template",
    11: "Template talk",
    12: "Help",
    13: "Help talk",
    14: "Category",
    15: "Category talk",
    100: "Portal",
    101: "Portal talk",
    828: "Module",
    829: "Module talk",
}
FORMATS = {"wikitext": "text/x-wiki", "javascript": "text/javascript", "Scribunto": "text/plain"}
PAGES = "https://en.invented.example/wiki/"
"""The base address of the pages of the fictional world. RFC 2606 reserves the domain for examples,
so the address marks all data of the fictional world as invented."""
FILE_PAGES = "https://commons.invented.example/wiki/File:"
BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"


def header() -> bytes:
    """The first bz2 stream: the root element and the site's namespaces."""
    lines = "".join(
        f'      <namespace key="{key}" case="first-letter"'
        + (f">{name}</namespace>\n" if name else " />\n")
        for key, name in NAMESPACES.items()
    )
    return bz2.compress(
        (
            '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            'xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" version="0.11" '
            'xml:lang="en">\n  <siteinfo>\n    <sitename>Invented encyclopedia</sitename>\n    <dbname>enwiki</dbname>\n'
            f"    <base>{PAGES}Main_Page</base>\n    <generator>MediaWiki 1.42.0-wmf.12</generator>\n"
            f"    <case>first-letter</case>\n    <namespaces>\n{lines}    </namespaces>\n  </siteinfo>\n"
        ).encode()
    )


def footer() -> bytes:
    """The last bz2 stream of the export."""
    return bz2.compress(b"</mediawiki>\n")


def streams(pages: list[Page], part_number: int) -> Iterator[tuple[bytes, str]]:
    """Yields compressed streams with the pages of a part of the world, each with its index lines. In the index lines
    "%d" stands for the stream's offset."""
    for start in range(0, len(pages), PAGES_PER_STREAM):
        xml, index = [], []
        for i, page in enumerate(pages[start : start + PAGES_PER_STREAM], start):
            page_id = 1000 + part_number * PAGES_PER_PART + i
            assert i < PAGES_PER_PART
            xml.append(page_xml(page, page_id))
            index.append(f"%d:{page_id}:{page.title.replace('%', '%%')}\n")
        yield bz2.compress("".join(xml).encode("utf-8")), "".join(index)


def page_xml(page: Page, page_id: int) -> str:
    """Writes one page with its only revision."""
    text = page.text.encode("utf-8")
    digest = _base36(int.from_bytes(hashlib.sha1(text).digest(), "big"))
    redirect = f"    <redirect title={quoteattr(page.redirect)} />\n" if page.redirect else ""
    minute = page_id % 60
    return (
        f"  <page>\n    <title>{escape(page.title)}</title>\n    <ns>{page.namespace}</ns>\n    <id>{page_id}</id>\n{redirect}"
        f"    <revision>\n      <id>{1_100_000_000 + page_id}</id>\n      <parentid>{1_000_000_000 + page_id}</parentid>\n"
        f"      <timestamp>2023-12-{1 + page_id % 28:02d}T12:{minute:02d}:00Z</timestamp>\n      <contributor>\n"
        f"        <username>Keeper{page_id % 97}</username>\n        <id>{5000 + page_id % 97}</id>\n      </contributor>\n"
        f"      <comment>fixed a link</comment>\n      <origin>{1_100_000_000 + page_id}</origin>\n      <model>{page.model}</model>\n"
        f'      <format>{FORMATS[page.model]}</format>\n      <text bytes="{len(text)}" sha1="{digest}" xml:space="preserve">'
        f"{escape(page.text)}</text>\n      <sha1>{digest}</sha1>\n    </revision>\n  </page>\n"
    )


def _base36(number: int) -> str:
    """Returns a sha1 in MediaWiki's notation: 31 digits of base 36."""
    digits = []
    while number:
        number, digit = divmod(number, 36)
        digits.append(BASE36[digit])
    return "".join(reversed(digits)).rjust(31, "0")
