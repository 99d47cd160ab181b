"""Turns rows of `wikimedia/structured-wikipedia`, and of Wikimedia Enterprise's structured contents, into `Article`.

The reader uses these fields of a row: name, identifier, url, version.identifier,
main_entity.identifier, image.content_url, infoboxes, sections. JSON lines leave out empty fields.
Parquet stores infoboxes and sections as JSON. Reading is strict: if a field does not fit the
schema, an error names the field. The reader follows the published schema and was never tried on a
file of the Hugging Face Hub.

Source of the format: https://enterprise.wikimedia.com/docs/data-dictionary/ and the data set's card on the Hub
"""

import re
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any

from questloom.knowledge.readers.commons_page import file_name
from questloom.knowledge.readers.data_sets import (
    Row,
    RowRange,
    decoded_field,
    missing,
    plan_rows,
    read_rows,
)
from questloom.knowledge.readers.rejections import reject
from questloom.knowledge.readers.titles import Site, link_resolver, normalise_title
from questloom.language.sentences import links_in_sentences
from questloom.records.errors import InputError
from questloom.records.knowledge import Article, ArticlePicture, InfoboxField, Link, Section
from questloom.records.outcomes import Reason, Rejection

NAMED = ("name", "identifier", "url", "version", "sections")
"""Fields that every row of the data set has."""
FIELDS = (*NAMED, "main_entity", "image", "infoboxes")
LEAD = "Abstract"
"""The name of the first section of an article."""
MAX_DEPTH = 12
_HOST = re.compile(r"https?://([a-z][a-z-]*)\.(?:m\.)?wikipedia\.org/wiki/(.+)")
_REDIRECT = re.compile(r"#\s*redirect\b", re.I)
_THUMBNAIL = re.compile(r"/thumb/\w/\w\w/([^/]+)/[^/]+$")


def plan_article_rows(path: str, most: int = 1 << 12) -> list[RowRange]:
    """Splits a data set of articles into at most `most` ranges.

    Raises:
        InputError: the data set cannot be read, or lacks a field.
    """
    return plan_rows(path, FIELDS, most)


def read_row_site(path: str) -> Site:
    """The wiki of the data set, from the address of the first article.

    Raises: InputError: the first row is not an article of a Wikipedia.
    """
    where, row = next(iter(read_rows(plan_article_rows(path)[0])))
    found = _HOST.match(str(_field(where, row, "url")))
    if found is None:
        raise InputError(
            where,
            f"has no article of a Wikipedia in the field 'url' ({str(row['url'])[:80]!r})",
            "Give a data set of one edition of Wikipedia.",
        )
    code = found[1]
    return Site(wiki=f"{code.replace('-', '_')}wiki", language=code)


def read_article_rows(part: RowRange, site: Site) -> Iterator[Article | Rejection]:
    """Reads the articles of a range.

    Raises:
        InputError: a row lacks a field, or a field has the wrong type.
    """
    for where, row in read_rows(part):
        yield _article(where, row, site)


def _article(where: str, row: Row, site: Site) -> Article | Rejection:
    for name in NAMED:
        _field(where, row, name)
    try:
        title, page_id = normalise_title(str(row["name"])), int(row["identifier"])
        revision = int(_inner(where, row, "version", "identifier"))
    except (TypeError, ValueError) as error:
        raise InputError(
            where, f"has no number where one belongs ({error})", "Correct 'identifier'."
        ) from error
    body = _Body(where, _target_of(site))
    body.parts(decoded_field(where, "sections", row["sections"]) or [])
    sections, links = body.finish()
    key = (site.wiki, page_id, revision)
    if not title or not any(s.text for s in sections):
        return reject(Reason.BAD_PAGE, "Article", *key, evidence="no text", title=title)
    if _REDIRECT.match(sections[0].text):
        return reject(Reason.REDIRECT, "Article", *key, title=title)
    name, fields = body.infobox(decoded_field(where, "infoboxes", row.get("infoboxes")) or [])
    has_item = decoded_field(where, "main_entity", row.get("main_entity"))
    return Article(
        wiki=site.wiki,
        title=title,
        page_id=page_id,
        revision=revision,
        sections=sections,
        links=links,
        infobox_name=name,
        infobox=fields,
        pictures=_picture(where, row),
        item=str(_inner(where, row, "main_entity", "identifier") or "") if has_item else "",
    )


def _field(where: str, row: Row, name: str) -> Any:
    if row.get(name) is None:
        raise missing(where, name, [n for n, value in row.items() if value is not None])
    return row[name]


def _inner(where: str, row: Row, name: str, inner: str) -> Any:
    """Returns the value of a field of an object inside the row."""
    found = decoded_field(where, name, row[name])
    if not isinstance(found, dict) or inner not in found:
        raise missing(where, f"{name}.{inner}", found if isinstance(found, dict) else ())
    return found[inner]


def _picture(where: str, row: Row) -> tuple[ArticlePicture, ...]:
    image = decoded_field(where, "image", row.get("image"))
    if not image:
        return ()
    address = urllib.parse.unquote(str(_inner(where, row, "image", "content_url")))
    thumbnail = _THUMBNAIL.search(address)
    file = file_name(thumbnail[1] if thumbnail else address.rpartition("/")[2])
    return (ArticlePicture(file=file, caption=str(image.get("caption") or ""), in_infobox=True),)


def _target_of(site: Site) -> Callable[[str], str]:
    """Makes a function from a link's address to the title of an article of this wiki; for other
    addresses the function returns ""."""
    resolve = link_resolver(site)

    def target(address: str) -> str:
        found = _HOST.match(address)
        if found is None or f"{found[1].replace('-', '_')}wiki" != site.wiki:
            return ""
        return resolve(found[2].partition("#")[0].partition("?")[0])

    return target


class _Body:
    """Collects paragraphs and list items with their links, section by section."""

    def __init__(self, where: str, target: Callable[[str], str]) -> None:
        self.where, self.target = where, target
        self.headings: list[tuple[str, int]] = [("", 1)]
        self.texts: list[list[str]] = [[]]
        self.found: list[list[tuple[str, str, int]]] = [[]]
        self.lengths = [0]

    def parts(self, parts: Any, level: int = 1) -> None:
        """Adds the sections, paragraphs and lists inside a part of an article."""
        for part in parts if level <= MAX_DEPTH else ():
            if not isinstance(part, dict) or "type" not in part:
                raise missing(self.where, "sections.type", part if isinstance(part, dict) else ())
            inner, kind = part.get("has_parts") or [], part["type"]
            if kind == "section":
                name = str(part.get("name") or "")
                if not (name == LEAD and level == 1 and len(self.headings) == 1):
                    self._begin(name, level + 1)
                self.parts(inner, level + 1)
            elif kind not in ("table", "image", "gallery", "infobox"):
                self._line(part)
                self.parts(inner, level)

    def _begin(self, title: str, level: int) -> None:
        self.headings.append((title, level))
        self.texts.append([])
        self.found.append([])
        self.lengths.append(0)

    def _line(self, part: Row) -> None:
        text = " ".join(str(part.get("value") or "").split())
        if not text:
            return
        at = 0
        for link in part.get("links") or []:
            anchor = " ".join(str(link.get("text") or "").split())
            begin = text.find(anchor, at) if anchor else -1
            if begin < 0:  # the link of a picture, or a link in a reference
                continue
            if title := self.target(str(link.get("url") or "")):
                self.found[-1].append((title, anchor, self.lengths[-1] + begin))
            at = begin + len(anchor)
        self.texts[-1].append(text)
        self.lengths[-1] += len(text) + 1

    def finish(self) -> tuple[tuple[Section, ...], tuple[Link, ...]]:
        """Returns the sections of the article, and its links with the sentences that contain
        them."""
        sections, links = [], list[Link]()
        for number, ((title, level), lines) in enumerate(
            zip(self.headings, self.texts, strict=True)
        ):
            text = "\n".join(lines)
            sections.append(Section(title=title, level=level, text=text))
            if self.found[number]:
                links.extend(links_in_sentences(text, self.found[number], number))
        return tuple(sections), tuple(links)

    def infobox(self, boxes: list[Row]) -> tuple[str, tuple[InfoboxField, ...]]:
        """The first infobox: its name, and the fields that have a name and a value."""
        fields: dict[str, InfoboxField] = {}

        def gather(parts: list[Row], depth: int) -> None:
            for part in parts if depth <= MAX_DEPTH else ():
                name = str(part.get("name") or "").strip(" :")
                text = " ".join(str(part.get("value") or "").split())
                if part.get("type") == "field" and name and text and name not in fields:
                    titles = (self.target(str(k.get("url") or "")) for k in part.get("links") or [])
                    fields[name] = InfoboxField(
                        name=name, text=text, targets=tuple(dict.fromkeys(t for t in titles if t))
                    )
                gather(part.get("has_parts") or [], depth + 1)

        for box in boxes[:1]:
            gather(box.get("has_parts") or [], 1)
            return str(box.get("name") or ""), tuple(fields.values())
        return "", ()
