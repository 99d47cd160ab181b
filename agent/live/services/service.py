"""What a live service is: its name, the one thing it can do, the request that asks it, and the reader of its replies.

A request and a reader are pure functions. A reader raises ValueError where a reply is not what the service's protocol says; such a reply
is never cached. Recipes import this module, so it loads nothing heavy.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from questloom.agent.providers.provider import Block, PageHit

ROLES: Mapping[str, str] = {
    "text": "text search",
    "picture": "search by a picture",
    "words": "picture search by words",
    "reader": "pages",
    "ocr": "text in a picture",
}
"""The keys of a recipe's section `live` that name a service, and what each is for."""
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Query:
    """What a service is asked. A service reads the fields of its role."""

    text: str = ""
    """text, words: what is searched for. reader: the page's address."""
    results: int = 0
    """text, picture, words: how many are wanted."""
    picture: bytes = b""
    """picture, ocr: the file."""
    address: str = ""
    """picture: the picture's public address; "" where it has none."""
    size: tuple[int, int] = (0, 0)
    """ocr: width and height in pixels."""


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """One HTTP request; the client adds the key's header when it sends it."""

    path: str
    body: Any = None
    """JSON to POST; None for GET."""
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FoundPage:
    """A page with addresses of the pictures that matched, best first."""

    title: str
    url: str
    pictures: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReadPage:
    """A page as the reader returns it."""

    title: str
    url: str
    markdown: str


PageHits = tuple[PageHit, ...]
FoundPages = tuple[FoundPage, ...]
Blocks = tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class Service(Generic[T]):
    """One live service. `T` follows from the role: `PageHits` (text), `FoundPages` (picture, words), `ReadPage` (reader), `Blocks` (ocr)."""

    name: str
    """What a recipe writes as `kind`."""
    role: str
    """A key of `ROLES`."""
    help: str
    """What it does, in one sentence."""
    ask: Callable[[Any, Query], ServiceRequest]
    """The request, from the recipe's settings of the service (`ServiceSettings`) and the query."""
    read: Callable[[bytes, Query], T]
    """The reply's body, as what the role returns."""
    address: str = ""
    """Of the public service, without a path; "" where everybody runs their own."""
    settings: type | None = None
    """A frozen keyword-only dataclass of the settings that this service adds."""
    required: tuple[str, ...] = ()
    """Settings that must not be empty."""
    key_header: str = "X-API-KEY"
    """The header that carries the key; never a query, since hosts on the way log addresses."""
    key_scheme: str = ""
    """The word before the key, with the space between them."""
    needs_key: bool = True
    """Whether the service refuses calls without a key."""
    needs_address: bool = False
    """Whether it searches by a picture's public address only, and so not by a picture without one."""

    def headers(self, key: str) -> dict[str, str]:
        """The header of a call; none without a key."""
        return {self.key_header: f"{self.key_scheme}{key}"} if key else {}
