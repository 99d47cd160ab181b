"""The `<revision>` elements of an exported page: which one is the page, whether its text is there, and unharmed.

Schema 0.11 knows revisions of several slots: the text of the main one is in the revision itself, the others' in its
`<content>` elements.

Sources: https://www.mediawiki.org/xml/export-0.11.xsd; MediaWiki's `XmlDumpWriter` (what it writes of a text that is
deleted or cannot be loaded) and `RevisionSlots::computeSha1`.
"""

import functools
import hashlib

from lxml import etree

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUM_DIGITS = 31
MAIN = "main"


def revision_id_of(revision: etree._Element) -> int:
    """The revision's number.

    Raises:
        TypeError, ValueError: it has none.
    """
    return int(revision.findtext("id"))


def timestamp_of(revision: etree._Element) -> str:
    """When it was saved, as "2026-01-02T03:04:05Z"; "" where it does not say."""
    return (revision.findtext("timestamp") or "").strip()


def newest_revision(revisions: list[etree._Element]) -> etree._Element:
    """The newest of a page's revisions (one at least) whose text is there; where none's is, the newest.

    Exports hold revisions in any order. The time says which is newer, as on the wiki itself: what was imported late has
    a higher number. Of the same time, or where a revision has none, the number does.
    """
    if len(revisions) == 1:
        return revisions[0]
    found = [each for each in revisions if not withheld(each)] or revisions
    dated = all(map(timestamp_of, found))
    return max(found, key=lambda each: (timestamp_of(each) if dated else "", revision_id_of(each)))


def withheld(revision: etree._Element) -> str:
    """Why the export does not hold the revision's text though the wiki has one, or "". A blank page's text is there."""
    text = revision.find("text")
    if text is not None and text.get("deleted") is not None:
        return "the page's text is deleted"
    if text is not None and text.text:
        return ""
    if (
        text is not None
        and text.get("bytes", "0") == "0"
        and {revision.findtext("sha1"), text.get("sha1")} <= {None, "", base36_sum("")}
    ):
        return ""
    return "the export does not hold the page's text"


def wrong_sum(revision: etree._Element) -> str:
    """Which text of a revision is not the one whose sha1 is stated, or "".

    `<text sha1>` is of one slot's text, the revision's `<sha1>` of all of them: of the one slot's text, or of the
    slots' sums. A text that is not there has no sum.

    Raises:
        ValueError: what is stated is no number in base 36.
    """
    others = {
        content.findtext("role") or "": content.find("text")
        for content in revision.iterfind("content")
    }
    texts = {MAIN: revision.find("text"), **others}
    sums: dict[str, int] = {}
    for role, text in texts.items():
        stated = text.get("sha1") if text is not None else None
        if text is not None and text.text:
            sums[role] = _sum(text.text)
            if stated and int(stated, 36) != sums[role]:
                return f"the text of its slot {role!r} is not the one whose sha1 it states"
        elif stated:
            sums[role] = int(stated, 36)
    whole = revision.findtext("sha1")
    # The order is that of the roles. The main slot first, as it stands first, is found in exports of other tools.
    orders = (sorted(sums), list(sums))
    if (
        whole
        and len(sums) == len(texts)
        and int(whole, 36) not in (_sum_of(sums, order) for order in orders)
    ):
        return "its text is not the one whose sha1 it states"
    return ""


def _sum_of(sums: dict[str, int], roles: list[str]) -> int:
    """The sum of several slots' sums, taken in one after the other."""
    first, *others = (sums[role] for role in roles)
    return functools.reduce(
        lambda before, other: _sum(_in_base_36(before) + _in_base_36(other)), others, first
    )


def _sum(text: str) -> int:
    return int.from_bytes(hashlib.sha1(text.encode()).digest(), "big")


def base36_sum(text: str) -> str:
    """The sha1 of a text as MediaWiki writes it: 31 digits in base 36.

    >>> base36_sum("")
    'phoiac9h4m842xq45sp7s6u21eteeq1'
    """
    return _in_base_36(_sum(text))


def _in_base_36(number: int) -> str:
    digits = ""
    for _ in range(_SUM_DIGITS):
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
