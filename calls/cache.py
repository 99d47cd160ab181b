"""The protocol of the call cache, which SQLite (one machine) and Redis (a cluster) implement.

The backend decides in one atomic step whether a request may be sent, which keeps the cache, the
calls in flight and the budget consistent. All processes that share the backend see the same state.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from questloom.calls.attempts import Status
from questloom.calls.budget import Budget, Spend
from questloom.calls.pacing import AnyLane, Pace
from questloom.calls.request import CallRequest, Reply


class Decision(Enum):
    """The possible decisions of the backend about a request."""

    SEND = "send"
    HIT = "hit"
    """The reply is in the cache."""
    BUSY = "busy"
    """Another process has sent the same request. The caller must soon ask the cache again."""
    FULL = "full"
    """The calls in flight have reserved the rest of the budget. The caller must soon ask again,
    because the calls may cost less than they reserved.
    """
    EXCEEDED = "exceeded"
    """The budget is used up."""


@dataclass(frozen=True, slots=True)
class Started:
    """The backend's answer when a caller asks whether it may send a request."""

    decision: Decision
    attempt_id: int = 0
    reply: Reply | None = None
    limit: str = ""


class CallCache(Protocol):
    """The backend holds three things: the replies by key, the ledger of attempts, and the amount
    spent from the budget.
    """

    async def lookup(self, key: str) -> Reply | None:
        """The cached reply for a key, or None."""

    async def start(self, key: str, request: CallRequest, budget: Budget) -> Started:
        """Decides whether a request may be sent. If the decision is SEND, the backend has already
        written the attempt into the ledger and reserved its cost.
        """

    async def settle(
        self,
        attempt_id: int,
        key: str,
        request: CallRequest,
        status: Status,
        seconds: float,
        reply: Reply | None,
    ) -> None:
        """Records the end of an attempt. Once `settle` has returned, the reply stays stored even if
        the process is killed.
        """

    async def forget(self, key: str, reply: Reply) -> None:
        """Removes an invalid reply from the cache, unless another reply has already replaced it.
        The ledger row of the call stays.
        """

    def drop(self, attempt_id: int, key: str, request: CallRequest, seconds: float) -> None:
        """Ends an attempt as `lost` at once, without the event loop. The caller uses this function
        while the task of the attempt is cancelled.
        """

    def spent(self) -> Spend:
        """The sum of all that runs and processes have spent or reserved."""

    def new_lane(self, provider: str, model: str, pace: Pace) -> AnyLane:
        """Makes the lane (the queue of calls) of a provider and model. Processes that share the
        backend also share the lane, if the backend supports this.

        Raises:
            InputError: the backend does not support this pace.
        """

    async def aclose(self) -> None:
        """Releases the resources that belong to the event loop that runs now. Another event loop
        may use the cache afterwards.
        """

    def close(self) -> None:
        """Closes the backend and releases its resources."""
