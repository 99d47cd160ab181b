"""The rows of a call ledger, the same for SQLite and Redis: one row for each attempt that was sent.

A row is committed as `in_flight` before its request is sent. The transaction that caches the reply
also settles the row. When a process dies, its rows that are still in flight become `lost`: their
replies may have been charged. A lost request is sent again with the same idempotency key. Lost,
timed out and cut attempts keep the reserved tokens and cost, marked as estimated.
"""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The state of an attempt."""

    IN_FLIGHT = "in_flight"
    OK = "ok"
    LOST = "lost"
    """The process died, or cancelled the call, before the reply came."""
    TIMEOUT = "timeout"
    CUT = "cut"
    """The connection broke after the request was sent."""
    UNREACHABLE = "unreachable"
    """No connection: nothing was sent."""
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    NOT_ACCEPTED = "not_accepted"
    """Another status 4xx: the provider will not accept the same request later either."""
    BAD_RESPONSE = "bad_response"
    """Status 200, but the body breaks the protocol."""


FREE_OF_CHARGE = frozenset(
    {Status.UNREACHABLE, Status.RATE_LIMITED, Status.SERVER_ERROR, Status.NOT_ACCEPTED}
)
"""Outcomes of an attempt that cost nothing. After any other outcome the provider may have charged the call."""

GROUPS = ("stage", "provider", "model", "item_id", "seed_id")
"""The columns by which the attempts can be grouped and summed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """The sums of one group of attempts."""

    group: tuple[str, ...]
    num_calls: int
    """Attempts that the provider charged or may have charged."""
    num_faults: int
    """Attempts that brought no reply."""
    num_lost: int
    """Attempts whose process died before the reply: a resumed run sends their requests again."""
    tokens_in: int
    tokens_out: int
    num_estimated: int
    """Calls whose tokens are estimates."""
    money: float
    """The cost of the calls whose price is known."""
    num_unpriced: int
    """Charged calls whose price is unknown. After such calls the true cost is unknown, but at least `money`."""
    seconds: float
