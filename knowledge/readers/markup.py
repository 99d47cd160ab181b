"""Removes or separates the markup of wikitext before it is read: tags, comments, templates, tables,
pictures. Each pass over a page takes time linear in the length of the page.

Literal characters (in nowiki and pre, and entities of markup characters) are replaced by
noncharacters (U+FDD0 …) until all passes are done. Therefore no later pass over a page reads
literal text as markup.
"""

import functools
import html
import re
from collections.abc import Iterator

from questloom.knowledge.readers.titles import FILE, Site, namespace_numbers

MAX_TAG_CHARS = 1000
MAX_PICTURE_CHARS = 10_000
"""Maximum length of a tag or picture link in characters; a longer one is read as literal text, so
every search is bounded."""
_MARKUP = "[]{}|'=*#:;<>&!~"
PROTECT = {ord(c): 0xFDD0 + i for i, c in enumerate(_MARKUP)}
RESTORE = {0xFDD0 + i: c for i, c in enumerate(_MARKUP)}
_PROTECTED = re.compile("[\ufdd0-\ufddf]")


def without_noncharacters(text: str) -> str:
    """Removes noncharacters from the page's text, because this module puts noncharacters in place
    of literal markup. Real pages do not use noncharacters."""
    return _PROTECTED.sub("", text)


_TAG = re.compile(r"<(!--|/?[A-Za-z]+)").match
_DROPPED = frozenset(
    """ref references math chem ce timeline score hiero graph mapframe maplink templatestyles imagemap
    syntaxhighlight source categorytree inputbox templatedata includeonly table code indicator""".split()
)
"""Elements that are removed from the page together with their content."""
_LITERAL = frozenset(("nowiki", "pre"))
_BREAKS = frozenset(
    (
        "br",
        "hr",
        "p",
        "/p",
        "div",
        "/div",
        "li",
        "/li",
        "ul",
        "/ul",
        "blockquote",
        "/blockquote",
        "center",
        "/center",
    )
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def restore(text: str) -> str:
    """Puts the literal characters back in place of the noncharacters."""
    return text.translate(RESTORE) if not text.isascii() and _PROTECTED.search(text) else text


def strip_tags(text: str) -> tuple[str, list[str], bool]:
    """Removes tags, comments, references and other elements without running text. Returns (text, contents of galleries,
    whether literal characters must be restored).
    """
    at = text.find("<")
    if at < 0:
        return text, [], False
    literal = False
    find = text.find
    out: list[str] = []
    galleries: list[str] = []
    without_end: set[str] = set()
    pos = 0
    while at >= 0:
        head = _TAG(text, at)
        if head is None:
            at = find("<", at + 1)
            continue
        written = head[1]
        if written == "!--":
            out.append(text[pos:at])
            end = find("-->", at + 4)
            pos = end + 3 if end >= 0 else len(text)
            before, after = text[at - 1 : at], text[pos : pos + 1]
            if (
                before in ("\n", "") and after == "\n"
            ) or before == after == " ":  # on a line of its own, or between two blanks
                pos += 1
            at = find("<", pos)
            continue
        close = find(">", at, at + MAX_TAG_CHARS)
        if close < 0:
            at = find("<", at + 1)
            continue
        out.append(text[pos:at])
        pos, name = close + 1, written.lower()
        paired = name in _DROPPED or name in _LITERAL or name == "gallery"
        if paired and text[close - 1] != "/" and written not in without_end:
            end = find("</" + written, pos)
            if end < 0:
                without_end.add(written)
            else:
                if name in _LITERAL:
                    out.append(html.unescape(text[pos:end]).translate(PROTECT))
                    literal = True
                elif name == "gallery":
                    galleries.append(text[pos:end])
                tag_end = find(">", end, end + MAX_TAG_CHARS)
                pos = tag_end + 1 if tag_end >= 0 else end + len(written) + 2
        elif name in _BREAKS:
            out.append("\n")
        at = find("<", pos)
    out.append(text[pos:])
    return "".join(out), galleries, literal


def outer_spans(
    text: str, opening: str = "{{", closing: str = "}}"
) -> tuple[list[tuple[int, int]], bool]:
    """The outermost balanced pairs of brackets as (start, end), and whether all pairs are balanced.

    An opening bracket without an end is plain text; later pairs count as usual.
    """
    find = text.find
    opened, closed = find(opening), find(closing)
    stack: list[int] = []
    spans: list[tuple[int, int]] = []
    balanced = True
    while closed >= 0:
        if 0 <= opened < closed:
            stack.append(opened)
            opened = find(opening, opened + 2)
            continue
        if stack:
            start = stack.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, closed + 2))
        else:
            balanced = False
        closed = find(closing, closed + 2)
    return spans, balanced and not stack and opened < 0


def cut(text: str, spans: list[tuple[int, int]]) -> str:
    """Returns the text without the given spans, which are ascending and disjoint."""
    if not spans:
        return text
    out, pos = [], 0
    for start, end in spans:
        out.append(text[pos:start])
        pos = end
    out.append(text[pos:])
    return "".join(out)


@functools.lru_cache(maxsize=16)
def _namespace_link(site: Site, number: int) -> str:
    names = sorted(
        {
            re.escape(n).replace(r"\ ", "[ _]")
            for n, k in namespace_numbers(site).items()
            if k == number
        },
        key=len,
        reverse=True,
    )
    return rf"\[\[[ \t]*(?:{'|'.join(names)})[ \t]*:"


@functools.lru_cache(maxsize=16)
def _picture_opening(site: Site) -> re.Pattern[str]:
    return re.compile(_namespace_link(site, FILE), re.I)


def take_pictures(text: str, site: Site) -> tuple[str, list[str]]:
    """Removes picture links. Returns (text, contents of the picture links without the prefix).
    Captions of pictures may contain links."""
    spans, insides = [], []
    pos = 0
    for opening in _picture_opening(site).finditer(text):
        start = opening.start()
        if start < pos:
            continue
        end = _link_end(text, start)
        if (
            end < 0
        ):  # an opening without an end is literal, but its line is dropped: it holds a picture's options
            end = (
                text.find("\n", start)
                if "\n" in text[start : start + MAX_PICTURE_CHARS]
                else min(len(text), start + MAX_PICTURE_CHARS)
            )
        else:
            insides.append(text[opening.end() : end - 2])
        spans.append((start, end))
        pos = end
    return cut(text, spans), insides


def _link_end(text: str, start: int) -> int:
    """The end of the link that begins at `start`; -1 if the link does not end within MAX_PICTURE_CHARS."""
    limit, depth, at = start + MAX_PICTURE_CHARS, 1, start + 2
    while True:
        closed = text.find("]]", at, limit)
        if closed < 0:
            return -1
        opened = text.find("[[", at, closed)
        if opened >= 0:
            depth, at = depth + 1, opened + 2
        else:
            depth, at = depth - 1, closed + 2
            if depth == 0:
                return at


def has_literals(text: str) -> bool:
    """Whether the text contains noncharacters that stand for literal characters."""
    return not text.isascii() and _PROTECTED.search(text) is not None


def unescape(text: str) -> str:
    """Replaces character entities by characters. Characters that have a meaning in markup are
    protected, so that they stay literal text."""
    return _ENTITY.sub(_entity, text) if "&" in text else text


def _entity(found: re.Match[str]) -> str:
    return _character(found[0])


@functools.lru_cache(maxsize=4096)
def _character(entity: str) -> str:
    text = html.unescape(entity)
    if text == "\xa0":
        return " "
    return (
        "".join(c if c.isprintable() or c in " \t\n" else "" for c in text).translate(PROTECT)
        if text != entity
        else entity
    )


def arguments(inside: str) -> Iterator[str]:
    """Splits the content of a template or picture link at its bars, except at bars in inner links or templates."""
    if "[[" not in inside and "{{" not in inside:
        yield from inside.split("|")
        return
    depth = 0
    held: list[str] = []
    for part in inside.split("|"):
        held.append(part)
        depth = max(
            0, depth + part.count("[[") + part.count("{{") - part.count("]]") - part.count("}}")
        )
        if depth == 0:
            yield "|".join(held)
            held = []
    if held:
        yield "|".join(held)
