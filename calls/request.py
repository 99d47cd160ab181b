"""The request to an outside service, its reply, and the key that identifies the request."""

from dataclasses import dataclass, replace
from typing import Any, Self

from questloom.records.identity import canonical_json, sha256_hex


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens. An unknown price is None instead of a `Price`, never zero."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The cost of this many tokens."""
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / 1e6


FREE = Price()
"""The price of services that charge nothing: query services, Commons, a server of one's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """One call that leaves the process: chat, SPARQL, Commons or a live tool."""

    provider: str
    """The *name* of the endpoint. The endpoint's address may change without changing the key."""
    model: str = ""
    content: Any
    """JSON with everything that can change the reply: messages with the sha256 of each picture, parameters, schema."""
    sample: int = 0
    """A number that distinguishes several requests with the same content, such as votes and
    rollouts."""
    stage: str = ""
    item_id: str = ""
    seed_id: str = ""
    tokens_in: int = 0
    """An estimate; the budget reserves it until the reply reports the true number."""
    tokens_out: int = 0
    """The highest number of tokens in the reply."""
    price: Price | None = None
    timeout: float = 120.0
    """The attempt's time limit in seconds, from sending to the last byte."""

    def key(self) -> str:
        """The content address, 64 hex digits. The key does not depend on stage and item, so equal
        requests are paid once."""
        return sha256_hex(canonical_json([self.provider, self.model, self.content, self.sample]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply to a request; an error is never a reply."""

    body: bytes
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    """Whether the token counts are our estimate, because the provider gave none."""
    cached: bool = False

    def from_cache(self) -> Self:
        """The same reply, marked as taken from the cache and so free of charge."""
        return replace(self, cached=True)
