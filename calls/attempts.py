"""What a ledger holds, in whichever backend: one row for every attempt that was sent, and the sums of many.

A row is committed as `in_flight` before its request is sent and settled in the transaction that caches the reply. A row
that is still in flight when its process is gone becomes `lost`: the reply may have been paid, and is asked again with
the same idempotency key. Lost, timed out and cut attempts keep their reserved numbers, marked as estimated.
"""

from dataclasses import dataclass
from enum import StrEnum


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


FREE_OF_CHARGE = frozenset(
    {Status.UNREACHABLE, Status.RATE_LIMITED, Status.SERVER_ERROR, Status.NOT_ACCEPTED}
)
"""Providers charge for replies only; after every other end the reply may exist."""

GROUPS = ("stage", "provider", "model", "item_id", "seed_id")
"""What attempts are summed by."""


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
