"""What a provider must do: find passages, pictures and pages, and say which state of the world it answers from."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:  # a recipe names services whose replies are made of what is defined here
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
    """The picture's file, not trusted; b"" where none could be had."""
    picture_url: str = ""
    about: str = ""
    """What the page is about, in a few words; "" where nothing says."""


@dataclass(frozen=True, kw_only=True)
class PagePicture:
    """A picture of a page; fetched only when it is shown."""

    url: str
    caption: str
    fetch: Callable[[], Awaitable[bytes]]
    """The file; b"" where it cannot be had."""


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
    """(heading, text) in reading order; the heading of the lead is ""."""
    facts: tuple[tuple[str, str], ...] = ()
    """Rows of its infobox."""
    links: tuple[PageLink, ...] = ()
    pictures: tuple[PagePicture, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Block:
    """A piece of text in a picture."""

    text: str
    box: tuple[float, float, float, float]
    """Left, top, right, bottom, 0 to 1000."""
    kind: str = "text"


@dataclass(frozen=True, kw_only=True)
class Answered(Generic[T]):
    """What a provider found, and what it cost."""

    value: T
    cost: float = 0.0


class Provider(Protocol):
    """Local store or live services, behind the same schemas. Each method raises `ToolFault` or `ProviderFault`."""

    @property
    def snapshot(self) -> str:
        """Names the state of the world that is answered from; part of the key of cached calls."""

    async def search_text(self, query: str, k: int) -> Answered[tuple[PageHit, ...]]:
        """The best `k` pages or passages for a query."""

    async def search_like(
        self, bank: "ImageBank", handle: int, k: int, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """The best `k` pictures that look like a picture of the bank; behind them, without pictures, pages that show less like ones."""

    async def search_pictures(
        self, query: str, k: int, bank: "ImageBank", withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """The best `k` pictures for words; the bank tells the task's own picture, which is not found."""

    async def page(self, url: str, goal: str) -> Answered[Page]:
        """A page by its address."""

    async def read_text(self, picture: bytes) -> Answered[tuple[Block, ...]] | None:
        """Text in a picture by an outside service; None where none is configured and the built-in reader must do."""
