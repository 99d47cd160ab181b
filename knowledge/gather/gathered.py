"""The things that were gathered into a folder, in one SQLite file. A run that is resumed fetches
nothing twice."""

import fcntl
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from questloom.records.errors import InputError

WORK, DATABASE, LOCK = "work", "gathered.sqlite", "lock"
VERSION = 1
ENTITY, TITLE, PAGE, FILE, PICTURE = "entity", "title", "page", "file", "picture"
LIST, NOTE, VIEWS = "list", "note", "page views"
FETCHED, MERGED, MISSING, UNREADABLE = "fetched", "merged", "missing", "unreadable"
"""The possible outcomes of a request for a thing. `body` holds the thing's data; if the thing was
merged into another thing, `body` holds the id or title of the other thing."""
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS things (kind TEXT, key TEXT, outcome TEXT NOT NULL, why TEXT NOT NULL, "
    "body BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID"
)

Row = tuple[str, str, str, str, bytes]
"""A row of the SQLite file: (kind, key, outcome, why, body)."""


def row(kind: str, key: str, outcome: str, body: str | bytes = "", *, why: str = "") -> Row:
    """Makes the row of the SQLite file for a requested thing."""
    return (
        kind,
        key,
        outcome,
        why,
        zlib.compress(body if isinstance(body, bytes) else body.encode()),
    )


class Gathered:
    """The gathered things in a folder, by kind and by the requested id, title or name.

    Args:
        folder: path of the folder; created if missing.

    Raises:
        InputError: the folder holds other files, another run works in it, or the SQLite file is damaged.
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
        self._path.touch()  # the first file: it marks the folder as one of gather
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
            # What a loss of power takes is asked for again.
            self._db.execute("PRAGMA synchronous = NORMAL")
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
        """Closes the file and unlocks the folder."""
        self._db.close()
        self._lock.close()

    def keep(self, rows: Iterable[Row]) -> None:
        """Writes rows into the SQLite file in one transaction."""
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO things VALUES (?, ?, ?, ?, ?)", rows)

    def outcomes(self, kind: str) -> dict[str, str]:
        """The outcome for each key (id, title or name) that was requested."""
        return dict(self._db.execute("SELECT key, outcome FROM things WHERE kind = ?", (kind,)))

    def failures(self) -> Mapping[str, list[tuple[str, str]]]:
        """The failed requests for things of a kind, as pairs (key, reason)."""
        found: dict[str, list[tuple[str, str]]] = {}
        for kind, key, outcome, why in self._db.execute(
            "SELECT kind, key, outcome, why FROM things WHERE outcome IN (?, ?) ORDER BY kind, key",
            (MISSING, UNREADABLE),
        ):
            found.setdefault(kind, []).append((key, why or outcome))
        return found

    def body(self, kind: str, key: str) -> bytes | None:
        """The stored data of one thing; None if the thing was never requested."""
        found = self._db.execute(
            "SELECT body FROM things WHERE kind = ? AND key = ?", (kind, key)
        ).fetchone()
        return None if found is None else zlib.decompress(found[0])

    def each(self, kind: str, outcome: str = FETCHED) -> Iterator[tuple[str, bytes]]:
        """Yields (key, data) of the things with a given outcome, sorted by key."""
        for key, body in self._db.execute(
            "SELECT key, body FROM things WHERE kind = ? AND outcome = ? ORDER BY key",
            (kind, outcome),
        ):
            yield key, zlib.decompress(body)
