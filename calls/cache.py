"""The protocol of the call cache, which SQLite (one machine) and Redis (a cluster) implement.

The backend decides in one atomic step whether a request is sent. This keeps the cache, the calls in
flight and the budget consistent in all processes that share the backend.
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
    """The reply is in the cache."""
    BUSY = "busy"
    """Another process has sent the same request: ask the cache again soon."""
    FULL = "full"
    """The budget suffices only if the calls in flight cost less than they reserved: ask again soon."""
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
    """The replies by key, the ledger of attempts, and the spend that counts against the budget."""

    async def lookup(self, key: str) -> Reply | None:
        """The cached reply for a key, or None."""

    async def start(self, key: str, request: CallRequest, budget: Budget) -> Started:
        """Decides about a request. If the decision is SEND, the ledger holds the attempt and the
        budget its reserved cost."""

    async def settle(
        self,
        attempt_id: int,
        key: str,
        request: CallRequest,
        status: Status,
        seconds: float,
        reply: Reply | None,
    ) -> None:
        """Ends an attempt. Once `settle` returns, the reply is committed: a killed process does not lose the reply."""

    async def forget(self, key: str, reply: Reply) -> None:
        """Removes a cached reply that is not valid, unless another reply has replaced it. The ledger row stays."""

    def drop(self, attempt_id: int, key: str, request: CallRequest, seconds: float) -> None:
        """Ends an attempt as `lost` at once, without the event loop, since its task is being cancelled."""

    def spent(self) -> Spend:
        """What all runs and processes have spent or reserved."""

    def new_lane(self, provider: str, model: str, pace: Pace) -> AnyLane:
        """Makes the lane (the queue of calls) of a provider and model. Processes that share the
        backend also share the lane, if the backend supports this.

        Raises:
            InputError: the backend does not support this pace.
        """

    async def aclose(self) -> None:
        """Releases what belongs to the running event loop. Another event loop may use the cache afterwards."""

    def close(self) -> None:
        """Releases the backend."""
