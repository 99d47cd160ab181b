"""Wikitext to `Article`: lead, sections, body links with their sentences, infobox, pictures, categories. For every page, in linear time.

Only what stands in running text is a body link: links in templates, tables, references and captions are not. `reference_parse` compares
this extraction with mwparserfromhell on sampled pages.
"""
import re
from typing import NamedTuple

from knowledge.readers import markup
from knowledge.readers.infobox import field_text, is_disambiguation, is_infobox, read_infobox
from knowledge.readers.mediawiki_xml import STAGE, RawPage
from knowledge.readers.sentences import sentence_ends
from knowledge.readers.templates import expand_template, template_name
from knowledge.readers.titles import CATEGORY, FILE, Site, link_resolver, normalise_title, split_namespace
from records.identity import record_id
from records.knowledge import Article, ArticlePicture, InfoboxField, Link, Section
from records.outcomes import Reason, Rejection

_HEADING = re.compile(r"\n(={1,6})([^\n]*[^\n=])\1[ \t]*(?=\n|\Z)")
_LINK = re.compile(r"\[\[([^\[\]|\n]*)(?:\|([^\[\]]*))?\]\]([a-zß-öø-ÿа-яё]*)")
_EXTERNAL = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]]*[ \t]?([^\[\]\n]*)\]")
_TABLE_LINE = re.compile(r"\n[ \t]*(?:[|!]|\{\|)[^\n]*")
_LIST_MARK = re.compile(r"\n[*#:;]+[ \t]*")
_RULE = re.compile(r"\n-{4,}")
_SINGLE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_BREAKS = re.compile(r"\s*\n\s*")
_BLANKS = re.compile(r"[ \t]{2,}")
_EMPTY_PARENTHESES = re.compile(r"[ ]?\([\s,;:]*\)")
_OPEN_PARENTHESIS = re.compile(r"\([\s]*[,;:]+\s*")
_SWITCH = re.compile(r"__[A-Z]{3,}__")
_OPTION = re.compile(
    r"\s*(?:thumb(?:nail)?|frame(?:d|less)?|border|left|right|cent(?:er|re)|none|baseline|middle|sub|super|text-top|text-bottom|top|bottom|mini|miniatur|"
    r"hochkant|upright.*|[\dx ]+px|(?:link|alt|lang|page|class|thumb|upright|start|end|thumbtime)\s*=.*)\s*", re.I | re.S)
_PICTURE_NAME = re.compile(r"[^\[\]{}|<>\n]+\.(?:jpe?g|png|gif|svg|tiff?|webp)\b", re.I)


class _Body(NamedTuple):
    text: str
    infobox_name: str
    infobox: tuple[InfoboxField, ...]
    picture_fields: dict[str, str]
    disambiguation: bool


def read_article(page: RawPage, site: Site) -> Article | Rejection:
    """The article of a page, or a rejection where the page marks itself as a disambiguation.

    Links are normalised but redirects among their targets are not resolved; `entity_id`, `redirects` and `in_degree` are filled at ingest.
    """
    resolve = link_resolver(site)
    text, galleries = markup.strip_tags("\n" + page.text)
    body = _take_templates(text, site)
    if body.disambiguation:
        return Rejection(item_id=record_id("Article", site.wiki, page.page_id, page.revision), seed_id="", stage=STAGE,
                         reason=Reason.DISAMBIGUATION, evidence="template", title=page.title)
    text = markup.strip_tables(body.text)
    text, insides = markup.take_pictures(text, site)
    text, categories = markup.take_categories(text, site)
    parts = _HEADING.split(text)
    sections: list[Section] = []
    links: list[Link] = []
    for index in range(0, len(parts), 3):
        title, level = (field_text(parts[index - 1]), len(parts[index - 2])) if index else ("", 1)
        plain = _read_section(parts[index], len(sections), resolve, site, links)
        sections.append(Section(title=title, level=level, text=plain))
    return Article(
        wiki=site.wiki, title=page.title, page_id=page.page_id, revision=page.revision, timestamp=page.timestamp,
        sections=tuple(sections), links=tuple(links), infobox_name=body.infobox_name, infobox=body.infobox,
        pictures=_pictures(body.picture_fields, insides, galleries, site),
        categories=tuple(dict.fromkeys(c for c in map(normalise_title, categories) if c)))


def _take_templates(text: str, site: Site) -> _Body:
    """The text without templates, and the first infobox."""
    name, fields, pictures, disambiguation = "", (), {}, False
    out, pos = [], 0
    for start, end in markup.outer_spans(text):
        out.append(text[pos:start])
        inside = text[start + 2:end - 2]
        called = template_name(inside)
        if not name and is_infobox(called):
            name, fields, pictures = read_infobox(inside, link_resolver(site))
        elif is_disambiguation(called):
            disambiguation = True
        else:
            out.append(expand_template(inside))
        pos = end
    out.append(text[pos:])
    return _Body("".join(out), name, fields, pictures, disambiguation)


def _clean(text: str) -> str:
    """Running text with nothing but links left as markup; paragraphs and list items on lines of their own."""
    if "\n|" in text or "\n!" in text or "\n{|" in text or "\n " in text:
        text = _TABLE_LINE.sub("", text)
    if "[http" in text or "[//" in text:
        text = _EXTERNAL.sub(r"\1", text)
    if "''" in text:
        text = text.replace("'''''", "").replace("'''", "").replace("''", "")
    text = markup.unescape(text)
    if "__" in text:
        text = _SWITCH.sub("", text)
    if "\n-" in text:
        text = _RULE.sub("\n", text)
    text = _SINGLE_BREAK.sub(" ", _LIST_MARK.sub("\n\n", text))
    text = _BREAKS.sub("\n", text).strip()
    if "(" in text:
        text = _OPEN_PARENTHESIS.sub("(", _EMPTY_PARENTHESES.sub("", text))
    if "  " in text:
        text = _BLANKS.sub(" ", text)
    return text.replace(" ,", ",").replace(" . ", ". ").replace("{{", "").replace("}}", "")


def _read_section(raw: str, section: int, resolve, site: Site, links: list[Link]) -> str:
    """The plain text of a section; its links are appended to `links`."""
    parts = _LINK.split(_clean(raw))
    if len(parts) == 1:
        return markup.restore(parts[0]).replace("[[", "").replace("]]", "")
    out, length = [], 0
    found: list[tuple[str, str, int]] = []
    after = _without_brackets(parts[0])
    out.append(after)
    length = len(after)
    for index in range(1, len(parts), 4):
        target, anchor, trail, after = parts[index:index + 4]
        title = resolve(target)
        if anchor is None:
            anchor = target.lstrip(": ") if title else _shown_text(target, site)
        anchor += trail
        if title and anchor:
            found.append((title, anchor, length))
        if "[[" in after or "]]" in after:
            after = _without_brackets(after)
        out.append(anchor)
        out.append(after)
        length += len(anchor) + len(after)
    text = markup.restore("".join(out).rstrip())
    if found:
        ends = sentence_ends(text)
        start, k = 0, 0
        for title, anchor, at in found:
            while ends[k] <= at:
                start = ends[k]
                k += 1
            begin = start
            while text[begin] in " \n":
                begin += 1
            links.append(Link(target=title, anchor=anchor, section=section, sentence_start=begin, sentence_end=ends[k]))
    return text


def _without_brackets(text: str) -> str:
    return text.replace("[[", "").replace("]]", "")


def _shown_text(target: str, site: Site) -> str:
    """What a link without an anchor shows, where it leads to no article: nothing for languages and pictures, else the target."""
    number, _ = split_namespace(target, site)
    if not target.lstrip().startswith(":") and (number is None or number in (FILE, CATEGORY)):
        return ""
    return target.lstrip(": ")


def _pictures(fields: dict[str, str], insides: list[str], galleries: list[str], site: Site) -> tuple[ArticlePicture, ...]:
    """Pictures of the infobox, of the text, of galleries, without doubles."""
    found: dict[str, ArticlePicture] = {}

    def add(name: str, caption: str, in_infobox: bool) -> None:
        file = normalise_title(split_namespace(name, site)[1])
        if file and "." in file and file not in found:
            found[file] = ArticlePicture(file=file, caption=caption, in_infobox=in_infobox)

    for value in fields.values():
        if name := _PICTURE_NAME.search(value):
            add(name[0].strip(), "", True)
    for inside in insides:
        name, *options = markup.arguments(inside)
        captions = [o for o in options if not _OPTION.fullmatch(o)]
        add(name, field_text(captions[-1]) if captions else "", False)
    for gallery in galleries:
        for line in gallery.split("\n"):
            name, _, rest = line.strip().partition("|")
            captions = [o for o in markup.arguments(rest) if not _OPTION.fullmatch(o)]
            if _PICTURE_NAME.fullmatch(split_namespace(name, site)[1]):
                add(name, field_text(captions[-1]) if captions else "", False)
    return tuple(found.values())
