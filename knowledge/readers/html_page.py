"""Turns a rendered MediaWiki page (Parsoid HTML, as in ZIM files) into an `Article`: body paragraphs and lists, without
boxes and tables."""

import posixpath
import re
import urllib.parse

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from questloom.knowledge.readers.html_text import is_hidden
from questloom.knowledge.readers.titles import Site, link_resolver
from questloom.language.sentences import links_in_sentences
from questloom.records.knowledge import Article, ArticlePicture, InfoboxField, Link, Section

_SKIPPED = frozenset(
    "table style script noscript figure template math audio video nav button form map".split()
)
_SKIPPED_CLASSES = frozenset(
    """navbox vertical-navbox sidebar hatnote reflist references reference metadata thumb gallery
    mw-editsection noprint toc navigation-not-searchable dablink rellink catlinks mw-references-wrap printfooter ambox
    infobox portal sistersitebox mw-empty-elt""".split()
)
_BLOCKS = frozenset(("p", "li", "dd", "dt", "blockquote", "pre"))
_HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
_BLANKS = re.compile(r"\s+")
_OLD_ID = re.compile(rb"[?&](?:amp;)?oldid=(\d{1,12})")
_NAMESPACE_CLASS = re.compile(r"\bns-(\d+)\b")
_SCHEME = re.compile(r"(?:https?|ftp|mailto|javascript|geo|tel|data|news|irc|urn|magnet):", re.I)
MAX_DEPTH = 200


def read_html(data: bytes, *, title: str, page_id: int, folder: str, site: Site) -> Article | str:
    """Returns the article of a page, or the reason why the page is no article.

    Args:
        data: the HTML in UTF-8.
        title: the normalised title of the page.
        page_id: id of the page for the record; ZIM files have none.
        folder: folder of the page inside the file ("A"), used to resolve relative addresses.
        site: wiki of the page.
    """
    if not data.strip():
        return "the page is empty"
    try:
        root = document_fromstring(
            data, parser=HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
        )
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        return f"no HTML ({error})"
    body = root.find("body")
    if (
        body is not None
        and (number := _NAMESPACE_CLASS.search(body.get("class", "")))
        and number[1] != "0"
    ):
        return f"namespace {number[1]}"
    content = next(
        iter(root.xpath("//*[@id='mw-content-text']")), body if body is not None else root
    )
    reader = _Reader(folder, site)
    reader.walk(content, 0)
    sections, links = reader.finish()
    if not any(s.text for s in sections):
        return "the page has no text"
    name, fields = reader.infobox(content)
    revision = _OLD_ID.search(data)
    return Article(
        wiki=site.wiki,
        title=title,
        page_id=page_id,
        revision=int(revision[1]) if revision else 0,
        sections=sections,
        links=links,
        infobox_name=name,
        infobox=fields,
        pictures=reader.pictures(content),
    )


class _Reader:
    """Collects the paragraphs of a page, section by section."""

    def __init__(self, folder: str, site: Site) -> None:
        self.folder, self.resolve = folder, link_resolver(site)
        self.headings: list[tuple[str, int]] = [("", 1)]
        self.texts: list[list[str]] = [[]]
        self.found: list[list[tuple[str, str, int]]] = [[]]
        self.lengths = [0]

    def walk(self, element: HtmlElement, depth: int) -> None:
        for child in element:
            if not isinstance(child.tag, str) or _is_skipped(child) or depth > MAX_DEPTH:
                continue
            if child.tag in _HEADINGS:
                self.headings.append((_text(child), int(child.tag[1])))
                self.texts.append([])
                self.found.append([])
                self.lengths.append(0)
            elif child.tag in _BLOCKS:
                self._paragraph(child)
            else:
                self.walk(child, depth + 1)

    def _paragraph(self, element: HtmlElement) -> None:
        """Reads a paragraph as one line of text. A list inside a list item becomes separate lines."""
        out: list[str] = []
        links: list[tuple[str, str, int]] = []
        length, inner = 0, list[HtmlElement]()

        def add(text: str | None) -> None:
            nonlocal length
            if text:
                text = _BLANKS.sub(" ", text)
                if length == 0 or out[-1].endswith(" "):
                    text = text.lstrip(" ")
                if text:
                    out.append(text)
                    length += len(text)

        def gather(node: HtmlElement, depth: int) -> None:
            add(node.text)
            for child in node:
                if not isinstance(child.tag, str) or _is_skipped(child) or depth > MAX_DEPTH:
                    pass
                elif child.tag in ("ul", "ol", "dl", *_BLOCKS):
                    inner.append(child)
                elif child.tag == "br":
                    add(" ")
                elif child.tag == "a" and (title := self.target(child.get("href", ""))):
                    at = length
                    gather(child, depth + 1)
                    anchor = "".join(out)[at:] if length > at else ""
                    if anchor.strip():
                        links.append((title, anchor.strip(), at))
                else:
                    gather(child, depth + 1)
                add(child.tail)

        gather(element, 0)
        text = "".join(out).rstrip()
        if text:
            base = self.lengths[-1]
            self.texts[-1].append(text)
            self.found[-1].extend((title, anchor, base + at) for title, anchor, at in links)
            self.lengths[-1] += len(text) + 1
        for child in inner:
            if child.tag in _BLOCKS:
                self._paragraph(child)
            else:
                self.walk(child, 0)

    def finish(self) -> tuple[tuple[Section, ...], tuple[Link, ...]]:
        sections, links = [], list[Link]()
        for number, ((title, level), lines, found) in enumerate(
            zip(self.headings, self.texts, self.found, strict=True)
        ):
            text = "\n".join(lines)
            sections.append(Section(title=title, level=level, text=text))
            if found:
                links.extend(links_in_sentences(text, found, number))
        return tuple(sections), tuple(links)

    def target(self, address: str) -> str:
        """The title of the article at a relative address; "" if there is none."""
        if not address or address.startswith(("#", "/")) or _SCHEME.match(address):
            return ""
        path = urllib.parse.unquote(address.partition("#")[0].partition("?")[0])
        path = posixpath.normpath(posixpath.join(self.folder, path)) if path else ""
        if self.folder:
            if not path.startswith(self.folder + "/"):
                return ""
            path = path[len(self.folder) + 1 :]
        return self.resolve(path.removesuffix(".html"))

    def infobox(self, content: HtmlElement) -> tuple[str, tuple[InfoboxField, ...]]:
        """The name and the fields of the first infobox on the page. The name consists of the
        infobox's CSS classes; a field is a row with a heading and a value."""
        for table in content.iter("table"):
            classes = table.get("class", "").split()
            if not any(c.startswith("infobox") for c in classes):
                continue
            fields = {}
            for row in table.iter("tr"):
                cells = [c for c in row if c.tag in ("th", "td")]
                if len(cells) != 2 or cells[1].tag != "td":
                    continue
                name, text = (
                    _text(cells[0]).rstrip(":"),
                    "; ".join(t for t in (_text(part) for part in _parts(cells[1])) if t),
                )
                if name and text and name not in fields:
                    targets = (self.target(a.get("href", "")) for a in cells[1].iter("a"))
                    fields[name] = InfoboxField(
                        name=name, text=text, targets=tuple(dict.fromkeys(t for t in targets if t))
                    )
            return " ".join(c for c in classes if not c.startswith("v")), tuple(fields.values())
        return "", ()

    def pictures(self, content: HtmlElement) -> tuple[ArticlePicture, ...]:
        """The pictures of the page, each with its path in the file and the caption of its frame."""
        found: dict[str, ArticlePicture] = {}
        for image in content.iter("img"):
            source = urllib.parse.unquote(image.get("src", ""))
            if not source or "://" in source or source.startswith(("data:", "//")):
                continue
            path = posixpath.normpath(posixpath.join(self.folder, source))
            frames = [
                a
                for a in image.iterancestors()
                if a.tag == "figure"
                or "thumb" in a.get("class", "")
                or "gallerybox" in a.get("class", "")
            ]
            captions = [
                c
                for frame in frames
                for c in frame.iter("figcaption", "div")
                if c.tag == "figcaption" or c.get("class", "") in ("thumbcaption", "gallerytext")
            ]
            in_infobox = any("infobox" in a.get("class", "") for a in image.iterancestors("table"))
            found.setdefault(
                path,
                ArticlePicture(
                    file=path, caption=_text(captions[0]) if captions else "", in_infobox=in_infobox
                ),
            )
        return tuple(found.values())


def _is_skipped(element: HtmlElement) -> bool:
    if (
        element.tag in _SKIPPED
        or _is_hidden(element)
        or element.get("role") in ("navigation", "note", "presentation")
    ):
        return True
    classes = element.get("class")
    return bool(classes) and not _SKIPPED_CLASSES.isdisjoint(classes.split())


def _parts(cell: HtmlElement) -> list[HtmlElement]:
    """The list items in a table cell, or the cell itself if it contains no list."""
    return list(cell.iter("li")) or [cell]


def _text(element: HtmlElement) -> str:
    """The text of an element on one line, without style sheets and reference marks."""
    pieces: list[str] = []

    def gather(node: HtmlElement, depth: int) -> None:
        pieces.append(node.text or "")
        for child in node:
            if isinstance(child.tag, str) and depth < MAX_DEPTH and not _is_hidden(child):
                if child.tag == "br":
                    pieces.append("; ")
                gather(child, depth + 1)
            pieces.append(child.tail or "")

    gather(element, 0)
    return _BLANKS.sub(" ", "".join(pieces).replace("\u200b", "")).strip(" ;")


def _is_hidden(element: HtmlElement) -> bool:
    return is_hidden(element) or "reference" in element.get("class", "")
