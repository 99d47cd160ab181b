"""Reads the ledger of a call cache without opening it for calls: at a file's path, or at the address of a Redis database."""

from collections.abc import Sequence
from pathlib import Path

from questloom.calls import sqlite_ledger
from questloom.calls.attempts import GROUPS, CostLine
from questloom.calls.shared.place import is_url


def cost_lines(path: str | Path, by: Sequence[str] = ("stage", "model")) -> list[CostLine]:
    """Sums of the ledger in a run's `calls.sqlite`, or at the `redis://` address that stands for it, sorted by group.

    Args:
        by: any of "stage", "provider", "model", "item_id", "seed_id"; empty for one line over everything.

    Raises:
        InputError: there is no ledger at `path`.
    """
    assert all(column in GROUPS for column in by), by
    if is_url(path):
        from questloom.calls.shared import redis_ledger  # the `redis` package is an extra

        return redis_ledger.cost_lines(str(path), by)
    return sqlite_ledger.cost_lines(Path(path), by)


def has_ledger(path: str | Path) -> bool:
    """Whether a ledger stands there. Raises InputError for a Redis server that cannot be reached."""
    if is_url(path):
        from questloom.calls.shared import redis_ledger

        return redis_ledger.has_ledger(str(path))
    return sqlite_ledger.has_ledger(Path(path))


def last_settled(path: str | Path) -> float:
    """When an attempt last ended, about (seconds since the epoch); 0 for a ledger that is not there or cannot be reached now."""
    if is_url(path):
        from questloom.calls.shared import redis_ledger

        return redis_ledger.last_settled(str(path))
    return sqlite_ledger.last_settled(Path(path))


def last_attempts(path: str | Path, since: float, most: int) -> list[tuple[str, str, str]]:
    """The last attempts: provider, key and status of each, those in flight too.

    Args:
        since: only those that began (in Redis: were written down) then or later, in seconds since the epoch.
        most: how many at most.

    Raises:
        InputError: there is no ledger at `path`, or it cannot be read now.
    """
    if is_url(path):
        from questloom.calls.shared import redis_ledger

        return redis_ledger.last_attempts(str(path), since, most)
    return sqlite_ledger.last_attempts(Path(path), since, most)
