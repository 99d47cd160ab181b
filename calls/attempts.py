"""The rows of a call ledger (the record of all calls and their cost). Each row is one attempt to
send a request. SQLite and Redis store the same rows.

A row is committed with the status `in_flight` before its request is sent. One transaction puts the
reply into the cache and writes the outcome into the row. When a process dies, its rows in flight
get the status `lost`. The provider may still have charged for the reply to a lost request. A lost
request is sent again with the same idempotency key. Lost, timed out and interrupted attempts keep
their reserved tokens and cost, which are marked as estimates.
"""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The state of an attempt to send a request."""

    IN_FLIGHT = "in_flight"
    OK = "ok"
    LOST = "lost"
    """The process died, or cancelled the call, before the reply came."""
    TIMEOUT = "timeout"
    CUT = "cut"
    """The connection broke after the request was sent."""
    UNREACHABLE = "unreachable"
    """No connection could be opened, so nothing was sent."""
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    NOT_ACCEPTED = "not_accepted"
    """A 4xx status that no other outcome covers. The provider would reject the same request at any
    time."""
    BAD_RESPONSE = "bad_response"
    """The status is 200, but the body does not follow the protocol."""


FREE_OF_CHARGE = frozenset(
    {Status.UNREACHABLE, Status.RATE_LIMITED, Status.SERVER_ERROR, Status.NOT_ACCEPTED}
)
"""Outcomes of an attempt for which the provider charges nothing. After any other outcome, the
provider may have charged for the call.
"""

GROUPS = ("stage", "provider", "model", "item_id", "seed_id")
"""Attempts can be grouped by these columns, and summed over each group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """The sums over one group of attempts."""

    group: tuple[str, ...]
    num_calls: int
    """Attempts for which the provider charged or may have charged."""
    num_faults: int
    """Attempts that ended without a reply."""
    num_lost: int
    """Attempts whose process died before the reply came. A resumed run sends the requests of lost
    attempts again.
    """
    tokens_in: int
    tokens_out: int
    num_estimated: int
    """Attempts whose token counts are estimates."""
    money: float
    """The total cost of the attempts whose price is known."""
    num_unpriced: int
    """Number of charged attempts whose price is unknown. If `num_unpriced` is above 0, `money` is a
    lower bound of the true cost.
    """
    seconds: float
