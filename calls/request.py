"""A request to an outside service, the service's reply, and the key that identifies the request."""

from dataclasses import dataclass, replace
from typing import Any, Self

from questloom.records.identity import canonical_json, sha256_hex


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in the currency of the budget. An unknown price is None, not a
    `Price` of zero.
    """

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The cost of a number of tokens."""
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / 1e6


FREE = Price()
"""The price of services that cost nothing: query services, Commons, or a server of our own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """One call to a service outside the process: a chat model, SPARQL, Commons or a live tool."""

    provider: str
    """The *name* of the endpoint, not its address. If the endpoint's address changes, the key of a
    request stays the same.
    """
    model: str = ""
    content: Any
    """JSON with everything that can change the reply. For a chat, this JSON holds the messages with
    the sha256 of each picture, the parameters and the schema.
    """
    sample: int = 0
    """A number that distinguishes requests with the same content, such as several votes or
    rollouts.
    """
    stage: str = ""
    item_id: str = ""
    seed_id: str = ""
    tokens_in: int = 0
    """The estimated number of prompt tokens. The budget reserves the cost of the prompt tokens
    until the reply reports the true number.
    """
    tokens_out: int = 0
    """Maximum number of tokens in the reply."""
    price: Price | None = None
    timeout: float = 120.0
    """The time limit of one attempt in seconds, from sending the request to the last byte of the
    reply.
    """

    def key(self) -> str:
        """Returns the key of the request. The key is a hash of the content, in 64 hex digits. The
        key does not depend on stage and item, so equal requests of different stages cost money only
        once.
        """
        return sha256_hex(canonical_json([self.provider, self.model, self.content, self.sample]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply to a request. A reply is never an error."""

    body: bytes
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    """Whether the token counts are our own estimates, because the provider gave no counts."""
    cached: bool = False

    def from_cache(self) -> Self:
        """Returns the same reply, marked as taken from the cache and therefore free of charge."""
        return replace(self, cached=True)
