"""The protocol of providers. A provider finds passages, pictures and pages, and names the state of the world that it
answers from."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if (
    TYPE_CHECKING
):  # recipes name live services, and their replies are made of the types in this module
    from questloom.agent.turns.image_bank import ImageBank

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class PageHit:
    """One result of a text search."""

    title: str
    url: str
    snippet: str


@dataclass(frozen=True, kw_only=True)
class PictureHit:
    """One result of a picture search: a page, and the matched picture on it."""

    title: str
    url: str
    data: bytes
    """The file of the picture, untrusted; b"" without a file."""
    picture_url: str = ""
    about: str = ""
    """The subject of the page in a few words; "" where it is unknown."""


@dataclass(frozen=True, kw_only=True)
class PagePicture:
    """A picture of a page. The file is fetched only when the picture is shown."""

    url: str
    caption: str
    fetch: Callable[[], Awaitable[bytes]]
    """Fetches the file; b"" where it cannot be fetched."""


@dataclass(frozen=True, kw_only=True)
class PageLink:
    """A link of a page."""

    title: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page as text."""

    title: str
    url: str
    sections: tuple[tuple[str, str], ...]
    """The sections in reading order, each as (heading, text); the lead has the heading ""."""
    facts: tuple[tuple[str, str], ...] = ()
    """The rows of the page's infobox."""
    links: tuple[PageLink, ...] = ()
    pictures: tuple[PagePicture, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block of text in a picture."""

    text: str
    box: tuple[float, float, float, float]
    """The text's box: left, top, right, bottom, from 0 to 1000."""
    kind: str = "text"


@dataclass(frozen=True, kw_only=True)
class Answered(Generic[T]):
    """The result of a provider, and its cost."""

    value: T
    cost: float = 0.0


class Provider(Protocol):
    """A local store or live services behind the same schemas. Each method raises `ToolFault` or `ProviderFault`."""

    @property
    def snapshot(self) -> str:
        """A name for the state of the world that the answers come from; it is part of the keys of cached calls."""

    async def search_text(self, query: str, k: int) -> Answered[tuple[PageHit, ...]]:
        """Returns the best `k` pages or passages for a query."""

    async def search_like(
        self, bank: "ImageBank", handle: int, k: int, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """Returns the best `k` pictures that look like a picture of the bank, then pages of less similar pictures
        without their files."""

    async def search_pictures(
        self, query: str, k: int, bank: "ImageBank", withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """Returns the best `k` pictures for words. The bank identifies the task's own picture, which is never returned."""

    async def page(self, url: str, goal: str) -> Answered[Page]:
        """Fetches a page by its address."""

    async def read_text(self, picture: bytes) -> Answered[tuple[Block, ...]] | None:
        """Reads the text in a picture with an outside service. Returns None without such a service; the built-in reader
        then reads the text."""
