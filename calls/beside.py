"""Replies that other caches of the same work have paid for: those of a loop's rounds, say, each with a ledger and a budget of its own.

A folder whose work is done in parts has a file `calls.shared`: patterns of where its parts keep their caches, one a line. A
part that opens its cache asks those that stood before it, too. What is found there is neither copied nor booked again.
"""
import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from calls.request import Reply

LOG = logging.getLogger(__name__)
MARK = "calls.shared"


def share_replies(folder: Path, patterns: Sequence[str]) -> None:
    """Lets the caches below a folder serve each other.

    Args:
        patterns: of their paths, relative to the folder.
    """
    (folder / MARK).write_text("".join(f"{pattern}\n" for pattern in patterns), encoding="utf-8")


class Beside:
    """The caches of the other parts, as they stand when this is made.

    Args:
        path: the cache's own, which is not asked.
        version: of the caches that can be read.
    """

    def __init__(self, path: Path, version: int) -> None:
        path = path.absolute()
        mark = next((folder / MARK for folder in path.parents if (folder / MARK).is_file()), None)
        parts = {part for pattern in mark.read_text(encoding="utf-8").split() for part in mark.parent.glob(pattern)} if mark is not None else set()
        others = sorted(parts - {path}) if path in parts else []
        self._open = {other: connection for other in others if (connection := _opened(other, version)) is not None}

    def get(self, key: str) -> Reply | None:
        """The reply of a key, if one of them has it."""
        for path, connection in list(self._open.items()):
            try:
                row = connection.execute("SELECT body, tokens_in, tokens_out, estimated FROM replies WHERE key = ?", (key,)).fetchone()
            except sqlite3.Error as error:
                LOG.warning("replies in %s cannot be read, and are asked for again: %s", path, error)
                self._open.pop(path).close()
                continue
            if row is not None:
                return Reply(body=row[0], tokens_in=row[1], tokens_out=row[2], estimated=bool(row[3]), cached=True)
        return None

    def close(self) -> None:
        """Closes them."""
        for connection in self._open.values():
            connection.close()


def _opened(path: Path, version: int) -> sqlite3.Connection | None:
    """A cache, to be read only; None where it is of another version, or not made yet."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] == version:
            return connection
    except sqlite3.Error:
        pass  # its own part meets it and tells
    connection.close()
    return None
