"""What is asked of the world outside, what comes back, and the key that identifies it."""

from dataclasses import dataclass, replace
from typing import Any, Self

from questloom.records.identity import canonical_json, sha256_hex


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens. A price that nobody told us is None instead of a `Price`, never zero."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The money that so many tokens cost."""
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / 1e6


FREE = Price()
"""For services that charge nothing: query services, Commons, a server of one's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """One call that leaves the process: chat, SPARQL, Commons or a live tool."""

    provider: str
    """The endpoint's *name*; where it lives may change without a new key."""
    model: str = ""
    content: Any
    """JSON: everything that can change the reply (messages with the sha256 of each picture, parameters, schema)."""
    sample: int = 0
    """Which of several replies to the same question: votes and rollouts differ in it only."""
    stage: str = ""
    item_id: str = ""
    seed_id: str = ""
    tokens_in: int = 0
    """Estimate, reserved in the budget until the reply tells the true number."""
    tokens_out: int = 0
    """At most so many."""
    price: Price | None = None
    timeout: float = 120.0
    """Seconds until the attempt is given up, from sending to the last byte."""

    def key(self) -> str:
        """The content address, 64 hex digits: stage and item are not in it, so that equal requests are paid once."""
        return sha256_hex(canonical_json([self.provider, self.model, self.content, self.sample]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back. Errors are never a reply."""

    body: bytes
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    """Whether the token counts are ours, because the provider gave none."""
    cached: bool = False

    def from_cache(self) -> Self:
        """The same reply, marked as not paid for now."""
        return replace(self, cached=True)
