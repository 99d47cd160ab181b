"""The type of a live service: its name, its role, a function that makes a request, and a function that reads the reply.

The two functions have no side effects. If a reply breaks the service's protocol, the reading
function raises ValueError, and the cache does not store the reply. Recipes import this module, so
it imports nothing heavy.
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
"""The roles that a service can have, with their meanings. A recipe's section `live` names a service
for each role."""
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Query:
    """The query for a service. A service reads only the fields that belong to its role."""

    text: str = ""
    """For the roles text and words: the search terms. For the role reader: the address of the page."""
    results: int = 0
    """For the roles text, picture and words: the wanted number of results."""
    picture: bytes = b""
    """For the roles picture and ocr: the file of the picture."""
    address: str = ""
    """For the role picture: the public web address of the picture, or "" if there is none."""
    size: tuple[int, int] = (0, 0)
    """For the role ocr: the picture's width and height in pixels."""


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """One HTTP request. When the client sends the request, it adds the header with the access
    key."""

    path: str
    body: Any = None
    """The JSON body of a POST; None for a GET request."""
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FoundPage:
    """A found page with the web addresses of its matching pictures, best picture first."""

    title: str
    url: str
    pictures: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReadPage:
    """A page in the form that the reader service returns."""

    title: str
    url: str
    markdown: str


PageHits = tuple[PageHit, ...]
FoundPages = tuple[FoundPage, ...]
Blocks = tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class Service(Generic[T]):
    """One live service. The type `T` of a parsed reply depends on the role: `PageHits` (text), `FoundPages` (picture,
    words), `ReadPage` (reader), `Blocks` (ocr)."""

    name: str
    """The value of a recipe's `kind` that selects this service."""
    role: str
    """The role of the service; a key of `ROLES`."""
    help: str
    """One sentence that says what the service does."""
    ask: Callable[[Any, Query], ServiceRequest]
    """A function that makes the HTTP request from the settings (`ServiceSettings`) and the
    query."""
    read: Callable[[bytes, Query], T]
    """A function that parses the body of a reply. The type of its result depends on the role."""
    address: str = ""
    """The web address of the public service, without a path; "" if users run the software
    themselves."""
    settings: type | None = None
    """The class of this service's additional settings: a frozen, keyword-only dataclass."""
    required: tuple[str, ...] = ()
    """Names of the settings that must not be empty."""
    key_header: str = "X-API-KEY"
    """The name of the HTTP header that carries the key. The key is never part of the web address,
    because other computers may log web addresses."""
    key_scheme: str = ""
    """The word that precedes the key in the header, with a space after it ("Bearer ")."""
    needs_key: bool = True
    """Whether the service refuses calls without a key."""
    needs_address: bool = False
    """Whether the service searches only by the public address of a picture. A service of this kind
    cannot search by a picture that has no public web address."""

    def headers(self, key: str) -> dict[str, str]:
        """The header that carries the key; empty if there is no key."""
        return {self.key_header: f"{self.key_scheme}{key}"} if key else {}
