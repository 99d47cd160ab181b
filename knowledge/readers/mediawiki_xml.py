"""Reads pages of MediaWiki XML exports (schema 0.3 to 0.11; plain, bz2, gz) from byte ranges.

Each page is cut out between `<page>` and `</page>`, and lxml parses it alone. In exports, `<page>`
and `</page>` never occur inside a text, because texts are escaped and CDATA is not used. A byte
range may therefore begin anywhere in a dump. The reader holds one page in memory at a time. The
error for damaged data names the exact place in the dump. If a page is damaged, the pages before and
after it can still be read. The reader checks even the text between two pages.

Source of the format: https://www.mediawiki.org/xml/export-0.11.xsd
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from questloom.knowledge.readers.byte_ranges import ByteRange, plan_ranges
from questloom.knowledge.readers.pieces import Window
from questloom.knowledge.readers.rejections import reject
from questloom.knowledge.readers.revisions import (
    newest_revision,
    revision_id_of,
    timestamp_of,
    withheld,
    wrong_sum,
)
from questloom.knowledge.readers.titles import Site, normalise_title, split_namespace
from questloom.records.errors import InputError
from questloom.records.knowledge import Redirect
from questloom.records.outcomes import Reason, Rejection

MAX_PAGE_BYTES = 16 << 20
"""Maximum size of a page with one revision, in bytes of XML. MediaWiki allows 2 MiB of text, so a
larger page means a damaged file."""
MAX_TEXT_CHARS = 4 << 20
"""Maximum number of characters of a page's wikitext; a longer page is refused."""
MAX_HEADER_BYTES = 1 << 20

_OPEN, _CLOSE, _END = b"<page>", b"</page>", b"</mediawiki>"
_REVISION_CLOSE = b"</revision>"
_KEPT = 16
"""Number of bytes that are kept at the end of dropped data, because a tag may begin in these
bytes."""
_PARTIAL_OPEN = re.compile(rb"<(?:p(?:a(?:ge?)?)?)?\Z")
_ENCODING = re.compile(rb"""<\?xml[^>]*\bencoding\s*=\s*["']([^"']+)""")
_REDIRECT = re.compile(r"\s*#(?:redirect|weiterleitung)\s*:?\s*\[\[([^\]|]+)", re.I)


class RawPage(NamedTuple):
    """A page of the main namespace whose text is wikitext and which is not a redirect."""

    title: str
    """The page's title in normal form."""
    page_id: int
    revision: int
    timestamp: str
    text: str


def _parser() -> etree.XMLParser:
    # huge_tree lifts libxml2's own limits (10 MB per text); MAX_PAGE_BYTES replaces them. Entities are never expanded.
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )


def read_site(path: str) -> Site:
    """Reads which wiki a dump comes from, from the dump's first bytes. If the dump has no siteinfo, the defaults are
    those of English Wikipedia.

    Raises: InputError: the file is not a MediaWiki export, or is not in UTF-8.
    """
    first = plan_ranges(path, range_bytes=1 << 62)[0]
    window = Window(first)
    data = b""
    while (
        not (b"</siteinfo>" in data or _OPEN in data or window.ended)
        and len(data) < MAX_HEADER_BYTES
    ):
        if fault := window.more():
            raise window.error(0, fault)
        data = window.data
    encoding = _ENCODING.search(data[:200])
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or (
        encoding and encoding[1].lower() not in (b"utf-8", b"us-ascii")
    ):
        name = encoding[1].decode("latin-1") if encoding else "UTF-16"
        raise InputError(
            f"{path}, byte 0",
            f"is in {name[:40]}, not in UTF-8",
            "Convert it to UTF-8, as all of Wikimedia's exports are.",
        )
    root = re.search(rb"<mediawiki\b[^>]*>", data)
    if not root:
        raise InputError(
            f"{path}, byte 0",
            "is no MediaWiki XML export (it has no <mediawiki> element)",
            "Give a pages-articles dump.",
        )
    language = re.search(rb"""xml:lang\s*=\s*["']([\w-]+)""", root[0])
    code = language[1].decode() if language else "en"
    begin, end = data.find(b"<siteinfo>"), data.find(b"</siteinfo>")
    if begin == -1 or end == -1:
        return Site(wiki=f"{code.replace('-', '_')}wiki", language=code)
    try:
        info = etree.fromstring(data[begin : end + len(b"</siteinfo>")], _parser())
    except etree.XMLSyntaxError as error:
        raise window.error(begin, f"the siteinfo is malformed XML ({error.msg})") from error
    names = [
        (" ".join((n.text or "").lower().split()), int(n.get("key", "0")))
        for n in info.iterfind("namespaces/namespace")
    ]
    wiki = (info.findtext("dbname") or f"{code.replace('-', '_')}wiki").strip()
    return Site(
        wiki=wiki,
        language=code,
        base=info.findtext("base") or "",
        first_letter=info.findtext("case") != "case-sensitive",
        namespaces=tuple(sorted((name, key) for name, key in names if name)),
    )


def read_pages(
    part: ByteRange, site: Site, *, keep_partial: bool = False
) -> Iterator[RawPage | Redirect | Rejection]:
    """Reads the pages that begin in a range.

    Args:
        part: a range of `plan_ranges`.
        site: the result of `read_site`.
        keep_partial: whether damaged places become rejections (bad_page) and the rest is read; if
            not, a damaged place raises an InputError.

    Raises:
        InputError: the XML is malformed; the data are damaged, truncated or not UTF-8; or a page
            has more than MAX_PAGE_BYTES. The error names the place in the file.
    """
    parser, window = _parser(), Window(part)
    pos, begun = (
        0,
        False,
    )  # begun: `pos` stands after a page; otherwise it may stand inside a page of the range before

    def fault(index: int, what: str) -> Rejection:
        if not keep_partial:
            raise window.error(index, what)
        place = window.place(index)
        return reject(
            Reason.BAD_PAGE, "Page", site.wiki, place, evidence={"where": place, "what": what}
        )

    while True:
        start = window.data.find(_OPEN, pos)
        if not begun:  # the end of a page that the range before reads, or of a damaged page
            close = window.data.find(_CLOSE, pos, start if start != -1 else len(window.data))
            if close != -1:
                pos, begun = close + len(_CLOSE), True
        if (
            start == -1
            and not window.ended
            and (
                window.in_range
                or _PARTIAL_OPEN.search(window.data[max(pos, window.owned - _KEPT) : window.owned])
            )
        ):
            if not begun and part.start > 0:
                window.drop(max(0, len(window.data) - _KEPT))
                pos = 0
            if len(window.data) - pos > MAX_PAGE_BYTES:
                yield fault(pos, f"there is no page in {MAX_PAGE_BYTES:,} bytes")
                window.drop(len(window.data) - _KEPT)
                pos, begun = 0, False
            elif what := window.more():
                yield fault(pos, what)
                window.drop(len(window.data))
                pos, begun = 0, False
            continue
        if begun and (
            gap := _gap_fault(
                window.data[pos:start] if start != -1 else window.data[pos:], start != -1
            )
        ):
            yield fault(pos, gap)
        if start == -1 or start >= window.owned:
            break
        begun = True
        end, what = _page_end(window, start, parser)
        if not what:
            try:
                yield _read_page(etree.fromstring(window.data[start:end], parser), site)
                pos = end
            except (etree.XMLSyntaxError, ValueError, TypeError, KeyError) as error:
                what = _explain(window.data[start:end], error)
        if what:
            yield fault(start, what)
            pos, begun = start + len(_OPEN), False
        if pos > 1 << 20:
            window.drop(pos)
            pos = 0
    tail = window.data.rstrip()[-len(_END) :]
    if window.owns_end and not _END.endswith(tail):
        yield fault(len(window.data), f"the file ends without {_END.decode()}")


def _page_end(window: Window, start: int, parser: etree.XMLParser) -> tuple[int, str]:
    """If the page has an end, returns (index after the page that begins at `start`, ""). If the
    page has no end, returns (-1, the reason). If the page continues, the function reads further
    pieces of the dump."""
    end, what = window.data.find(_CLOSE, start), ""
    while end == -1 and not what:
        if len(window.data) - start > MAX_PAGE_BYTES:
            _keep_newest(window, start, parser)
        seen = max(start, len(window.data) - len(_CLOSE))
        if len(window.data) - start > MAX_PAGE_BYTES:
            what = f"a page has more than {MAX_PAGE_BYTES:,} bytes"
        elif window.ended:
            what = "the file ends within the page that begins here"
        else:
            what = window.more()
            end = window.data.find(_CLOSE, seen)
    return (-1, what) if what else (end + len(_CLOSE), "")


def _keep_newest(window: Window, start: int, parser: etree.XMLParser) -> None:
    """Removes all revisions except the newest from the window, because a page's history may be larger than memory."""
    begin = window.data.find(b"<revision>", start)
    end = window.data.rfind(_REVISION_CLOSE, start) + len(_REVISION_CLOSE)
    written = [
        each + _REVISION_CLOSE for each in window.data[begin:end].split(_REVISION_CLOSE)[:-1]
    ]
    try:
        found = (
            list(etree.fromstring(_OPEN + window.data[begin:end] + _CLOSE, parser))
            if begin != -1
            else []
        )
        if len(found) == len(written) > 1 and all(each.tag == "revision" for each in found):
            window.replace(begin, end, written[found.index(newest_revision(found))])
    except (etree.XMLSyntaxError, ValueError, TypeError):
        return  # the fault is reported when the whole page is read or found too large


def _gap_fault(gap: bytes, page_follows: bool) -> str:
    """Returns the fault in the bytes between two pages, or between the last page and the end of the
    data. The result is "" if the bytes have no fault."""
    rest = gap.strip()
    if not rest or (
        not page_follows and (_END.startswith(rest) or _OPEN.startswith(rest) or rest == _END)
    ):
        return ""
    return f"after a page stands {_shown(rest)}"


def _shown(data: bytes) -> str:
    return repr(data.strip()[:60].decode("utf-8", "replace"))


def _explain(data: bytes, error: Exception) -> str:
    try:
        data.decode()
    except UnicodeDecodeError as wrong:
        return f"the page that begins here is not UTF-8 ({wrong.start:,} bytes on: {data[wrong.start : wrong.start + 4].hex(' ')})"
    kind = "malformed XML" if isinstance(error, etree.XMLSyntaxError) else "damaged"
    return f"the page that begins here is {kind} ({error})"


def _read_page(page: etree._Element, site: Site) -> RawPage | Redirect | Rejection:
    """Reads the newest revision of one `<page>`.

    Raises:
        ValueError, TypeError, KeyError: a number is malformed, an element is missing, or a sha1 does not match.
    """
    fields = {child.tag: child for child in page}
    if "title" not in fields:
        raise ValueError("it has no title")
    raw_title, page_id = fields["title"].text or "", int(fields["id"].text)
    if not (revisions := page.findall("revision")):
        evidence = "the page has no revision"
        return reject(
            Reason.BAD_PAGE, "Article", site.wiki, page_id, 0, evidence=evidence, title=raw_title
        )
    revision = newest_revision(revisions)
    revision_id, timestamp = revision_id_of(revision), timestamp_of(revision)
    text, model = revision.findtext("text") or "", revision.findtext("model", "wikitext")
    namespace, _ = (
        split_namespace(raw_title, site) if "ns" not in fields else (int(fields["ns"].text), "")
    )

    def refuse(reason: Reason, evidence: object = None) -> Rejection:
        return reject(
            reason, "Article", site.wiki, page_id, revision_id, evidence=evidence, title=raw_title
        )

    if namespace != 0:
        return refuse(Reason.NAMESPACE, namespace)
    title = normalise_title(raw_title, first_letter=site.first_letter)
    if not title:
        return refuse(Reason.BAD_PAGE, "the title is illegal")
    if model == "wikitext" and (
        wrong := wrong_sum(revision)
    ):  # texts of other models may be exported differently from how they are stored
        raise ValueError(wrong)
    redirect, hidden = fields.get("redirect"), _REDIRECT.match(text)
    goal = redirect.get("title", "") if redirect is not None else hidden[1] if hidden else None
    if goal is not None:
        target = normalise_title(goal, first_letter=site.first_letter)
        if not target:
            return refuse(Reason.BAD_PAGE, "the redirect has no target")
        if split_namespace(target, site)[0] != 0:
            return refuse(Reason.REDIRECT, target)
        return Redirect(
            wiki=site.wiki, title=title, target=target, revision=revision_id, timestamp=timestamp
        )
    if model != "wikitext":
        return refuse(Reason.NOT_WIKITEXT, model)
    if len(text) > MAX_TEXT_CHARS:
        return refuse(Reason.PAGE_TOO_LARGE, {"characters": len(text), "allowed": MAX_TEXT_CHARS})
    if not text.strip():
        return refuse(Reason.BAD_PAGE, withheld(revision) or "the page has no text")
    return RawPage(title, page_id, revision_id, timestamp, text)
