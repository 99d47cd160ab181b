"""Sums the call ledger (the record of all calls and their cost) in the SQLite file of the call
cache.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from questloom.calls.attempts import CostLine
from questloom.records.errors import InputError


def cost_lines(path: Path, by: Sequence[str]) -> list[CostLine]:
    """Sums the ledger by group; see `questloom.calls.ledger.cost_lines`."""
    columns = ", ".join(by)
    query = f"""SELECT {columns or "''"}, COALESCE(SUM(calls), 0), COALESCE(SUM(status NOT IN ('ok', 'in_flight')), 0),
        COALESCE(SUM(status = 'lost'), 0), COALESCE(SUM(tokens_in), 0), COALESCE(SUM(tokens_out), 0),
        COALESCE(SUM(estimated AND calls), 0), COALESCE(SUM(money), 0.0), COALESCE(SUM(money IS NULL AND calls), 0),
        COALESCE(SUM(seconds), 0.0) FROM attempts {f"GROUP BY {columns} ORDER BY {columns}" if by else ""}"""
    width = max(1, len(by))
    rows = _rows(path, query)
    return [
        CostLine(
            group=tuple(row[: len(by)]),
            num_calls=row[width],
            num_faults=row[width + 1],
            num_lost=row[width + 2],
            tokens_in=row[width + 3],
            tokens_out=row[width + 4],
            num_estimated=row[width + 5],
            money=row[width + 6],
            num_unpriced=row[width + 7],
            seconds=row[width + 8],
        )
        for row in rows
    ]


def has_ledger(path: Path) -> bool:
    """Whether the ledger's file exists."""
    return path.exists()


def last_settled(path: Path) -> float:
    """The approximate time at which the last attempt ended, in seconds since the epoch: the time of
    the last change to SQLite's log.
    """
    log = Path(f"{path}-wal")
    return log.stat().st_mtime if log.exists() else 0.0


def last_attempts(path: Path, since: float, most: int) -> list[tuple[str, str, str]]:
    """See `questloom.calls.ledger.last_attempts`."""
    return _rows(
        path,
        "SELECT provider, key, status FROM attempts WHERE id > (SELECT COALESCE(MAX(id), 0) - ? FROM attempts) AND started >= ?",
        most,
        since,
    )


def _rows(path: Path, query: str, *values: float) -> list[tuple]:
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            return connection.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise InputError(
            str(path), f"the call ledger cannot be read: {error}", "Give the calls.sqlite of a run."
        ) from None
