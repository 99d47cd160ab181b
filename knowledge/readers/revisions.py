"""The `<revision>` elements of an exported page: finds the newest revision, and checks that its text is present and
undamaged.

Schema 0.11 has revisions with several slots (texts). The revision element itself contains the text
of the main slot; its `<content>` elements contain the other texts.

Sources: https://www.mediawiki.org/xml/export-0.11.xsd; MediaWiki's `XmlDumpWriter` (its output for a text that is
deleted or cannot be loaded) and `RevisionSlots::computeSha1`.
"""

import functools
import hashlib

from lxml import etree

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUM_DIGITS = 31
MAIN = "main"


def revision_id_of(revision: etree._Element) -> int:
    """The number of the revision of a page.

    Raises:
        TypeError, ValueError: the revision has no number.
    """
    return int(revision.findtext("id"))


def timestamp_of(revision: etree._Element) -> str:
    """The time when the revision was saved, as "2026-01-02T03:04:05Z"; "" if the export does not
    state the time."""
    return (revision.findtext("timestamp") or "").strip()


def newest_revision(revisions: list[etree._Element]) -> etree._Element:
    """The newest revision that has a text. If no revision has a text, the newest revision is
    returned. The page must have at least one revision.

    Exports list revisions in no fixed order. As on the wiki, the time decides which revision is
    newer, because revisions that were imported late have higher numbers. If times are equal or
    missing, the revision number decides.
    """
    if len(revisions) == 1:
        return revisions[0]
    found = [each for each in revisions if not withheld(each)] or revisions
    dated = all(map(timestamp_of, found))
    return max(found, key=lambda each: (timestamp_of(each) if dated else "", revision_id_of(each)))


def withheld(revision: etree._Element) -> str:
    """The reason why the export lacks a text that the wiki has; "" if the text is present. The text
    of a blank page counts as present."""
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
    """Says which text of the revision does not match its stated sha1; "" if all texts match.

    `<text sha1>` is the checksum of one slot's text. The revision's `<sha1>` covers all slots. If a
    revision has one slot, `<sha1>` is the checksum of the slot's text. If a revision has several
    slots, `<sha1>` is the checksum over the slots' checksums. For a missing text, no checksum is
    compared.

    Raises: ValueError: a stated checksum is not a number in base 36.
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
    # The sums are taken in order of the roles. Exports of other tools put the main slot first, as in the file.
    orders = (sorted(sums), list(sums))
    if (
        whole
        and len(sums) == len(texts)
        and int(whole, 36) not in (_sum_of(sums, order) for order in orders)
    ):
        return "its text is not the one whose sha1 it states"
    return ""


def _sum_of(sums: dict[str, int], roles: list[str]) -> int:
    """The checksum of a revision with several slots, which is made from the slots' checksums."""
    first, *others = (sums[role] for role in roles)
    return functools.reduce(
        lambda before, other: _sum(_in_base_36(before) + _in_base_36(other)), others, first
    )


def _sum(text: str) -> int:
    return int.from_bytes(hashlib.sha1(text.encode()).digest(), "big")


def base36_sum(text: str) -> str:
    """The sha1 of a text in MediaWiki's notation: 31 digits in base 36.

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
