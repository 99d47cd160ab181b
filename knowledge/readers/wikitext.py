"""Turns wikitext into an `Article`: lead, sections, links in body text with their sentences,
infobox, pictures, categories. The time for reading an article is linear in the length of the page.

Links count only in running text; links in templates, tables, references and captions do not count. Tests compare this
reader with mwparserfromhell on sampled pages.
"""

import re

from questloom.knowledge.readers import markup
from questloom.knowledge.readers.infobox import (
    PICTURE_NAME,
    Infobox,
    field_text,
    is_disambiguation,
    is_infobox,
    read_infobox,
)
from questloom.knowledge.readers.language_variants import without_rules
from questloom.knowledge.readers.mediawiki_xml import RawPage
from questloom.knowledge.readers.rejections import reject
from questloom.knowledge.readers.templates import expand_template, stands_for_words, template_name
from questloom.knowledge.readers.titles import (
    CATEGORY,
    FILE,
    Site,
    link_resolver,
    normalise_title,
    split_namespace,
)
from questloom.language.sentences import links_in_sentences
from questloom.records.knowledge import Article, ArticlePicture, Link, Section
from questloom.records.outcomes import Reason, Rejection

_HEADING = re.compile(r"(={1,6})(.*[^=])\1\Z")
_LINK = re.compile(r"\[\[([^\[\]|\n]{0,512}+)(?:\|([^\[\]]*+))?\]\]([a-zß-öø-ÿа-яё]*)")
_TARGET = re.compile(r"\[\[([^\[\]|\n]{0,512}+)(?:\|[^\[\]]*+)?\]\]")
_NO_TITLE = re.compile(r"[\[\]{}|<>#]")
"""Characters that page titles must not contain. A link is ignored if its target contains a
forbidden character in the form of an HTML entity."""
_EXTERNAL = re.compile(r"\[http[^\s\[\]]*[ \t]?([^\[\]\n]*)\]")
_PARENTHESIS = re.compile(r"\((?:[ ,;:]+(\) ?)?|(\) ?))")
_SPECIAL = frozenset("*#:;=|!-{_")
"""First characters of lines that are not running text."""
_SEAM = "\0"
"""A character between the sections of a page while all sections are cleaned together; XML cannot
contain the character."""
_OPTION = re.compile(
    r"\s*(?:thumb(?:nail)?|frame(?:d|less)?|border|left|right|cent(?:er|re)|none|baseline|middle|sub|super|text-top|text-bottom|top|bottom|mini|miniatur|"
    r"hochkant|upright.*|[\dx ]+px|(?:link|alt|lang|page|class|thumb|upright|start|end|thumbtime)\s*=.*)\s*",
    re.I | re.S,
)


def read_article(page: RawPage, site: Site) -> Article | Rejection:
    """Returns the article of a page, or a rejection if the page marks itself as a disambiguation.

    The targets of links are normalised, but redirects are not followed. The ingest job later fills
    the article's `entity_id`, `redirects` and `in_degree`.
    """
    text, galleries, literal = _prepared(page.text.replace(_SEAM, ""), site)
    text, infobox, disambiguation = _take_templates(text, site)
    if disambiguation:
        return reject(
            Reason.DISAMBIGUATION,
            "Article",
            site.wiki,
            page.page_id,
            page.revision,
            evidence="template",
            title=page.title,
        )
    text, insides = markup.take_pictures(text, site)
    headings, bodies = _split_sections(text)
    text = _clean(_SEAM.join(bodies))
    literal = literal or markup.has_literals(text)
    links: list[Link] = []
    categories: dict[str, None] = {}
    sections = []
    for index, ((title, level), body) in enumerate(zip(headings, text.split(_SEAM), strict=True)):
        if "[[" in body:
            body = _take_links(body, index, site, literal, links, categories)
        elif literal:
            body = markup.restore(body)
        sections.append(Section(title=title, level=level, text=body))
    return Article(
        wiki=site.wiki,
        title=page.title,
        page_id=page.page_id,
        revision=page.revision,
        timestamp=page.timestamp,
        sections=tuple(sections),
        links=tuple(links),
        infobox_name=infobox.name,
        infobox=infobox.fields,
        pictures=_pictures(infobox, insides, galleries, site),
        categories=tuple(categories),
    )


def read_links(page: RawPage, site: Site) -> list[str]:
    """The targets of the links in the page's body text, in order, with repetitions. The result has
    the same links as `read_article`, which takes more time.

    A dump's link graph (in-degrees, hubs) needs only the targets of links. Only a benchmark uses
    the bare targets; the ingest job reads whole articles.
    """
    text, _, _ = _prepared(page.text, site)
    text = markup.cut(text, markup.outer_spans(text)[0])
    text, _ = markup.take_pictures(text, site)
    if "{|" in text:
        text = "\n".join(_split_sections(text)[1])
    return [title for title in map(link_resolver(site), _TARGET.findall(text)) if title]


def _prepared(text: str, site: Site) -> tuple[str, list[str], bool]:
    """Applies `markup.strip_tags`, and replaces the language converter's rules with the text that they show."""
    text, galleries, literal = markup.strip_tags(markup.without_noncharacters(text))
    return (
        without_rules(text, site.language),
        [without_rules(gallery, site.language) for gallery in galleries],
        literal,
    )


def _take_templates(text: str, site: Site) -> tuple[str, Infobox, bool]:
    """Replaces or removes all templates. Returns (the text; the first infobox; whether a template marks a
    disambiguation page)."""
    infobox, disambiguation = Infobox(), False
    if "{{" not in text:
        return text, infobox, disambiguation
    spans, balanced = markup.outer_spans(text)
    out, pos = [], 0
    for start, end in spans:
        out.append(text[pos:start])
        pos = end
        name = template_name(text, start + 2)
        if stands_for_words(name):
            out.append(expand_template(text[start + 2 : end - 2]))
            continue
        if (
            text[start - 1 : start] == " " and text[end : end + 1] in " ,.;:)\n"
        ):  # no blank before a comma, and no double blanks
            out[-1] = out[-1][:-1]
        if not infobox.name and is_infobox(name):
            infobox = read_infobox(text[start + 2 : end - 2], link_resolver(site))
        elif is_disambiguation(name):
            disambiguation = True
    out.append(text[pos:])
    text = "".join(out)
    if not balanced:
        text = text.replace("{{", "").replace("}}", "")
    return text, infobox, disambiguation


def _split_sections(text: str) -> tuple[list[tuple[str, int]], list[str]]:
    """Splits a page into ([(title, level)], [body]). In the body of a section, each paragraph and
    each list item is one line. Tables are left out of the bodies of sections."""
    headings, bodies = [("", 1)], []
    body: list[str] = []
    paragraph: list[str] = []
    lines = text.split("\n")
    tables = _tables(lines) if "{|" in text else {}
    table_end = 0
    for number, line in enumerate(lines):
        line = line.strip()
        if line and line[0] not in _SPECIAL:
            if number >= table_end:
                paragraph.append(line)
            continue
        if paragraph:
            body.append(paragraph[0] if len(paragraph) == 1 else " ".join(paragraph))
            paragraph = []
        if not line or number < table_end:
            continue
        first = line[0]
        if first == "=":
            if heading := _HEADING.match(line):
                bodies.append("\n".join(body))
                body = []
                headings.append((field_text(heading[2]), len(heading[1])))
            else:
                body.append(line)
        elif first in "*#:;":
            item = line.lstrip("*#:; \t")
            if number in tables:
                table_end = tables[number]
            elif item:
                body.append(item)
        elif number in tables:
            table_end = tables[number]
        elif not (
            first in "|!" or line.startswith(("{|", "----", "__"))
        ):  # rows of an unterminated table, horizontal rules, switches
            body.append(line)
    if paragraph:
        body.append(" ".join(paragraph))
    bodies.append("\n".join(body))
    return headings, bodies


def _tables(lines: list[str]) -> dict[int, int]:
    """Finds the first line of each complete table, and the line after the table. Tables may be
    nested in tables."""
    opened: list[int] = []
    ends = {}
    for number, line in enumerate(lines):
        if "{|" in line or "|}" in line:
            line = line.lstrip(" \t:*#;")
            if line.startswith("{|"):
                opened.append(number)
            elif line.startswith("|}") and not line.startswith("|}}") and opened:
                ends[opened.pop()] = number + 1
    return ends


def _clean(text: str) -> str:
    """Removes all markup from running text except links."""
    if "[http" in text:
        text = _EXTERNAL.sub(r"\1", text)
    text = text.replace("'''", "").replace("''", "")
    return _PARENTHESIS.sub(_parenthesis, markup.unescape(text))


def _parenthesis(found: re.Match[str]) -> str:
    """Repairs parentheses after a template was removed: "( ; 1900)" becomes "(1900)", and "(, )" becomes nothing."""
    return "" if found[1] or found[2] else "("


def _take_links(
    body: str,
    section: int,
    site: Site,
    literal: bool,
    links: list[Link],
    categories: dict[str, None],
) -> str:
    """Returns the plain text of a section. The section's links and categories are added to `links`
    and `categories`."""
    parts = _LINK.split(body)  # the first text, then target, anchor, trail and text for each link
    targets, anchors, trails, texts = parts[1::4], parts[2::4], parts[3::4], parts[4::4]
    out = [parts[0]]
    length = len(parts[0])
    found = []
    for title, target, anchor, trail, after in zip(
        map(link_resolver(site), targets), targets, anchors, trails, texts, strict=True
    ):
        if not title:
            anchor = _other_link(target, anchor, site, categories)
        elif anchor is None:
            anchor = target.lstrip(": ")
        if trail:
            anchor += trail
        if title and anchor and not anchor.isspace():
            if not literal:
                found.append((title, anchor, length))
            elif not _NO_TITLE.search(written := markup.restore(title)):
                found.append((written, markup.restore(anchor), length))
        if not anchor and (
            not out[-1] or out[-1][-1] in " \n"
        ):  # an empty link would leave two blanks
            after = after.lstrip(" ")
        out += (anchor, after)
        length += len(anchor) + len(after)
    text = "".join(out)
    if "[[" in text or "]]" in text:
        text = text.replace("[[", "  ").replace(
            "]]", "  "
        )  # same length, so that offsets stay valid
    if literal:
        text = markup.restore(text)
    if found:
        links.extend(links_in_sentences(text, found, section))
    return text.rstrip()


def _other_link(target: str, anchor: str | None, site: Site, categories: dict[str, None]) -> str:
    """Returns the words of a link that does not lead to an article. Links to categories, other
    languages and pictures have no words."""
    number, rest = split_namespace(target, site)
    if not target.lstrip().startswith(":"):
        if number == CATEGORY:
            if name := normalise_title(rest):
                categories[name] = None
            return ""
        if number == FILE or (number is None and anchor is None):
            return ""
    return target.lstrip(": ") if anchor is None else anchor


def _pictures(
    infobox: Infobox, insides: list[str], galleries: list[str], site: Site
) -> tuple[ArticlePicture, ...]:
    """The pictures of the infobox, the text and the galleries, without duplicates."""
    found: dict[str, ArticlePicture] = {}

    def add(name: str, caption: str, in_infobox: bool) -> None:
        file = normalise_title(split_namespace(name, site)[1])
        if file and "." in file and file not in found:
            found[file] = ArticlePicture(file=file, caption=caption, in_infobox=in_infobox)

    for name, caption in infobox.pictures:
        add(name, caption, True)
    for inside in insides:
        name, *options = markup.arguments(inside)
        captions = [o for o in options if not _OPTION.fullmatch(o)]
        add(name, field_text(captions[-1]) if captions else "", False)
    for gallery in galleries:
        for line in gallery.split("\n"):
            name, _, rest = line.strip().partition("|")
            captions = [o for o in markup.arguments(rest) if not _OPTION.fullmatch(o)]
            if PICTURE_NAME.fullmatch(split_namespace(name, site)[1]):
                add(name, field_text(captions[-1]) if captions else "", False)
    return tuple(found.values())
