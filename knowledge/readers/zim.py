"""Reads ZIM files (Kiwix), which hold articles *and* pictures in one file. The redirects in the
file give the aliases of articles.

The articles are rendered HTML with expanded templates, so only paragraphs and lists count as body
text. Links in tables, navigation boxes, hatnotes and references are ignored. A ZIM file states no
licences, so its pictures have none until the job asks Commons. A ZIM file has no page ids, so an
article's id is made from its title.

The library libzim reads local files only. Each process downloads a ZIM file from a bucket once,
into a local scratch folder.

Source of the format: https://wiki.openzim.org/wiki/ZIM_file_format
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from libzim.reader import Archive

from questloom.files.locations import is_remote, local_copy, location, size_of
from questloom.knowledge.readers.html_page import read_html
from questloom.knowledge.readers.picture_check import MAX_BYTES, Refusal, inspect_picture
from questloom.knowledge.readers.rejections import reject
from questloom.knowledge.readers.titles import Site, normalise_title, split_namespace
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import Article, ImageAsset, Redirect
from questloom.records.outcomes import Reason, Rejection

ENTRIES_PER_RANGE = 2000
MAX_PAGE_BYTES = 16 << 20
_WIKIPEDIA = re.compile(rb"https?://([a-z][a-z-]+)\.(?:m\.)?wikipedia\.org")
_NO_ARTICLES = (
    ("projet", 102),
    ("portail", 100),
    ("aide", 12),
    ("catégorie", 14),
    ("projekt", 102),
    ("proyecto", 102),
    ("wikiproject", 102),
)
"""Title prefixes of pages that are no articles, in several languages, with the numbers of their
namespaces. The prefixes were found in Kiwix files, because ZIM files list no namespaces."""


@dataclass(frozen=True, kw_only=True)
class ZimRange:
    """The entries [start, end) of a ZIM file, by number."""

    path: str
    start: int
    end: int


def plan_zim(path: str, *, entries_per_range: int = ENTRIES_PER_RANGE) -> list[ZimRange]:
    """Splits a ZIM file into ranges that cover every entry. The checksum of the ZIM file is
    compared first, so that damage is found before the work starts.

    Raises: InputError: the file is missing, damaged, or not a ZIM file.
    """
    if is_remote(path) and location(path).is_file():
        print(
            f"{path}: ZIM files are read from a local disk; each process fetches {size_of(location(path)):,} bytes to TMPDIR",
            file=sys.stderr,
        )
    archive = _open(path)
    if archive.has_checksum and not archive.check():
        raise InputError(path, "is damaged: its checksum does not agree", "Download it again.")
    count = archive.all_entry_count
    return [
        ZimRange(path=path, start=at, end=min(at + entries_per_range, count))
        for at in range(0, count, entries_per_range)
    ]


def _open(path: str) -> Archive:
    found = location(path)
    if not found.is_file():
        raise InputError(path, "there is no such file", "Give the path of a ZIM file.")
    try:
        return Archive(str(local_copy(found)))
    except RuntimeError as error:
        raise InputError(
            path,
            f"is no ZIM file ({error})",
            "Give a .zim file of Kiwix; download it again if it was cut.",
        ) from error


def read_zim_site(path: str) -> Site:
    """The wiki of a ZIM file, according to the address in its first article, or else to the file's
    language."""
    archive = _open(path)
    for number in range(archive.all_entry_count):
        entry = archive._get_entry_by_id(number)
        if not entry.is_redirect and entry.get_item().mimetype.startswith("text/html"):
            if found := _WIKIPEDIA.search(bytes(entry.get_item().content)):
                code = found[1].decode()
                return Site(
                    wiki=f"{code.replace('-', '_')}wiki", language=code, namespaces=_NO_ARTICLES
                )
            break
    language = (
        bytes(archive.get_metadata("Language")).decode()
        if "Language" in archive.metadata_keys
        else "en"
    )
    return Site(wiki=f"{language}wiki", language=language, namespaces=_NO_ARTICLES)


def read_zim(
    part: ZimRange, site: Site
) -> Iterator[Article | Redirect | tuple[ImageAsset, bytes] | Rejection]:
    """Reads the entries of a range: articles, aliases, and pictures with their bytes.

    Raises:
        InputError: an entry cannot be decompressed.
    """
    archive = _open(part.path)
    old_scheme = (
        not archive.has_new_namespace_scheme
    )  # articles are in A/, pictures in I/, other entries elsewhere
    for number in range(part.start, part.end):
        try:
            entry = archive._get_entry_by_id(number)
            path = entry.path
            if old_scheme and not path.startswith(("A/", "I/")):
                continue
            if entry.is_redirect:
                if record := _redirect(path, entry.get_redirect_entry().path, site, old_scheme):
                    yield record
                continue
            item = entry.get_item()
            if item.mimetype.startswith("text/html"):
                if item.size > MAX_PAGE_BYTES:
                    yield _reject(path, Reason.PAGE_TOO_LARGE, f"{item.size:,} bytes", site)
                else:
                    yield _article(_title(path, old_scheme), bytes(item.content), path, site)
            elif item.mimetype.startswith("image/") and not path.startswith(
                ("I/s/", "I/favicon", "-/")
            ):
                if item.size > MAX_BYTES:
                    yield _reject(path, Reason.PICTURE_TOO_LARGE, f"{item.size:,} bytes", site)
                else:
                    yield _picture(path, bytes(item.content), site)
        except RuntimeError as error:
            raise InputError(
                f"{part.path}, entry {number:,}",
                f"cannot be read ({error})",
                "Download the file again.",
            ) from error


def _title(path: str, old_scheme: bool) -> str:
    return path[2:].removesuffix(".html") if old_scheme else path


def _redirect(path: str, target: str, site: Site, old_scheme: bool) -> Redirect | None:
    title, goal = (
        normalise_title(_title(path, old_scheme)),
        normalise_title(_title(target, old_scheme)),
    )
    if (
        not title
        or not goal
        or title == goal
        or (old_scheme and not (path.startswith("A/") and target.startswith("A/")))
    ):
        return None
    return Redirect(wiki=site.wiki, title=title, target=goal)


def _article(raw_title: str, data: bytes, path: str, site: Site) -> Article | Rejection:
    title = normalise_title(raw_title)
    number, _ = split_namespace(title, site)
    page_id = int(sha256_hex(title)[:15], 16)
    if number != 0:
        return _reject(path, Reason.NAMESPACE, number, site, title)
    article = read_html(
        data, title=title, page_id=page_id, folder=path.rpartition("/")[0], site=site
    )
    if isinstance(article, str):
        return _reject(path, Reason.BAD_PAGE, article, site, title)
    return article


def _picture(path: str, data: bytes, site: Site) -> tuple[ImageAsset, bytes] | Rejection:
    facts = inspect_picture(data)
    if isinstance(facts, Refusal):
        return _reject(path, facts.reason, facts.evidence, site)
    return ImageAsset(
        id=sha256_hex(data),
        file=path,
        mime=facts.mime,
        width=facts.width,
        height=facts.height,
        num_bytes=len(data),
        perceptual_hash=facts.perceptual_hash,
    ), data


def _reject(path: str, reason: Reason, evidence: object, site: Site, title: str = "") -> Rejection:
    return reject(reason, "ZimEntry", site.wiki, path, evidence=evidence, title=title or path)
