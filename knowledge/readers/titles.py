"""Normalises page titles and link targets, and tells from a title alone that its page is not an article.

The module follows the rules of MediaWiki's title code (`MediaWikiTitleCodec`). Underscores become
spaces, and the first letter becomes a capital. The fragment after # and a leading colon are removed
from a title. A prefix of a title names a namespace or another wiki.
"""

import functools
import html
import re
import unicodedata
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass

from questloom.knowledge.readers.interwiki import INTERWIKI_PREFIXES
from questloom.records.outcomes import Reason

MAX_TITLE_BYTES = 255
CANONICAL_NAMESPACES = {
    "media": -2,
    "special": -1,
    "talk": 1,
    "user": 2,
    "user talk": 3,
    "project": 4,
    "project talk": 5,
    "file": 6,
    "file talk": 7,
    "image": 6,
    "image talk": 7,
    "mediawiki": 8,
    "mediawiki talk": 9,
    "template": 10,
    "template talk": 11,
    "help": 12,
    "help talk": 13,
    "category": 14,
    "category talk": 15,
    "wikipedia": 4,
    "wikipedia talk": 5,
    "wp": 4,
    "wt": 5,
    "portal": 100,
    "portal talk": 101,
    "book": 108,
    "draft": 118,
    "draft talk": 119,
    "timedtext": 710,
    "module": 828,
    "module talk": 829,
}
"""Namespace names in lower case for dumps without a siteinfo: the names that every wiki understands, and the names of
English Wikipedia."""
FILE, CATEGORY = 6, 14

_BLANKS = re.compile("[ _\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\t\n\r]+")
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e]")
_ILLEGAL = re.compile("[<>\\[\\]{}|\x00-\x1f\x7f\ufffd]")
_LIST_PREFIXES = (
    "list of ",
    "lists of ",
    "outline of ",
    "index of ",
    "timeline of ",
    "liste der ",
    "liste von ",
    "liste des ",
    "liste de ",
    "lista de ",
    "lista di ",
    "anexo:",
)
_DISAMBIGUATION = re.compile(
    r"\((?:disambiguation|begriffsklärung|homonymie|desambiguación|disambigua|消歧义|消歧義|曖昧さ回避|значения)\)$"
)


@dataclass(frozen=True)
class Site:
    """The settings of a wiki, as a dump states them (siteinfo)."""

    wiki: str = "enwiki"
    language: str = "en"
    base: str = ""
    """The address of the wiki's main page."""
    first_letter: bool = True
    """Whether titles begin with a capital (the setting `case`)."""
    namespaces: tuple[tuple[str, int], ...] = ()
    """Local names of namespaces in lower case, with their numbers. The canonical (English) names of
    namespaces are valid in every wiki."""


def is_invented(base: str) -> bool:
    """Whether a wiki's address is reserved for examples (RFC 2606); the fictional world has such an address.

    >>> is_invented("https://en.invented.example/wiki/Main_Page"), is_invented("https://en.wikipedia.org/wiki/Main_Page"), is_invented("")
    (True, False, False)
    """
    return (urllib.parse.urlsplit(base).hostname or "").endswith(".example")


def normalise_title(title: str, *, first_letter: bool = True) -> str:
    """The normal form of a title; "" if the text is not a valid title (empty, too long, illegal characters).

    >>> normalise_title("eiffel_tower#History")
    'Eiffel tower'
    """
    title = title.partition("#")[0]
    if not title.isascii():
        title = unicodedata.normalize("NFC", _DIRECTION_MARKS.sub("", title))
    title = _BLANKS.sub(" ", title).strip(" ")
    if title.startswith(":"):
        title = title.lstrip(": ")
    if (
        not title
        or _ILLEGAL.search(title)
        or len(title.encode("utf-8", "replace")) > MAX_TITLE_BYTES
    ):
        return ""
    if first_letter:
        capital = title[0].upper()
        if len(capital) == 1:  # skips letters such as ß, whose capital is two letters
            title = unicodedata.normalize("NFC", capital + title[1:])
    return title


def split_namespace(title: str, site: Site) -> tuple[int | None, str]:
    """Splits a title into (namespace number, rest of the title). The namespace number is None if
    the title belongs to another wiki.

    >>> split_namespace("File:Tower.jpg", Site())
    (6, 'Tower.jpg')
    """
    prefix, colon, rest = title.lstrip(": ").partition(":")
    if colon:
        name = _BLANKS.sub(" ", prefix).strip().lower()
        number = namespace_numbers(site).get(name)
        if number is not None:
            return number, rest.strip(" _")
        if name in INTERWIKI_PREFIXES:
            return None, rest.strip(" _")
    return 0, title


@functools.lru_cache(maxsize=16)
def namespace_numbers(site: Site) -> dict[str, int]:
    """Maps every namespace name of a wiki, in lower case, to its number."""
    return {**CANONICAL_NAMESPACES, **dict(site.namespaces)}


@functools.lru_cache(maxsize=16)
def link_resolver(site: Site) -> Callable[[str], str]:
    """Makes a function from a link's raw target to the normalised title of an article.

    The returned function gives "" for a link to another namespace or wiki, for a link to a section
    of the same page, and for an invalid title. The returned function caches the commonest link
    targets.
    """

    @functools.lru_cache(maxsize=1 << 16)
    def resolve(target: str) -> str:
        if "&" in target:
            target = html.unescape(target)
        if "%" in target:
            target = urllib.parse.unquote(target)
        if ":" in target and split_namespace(target, site)[0] != 0:
            return ""
        return normalise_title(target, first_letter=site.first_letter)

    return resolve


def title_reason(title: str) -> Reason | None:
    """Why a page with this title cannot be an article: the title marks a disambiguation page or a
    list (title rules of OpenSearch-VL).

    Judge a page by its title only if the item's classes (P31) are unknown, because classes are more
    reliable.
    """
    lower = title.lower()
    if _DISAMBIGUATION.search(lower):
        return Reason.DISAMBIGUATION
    if lower.startswith(_LIST_PREFIXES) or lower.endswith(("列表", "一覧")):
        return Reason.LIST_PAGE
    return None
