"""Reads the ledger of a call cache without opening the cache. The ledger is in a file or in a Redis
database.
"""

from collections.abc import Sequence
from pathlib import Path

from questloom.calls import sqlite_ledger
from questloom.calls.attempts import GROUPS, CostLine
from questloom.calls.shared.place import is_url


def cost_lines(path: str | Path, by: Sequence[str] = ("stage", "model")) -> list[CostLine]:
    """Sums the ledger by group, and sorts the groups. The ledger is in a run's `calls.sqlite`, or
    in its Redis database (`redis://`).

    Args:
        by: any of "stage", "provider", "model", "item_id", "seed_id". With an empty sequence, the
            result is one line for the whole ledger.

    Raises:
        InputError: there is no ledger at `path`.
    """
    assert all(column in GROUPS for column in by), by
    if is_url(path):
        from questloom.calls.shared import redis_ledger  # the `redis` package is an extra

        return redis_ledger.cost_lines(str(path), by)
    return sqlite_ledger.cost_lines(Path(path), by)


def has_ledger(path: str | Path) -> bool:
    """Whether there is a ledger at `path`. Raises InputError if a Redis server cannot be
    reached.
    """
    if is_url(path):
        from questloom.calls.shared import redis_ledger

        return redis_ledger.has_ledger(str(path))
    return sqlite_ledger.has_ledger(Path(path))


def last_settled(path: str | Path) -> float:
    """The approximate time at which the last attempt ended, in seconds since the epoch. The result
    is 0 if there is no ledger, or if it cannot be reached now.
    """
    if is_url(path):
        from questloom.calls.shared import redis_ledger

        return redis_ledger.last_settled(str(path))
    return sqlite_ledger.last_settled(Path(path))


def last_attempts(path: str | Path, since: float, most: int) -> list[tuple[str, str, str]]:
    """Provider, key and status of the most recent attempts, including attempts in flight.

    Args:
        since: earliest start of an attempt, in seconds since the epoch. In a Redis ledger, the time
            at which an attempt's row was written counts as its start.
        most: maximum number of attempts.

    Raises:
        InputError: there is no ledger at `path`, or the ledger cannot be read now.
    """
    if is_url(path):
        from questloom.calls.shared import redis_ledger

        return redis_ledger.last_attempts(str(path), since, most)
    return sqlite_ledger.last_attempts(Path(path), since, most)
