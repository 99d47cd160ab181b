"""The ledger: one row for every attempt that was sent, and its sums (P12).

A row is committed as `in_flight` before its request is sent and settled in the transaction that caches the reply. A row
that is still in flight when its process is gone becomes `lost`: the reply may have been paid, and is asked again with
the same idempotency key. Lost, timed out and cut attempts keep their reserved numbers, marked as estimated.
"""
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from calls.shared.place import is_url
from records.errors import InputError


class Status(StrEnum):
    """How an attempt stands."""

    IN_FLIGHT = "in_flight"
    OK = "ok"
    LOST = "lost"
    """Its process died or dropped it before the reply came."""
    TIMEOUT = "timeout"
    CUT = "cut"
    """The connection broke after the request was sent."""
    UNREACHABLE = "unreachable"
    """Nothing was sent."""
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    NOT_ACCEPTED = "not_accepted"
    """Another 4xx: the same request will not be taken later either."""
    BAD_RESPONSE = "bad_response"
    """Status 200 with a body that breaks the protocol."""


FREE_OF_CHARGE = frozenset({Status.UNREACHABLE, Status.RATE_LIMITED, Status.SERVER_ERROR, Status.NOT_ACCEPTED})
"""Providers charge for replies only; after every other end the reply may exist."""

GROUPS = ("stage", "provider", "model", "item_id", "seed_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """The sums of one group of attempts."""

    group: tuple[str, ...]
    num_calls: int
    """Attempts that were or may have been charged."""
    num_faults: int
    """Attempts that brought no reply."""
    num_lost: int
    """Attempts in flight when their process died: what a resume sends again."""
    tokens_in: int
    tokens_out: int
    num_estimated: int
    """Calls whose tokens are estimates."""
    money: float
    """Over the calls of known price."""
    num_unpriced: int
    """Charged calls of unknown price; where there are any, the true money is unknown and at least `money`."""
    seconds: float


def cost_lines(path: str | Path, by: Sequence[str] = ("stage", "model")) -> list[CostLine]:
    """Sums of the ledger in a run's `calls.sqlite`, or at the `redis://` address that stands for it, sorted by group.

    Args:
        by: any of "stage", "provider", "model", "item_id", "seed_id"; empty for one line over everything.

    Raises:
        InputError: there is no ledger at `path`.
    """
    assert all(column in GROUPS for column in by), by
    if is_url(path):
        from calls.shared import ledger  # the `redis` package is an extra

        return ledger.cost_lines(str(path), by)
    columns = ", ".join(by)
    query = f"""SELECT {columns or "''"}, COALESCE(SUM(calls), 0), COALESCE(SUM(status NOT IN ('ok', 'in_flight')), 0),
        COALESCE(SUM(status = 'lost'), 0), COALESCE(SUM(tokens_in), 0), COALESCE(SUM(tokens_out), 0),
        COALESCE(SUM(estimated AND calls), 0), COALESCE(SUM(money), 0.0), COALESCE(SUM(money IS NULL AND calls), 0),
        COALESCE(SUM(seconds), 0.0) FROM attempts {f"GROUP BY {columns} ORDER BY {columns}" if by else ""}"""
    width = max(1, len(by))
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute(query).fetchall()
    except sqlite3.Error as error:
        raise InputError(str(path), f"the call ledger cannot be read: {error}", "Give the calls.sqlite of a run.") from None
    return [CostLine(group=tuple(row[:len(by)]), num_calls=row[width], num_faults=row[width + 1], num_lost=row[width + 2],
                     tokens_in=row[width + 3], tokens_out=row[width + 4], num_estimated=row[width + 5], money=row[width + 6],
                     num_unpriced=row[width + 7], seconds=row[width + 8]) for row in rows]


def has_ledger(path: str | Path) -> bool:
    """Whether a ledger stands there. Raises InputError for a Redis server that cannot be reached."""
    if is_url(path):
        from calls.shared import ledger

        return ledger.has_ledger(str(path))
    return Path(path).exists()


def last_settled(path: str | Path) -> float:
    """When an attempt last ended, about (seconds since the epoch); 0 for a ledger that is not there or cannot be reached now."""
    if is_url(path):
        from calls.shared import ledger

        return ledger.last_settled(str(path))
    log = Path(f"{path}-wal")
    return log.stat().st_mtime if log.exists() else 0.0
