"""The protocol (interface) of providers. A provider finds passages, pictures and pages for the
tools. Each provider has a name for the version of its data."""

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
    """One result of a picture search: a page, and the matching picture on it."""

    title: str
    url: str
    data: bytes
    """The bytes of the picture's file, which are untrusted; b"" if there is no file."""
    picture_url: str = ""
    about: str = ""
    """What the page is about, in a few words; "" if unknown."""


@dataclass(frozen=True, kw_only=True)
class PagePicture:
    """A picture on a page. The picture's file is fetched only when the picture is shown."""

    url: str
    caption: str
    fetch: Callable[[], Awaitable[bytes]]
    """Fetches the file; returns b"" if the file cannot be fetched."""


@dataclass(frozen=True, kw_only=True)
class PageLink:
    """A link on a page."""

    title: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page as text."""

    title: str
    url: str
    sections: tuple[tuple[str, str], ...]
    """The sections in reading order, each as (heading, text); the introduction has the heading ""."""
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
    """What a provider returns: a value, and the cost of getting it."""

    value: T
    cost: float = 0.0


class Provider(Protocol):
    """The protocol (interface) of providers. A local store and live web services have the same
    methods. If a method fails, it raises `ToolFault` or `ProviderFault`."""

    @property
    def snapshot(self) -> str:
        """A name for the version of the provider's data. Keys of cached results contain the name of
        the data's version."""

    async def search_text(self, query: str, k: int) -> Answered[tuple[PageHit, ...]]:
        """Returns the `k` best pages or passages for a query."""

    async def search_like(
        self, bank: "ImageBank", handle: int, k: int, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """Returns the `k` pictures that look most like a given picture in the image bank. Pages
        with less similar pictures follow, without the pictures' files."""

    async def search_pictures(
        self, query: str, k: int, bank: "ImageBank", withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """Returns the `k` best pictures for words. The question's own picture is never returned;
        the image bank shows which picture this is."""

    async def page(self, url: str, goal: str) -> Answered[Page]:
        """Fetches a page by its address."""

    async def read_text(self, picture: bytes) -> Answered[tuple[Block, ...]] | None:
        """Reads the text in a picture with a service outside this package. Returns None if the
        provider has no service that reads text; the caller then uses the built-in reader."""
