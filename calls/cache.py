"""What a backend of the call cache must do: one protocol for SQLite (a machine) and Redis (a cluster).

The backend decides in one atomic step whether a request is sent, since cache, calls in flight and budget must agree
over all processes that share it.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from questloom.calls.attempts import Status
from questloom.calls.budget import Budget, Spend
from questloom.calls.pacing import AnyLane, Pace
from questloom.calls.request import CallRequest, Reply


class Decision(Enum):
    """What to do with a request."""

    SEND = "send"
    HIT = "hit"
    """A reply is there."""
    BUSY = "busy"
    """Another process has sent the same request: ask again soon."""
    FULL = "full"
    """The budget holds only if calls in flight cost less than reserved: ask again soon."""
    EXCEEDED = "exceeded"
    """The budget is used up."""


@dataclass(frozen=True, slots=True)
class Started:
    """The backend's answer to `start`."""

    decision: Decision
    attempt_id: int = 0
    reply: Reply | None = None
    limit: str = ""


class CallCache(Protocol):
    """Replies by key, the ledger of attempts, and the spend that is compared with the budget."""

    async def lookup(self, key: str) -> Reply | None:
        """The reply of a key, if it has arrived."""

    async def start(self, key: str, request: CallRequest, budget: Budget) -> Started:
        """Decides on a request; where it says SEND, the attempt is in the ledger, its cost reserved."""

    async def settle(
        self,
        attempt_id: int,
        key: str,
        request: CallRequest,
        status: Status,
        seconds: float,
        reply: Reply | None,
    ) -> None:
        """Ends an attempt. When this returns, the reply has arrived: no kill can lose it."""

    async def forget(self, key: str, reply: Reply) -> None:
        """Removes a reply that turned out to be none, unless another stands there meanwhile. Its ledger row stays."""

    def drop(self, attempt_id: int, key: str, request: CallRequest, seconds: float) -> None:
        """Ends an attempt as `lost`, at once and without an event loop: its task is being cancelled."""

    def spent(self) -> Spend:
        """What was spent or is reserved, over all runs and processes."""

    def new_lane(self, provider: str, model: str, pace: Pace) -> AnyLane:
        """The lane of a pair, shared by all who share the backend if it can.

        Raises:
            InputError: the backend cannot hold such a pace.
        """

    async def aclose(self) -> None:
        """Releases what belongs to the running event loop; another may follow."""

    def close(self) -> None:
        """Releases the backend."""
