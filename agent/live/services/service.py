"""The type of a live service: its name, its role, the function that makes a request, and the function that reads the
reply.

The two functions are pure. The reader raises ValueError for a reply that breaks the service's protocol; the cache never
stores a broken reply. Recipes import this module, so it loads nothing heavy.
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
"""The roles of services with their meanings; a recipe's section `live` uses the roles as keys."""
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Query:
    """A query to a service. Each service reads the fields of its role."""

    text: str = ""
    """For the roles text and words: the search terms. For the role reader: the page's address."""
    results: int = 0
    """For the roles text, picture and words: the number of wanted results."""
    picture: bytes = b""
    """For the roles picture and ocr: the picture's file."""
    address: str = ""
    """For the role picture: the picture's public address; "" without one."""
    size: tuple[int, int] = (0, 0)
    """For the role ocr: width and height in pixels."""


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """One HTTP request. The client adds the header with the key when it sends the request."""

    path: str
    body: Any = None
    """The JSON body of a POST; None for a GET request."""
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FoundPage:
    """A page with the addresses of its matching pictures, best first."""

    title: str
    url: str
    pictures: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReadPage:
    """A page as the reader service returns it."""

    title: str
    url: str
    markdown: str


PageHits = tuple[PageHit, ...]
FoundPages = tuple[FoundPage, ...]
Blocks = tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class Service(Generic[T]):
    """One live service. `T` depends on the role: `PageHits` (text), `FoundPages` (picture, words), `ReadPage` (reader),
    `Blocks` (ocr)."""

    name: str
    """The name that a recipe gives as `kind`."""
    role: str
    """The role of the service, a key of `ROLES`."""
    help: str
    """One sentence that tells what the service does."""
    ask: Callable[[Any, Query], ServiceRequest]
    """Makes the request from the recipe's settings (`ServiceSettings`) and the query."""
    read: Callable[[bytes, Query], T]
    """Reads the body of a reply into the type of the role."""
    address: str = ""
    """The address of the public service, without a path; "" for software that users host themselves."""
    settings: type | None = None
    """A frozen keyword-only dataclass with the settings that this service adds."""
    required: tuple[str, ...] = ()
    """Names of settings that must not be empty."""
    key_header: str = "X-API-KEY"
    """The header with the key. A key never stands in the address, because hosts on the way log addresses."""
    key_scheme: str = ""
    """The word before the key in the header, with the space after it ("Bearer ")."""
    needs_key: bool = True
    """Whether the service refuses calls without a key."""
    needs_address: bool = False
    """Whether the service searches only by a picture's public address. A service with this limit cannot search by a
    picture without a public address."""

    def headers(self, key: str) -> dict[str, str]:
        """The header with the key; empty without a key."""
        return {self.key_header: f"{self.key_scheme}{key}"} if key else {}
