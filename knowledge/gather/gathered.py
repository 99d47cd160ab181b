"""What a folder has gathered so far: one SQLite file, so that nothing is fetched twice, whatever ended the run before."""

import fcntl
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from questloom.records.errors import InputError

WORK, DATABASE, LOCK = "work", "gathered.sqlite", "lock"
VERSION = 1
ENTITY, TITLE, PAGE, FILE, PICTURE = "entity", "title", "page", "file", "picture"
LIST, NOTE = "list", "note"
FETCHED, MERGED, MISSING, UNREADABLE = "fetched", "merged", "missing", "unreadable"
"""Outcomes. The body of what was merged is where it went."""
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS things (kind TEXT, key TEXT, outcome TEXT NOT NULL, why TEXT NOT NULL, "
    "body BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID"
)

Row = tuple[str, str, str, str, bytes]
"""(kind, key, outcome, why, body)."""


def row(kind: str, key: str, outcome: str, body: str | bytes = "", *, why: str = "") -> Row:
    """A thing as it is written."""
    return (
        kind,
        key,
        outcome,
        why,
        zlib.compress(body if isinstance(body, bytes) else body.encode()),
    )


class Gathered:
    """The things of a folder, by kind and by the id, title or name under which they were asked for.

    Args:
        folder: made where there is none.

    Raises:
        InputError: the folder holds something else, another run works in it, or its file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        work = folder / WORK
        if folder.exists() and not folder.is_dir():
            raise InputError(str(folder), "is no folder", "Name a folder, new or empty.")
        if folder.is_dir() and any(folder.iterdir()) and not (work / DATABASE).exists():
            raise InputError(
                str(folder),
                f"holds files, and none of them is {WORK}/{DATABASE}: no run of gather began here",
                "Name another folder, or empty this one.",
            )
        work.mkdir(parents=True, exist_ok=True)
        self._path = work / DATABASE
        self._path.touch()  # before anything else lies in the folder: it says whose it is
        self._lock = open(work / LOCK, "w")  # noqa: SIM115 (held as long as this object)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise InputError(
                str(folder), "another run of gather works in it", "Wait for it, or stop it first."
            ) from None
        try:
            self._db = sqlite3.connect(self._path)
            self._db.execute("PRAGMA journal_mode = WAL")
            if self._db.execute("PRAGMA user_version").fetchone()[0] not in (0, VERSION):
                raise sqlite3.DatabaseError("it is of another version")
            self._db.execute(_SCHEMA)
            self._db.execute(f"PRAGMA user_version = {VERSION}")
            self._db.commit()
        except sqlite3.DatabaseError as error:
            self._lock.close()
            raise InputError(
                str(self._path),
                f"cannot be read ({error})",
                "Gather into another folder, or remove this one.",
            ) from error

    def close(self) -> None:
        """Ends it; the folder is free."""
        self._db.close()
        self._lock.close()

    def keep(self, rows: Iterable[Row]) -> None:
        """Writes things, all or none of them."""
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO things VALUES (?, ?, ?, ?, ?)", rows)

    def outcomes(self, kind: str) -> dict[str, str]:
        """Key to outcome of all that was asked for."""
        return dict(self._db.execute("SELECT key, outcome FROM things WHERE kind = ?", (kind,)))

    def failures(self) -> Mapping[str, list[tuple[str, str]]]:
        """By kind, (key, why) of what could not be had."""
        found: dict[str, list[tuple[str, str]]] = {}
        for kind, key, outcome, why in self._db.execute(
            "SELECT kind, key, outcome, why FROM things WHERE outcome IN (?, ?) ORDER BY kind, key",
            (MISSING, UNREADABLE),
        ):
            found.setdefault(kind, []).append((key, why or outcome))
        return found

    def body(self, kind: str, key: str) -> bytes | None:
        """One thing; None where it was not asked for."""
        found = self._db.execute(
            "SELECT body FROM things WHERE kind = ? AND key = ?", (kind, key)
        ).fetchone()
        return None if found is None else zlib.decompress(found[0])

    def each(self, kind: str, outcome: str = FETCHED) -> Iterator[tuple[str, bytes]]:
        """(key, body) of what has an outcome, by key."""
        for key, body in self._db.execute(
            "SELECT key, body FROM things WHERE kind = ? AND outcome = ? ORDER BY key",
            (kind, outcome),
        ):
            yield key, zlib.decompress(body)
