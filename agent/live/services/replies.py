"""Parsers for untrusted replies of live services: any field may be missing, of another type, or hostile."""

import html
import re
from typing import Any
from urllib.parse import urlsplit

import orjson

MAX_WORDS_CHARS = 10_000
"""Maximum number of characters of a title or a snippet."""
_TAGS = re.compile(r"<[^>]{0,200}>")


def json_object(body: bytes) -> dict[str, Any]:
    """Parses a reply that must be a JSON object.

    Raises: ValueError: the reply is not a JSON object.
    """
    decoded = orjson.loads(body)
    if not isinstance(decoded, dict):
        raise ValueError("no JSON object")
    return decoded


def rows_of(
    decoded: dict[str, Any], name: str, or_known: tuple[str | None, ...] = ()
) -> list[dict[str, Any]]:
    """Reads a list of objects from a reply.

    Args:
        or_known: names of JSON fields. A reply with one of the fields in `or_known` is valid even
            if the list is missing. If `or_known` is None, a reply without the list is always valid.

    Raises:
        ValueError: the list is missing, or is not a list of objects.
    """
    rows = decoded.get(name)
    if rows is None and (None in or_known or any(known in decoded for known in or_known)):
        return []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{name} is no list of objects")
    return rows


def words_of(row: dict[str, Any], *names: str) -> str:
    """The first text in the named fields, without HTML; "" if no field contains text."""
    text = next((row[name] for name in names if isinstance(row.get(name), str)), "")
    return html.unescape(_TAGS.sub("", text[:MAX_WORDS_CHARS])).strip()


def without_tags(value: Any) -> str:
    """Turns a value into text. Each HTML tag becomes a space, and the text is cut at a maximum
    length."""
    return _TAGS.sub(" ", str(value)[:MAX_WORDS_CHARS])


def web_address(value: Any) -> str:
    """The value if it is a plain, valid web address, else ""."""
    if not isinstance(value, str) or len(value) > 2_000:
        return ""
    try:
        parts = urlsplit(value)
        return value if parts.scheme in ("http", "https") and parts.hostname else ""
    except ValueError:
        return ""


def web_addresses(values: list[Any]) -> tuple[str, ...]:
    """The web addresses among some values, without repetitions."""
    return tuple(dict.fromkeys(url for url in map(web_address, values) if url))
