"""The live provider gives the tools web services: web search, picture search, a page reader and
text recognition.

The package `calls/` sends all calls, limits their rate, counts their cost, and stores each reply in
a cache before use. The cache *is* the recording of a run. With `replay`, the same run gets all
replies from the cache, and nothing is sent. If a call of a replay is not in the cache, it fails
with the fault "not_recorded".
"""

import asyncio
import functools
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

from questloom.agent.live.http_client import Http, Keys, is_blocked, is_public
from questloom.agent.live.live_settings import LiveSettings, ServiceSettings
from questloom.agent.live.services.replies import web_address
from questloom.agent.live.services.service import FoundPages, PageHits, Query, ReadPage
from questloom.agent.providers.provider import (
    Answered,
    Block,
    Page,
    PageHit,
    PageLink,
    PagePicture,
    PictureHit,
)
from questloom.agent.turns.image_bank import ImageBank, usable_picture
from questloom.agent.turns.tool_output import ToolFault, model_fault, provider_fault
from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.pacing import Pace
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import CallFault
from questloom.models.picture_file import decode
from questloom.records.errors import ProviderFault
from questloom.records.identity import sha256_hex

PICTURES_A_PAGE = 3
"""If a found page offers several web addresses for its picture, at most this number of addresses
are tried."""
MAX_PAGE_PICTURES = 8
STAGE = "tools"
PICTURE_SECONDS = 10.0
MAX_PICTURE_BYTES = 10 << 20
"""Maximum size in bytes of a picture from the web."""
# A text contains no bracket, and an address contains none but one level of parentheses ("…/Mercury_(planet)"). So no
# two attempts read the same stretch, and a page full of open brackets is read in linear time.
_TARGET = (
    r"\(({0}(?:[^\s()\[\]]|\([^\s()\[\]]{{0,300}}\)){{1,2000}})(?:\s{{1,9}}\"[^\"\n]{{0,300}}\")?\)"
)
_MARKDOWN_PICTURE = re.compile(r"!\[([^\[\]\n]{0,300})\]" + _TARGET.format(""))
_MARKDOWN_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]" + _TARGET.format("https?://"))
_HEADING = re.compile(r"^#{1,6} +(.{1,300})$", re.M)
_NO_PHOTO = re.compile(r"\.(?:svg|ico)(?:$|[?#])|/(?:favicon|logo|sprite|icon)[^/]*$|^data:", re.I)


class LiveProvider:
    """The provider that uses live services. Open only one provider in each process. Only one
    asyncio event loop at a time may use the provider. Call `aclose` before each loop ends.

    Args:
        settings: settings of the services to use.
        caller: caches and retries the calls, limits their rate and counts their cost. This class
            tells the caller the maximum rate of each service.

    Raises:
        InputError: a service has the wrong role, the address is unusable, or the environment has no keys for it.
    """

    def __init__(self, settings: LiveSettings, caller: Caller) -> None:
        self.settings, self.caller = settings, caller
        self.http = Http(allow_private=settings.allow_private)
        self._keys: dict[str, Keys] = {}
        settings.check()
        for role, service in settings.services().items():
            caller.budget.check_price(service.kind, "", service.money())
            self._keys[role] = Keys(() if settings.replay else service.keys(f"live.{role}"))
            caller.set_pace(service.kind, service.pace())
        caller.set_pace("pictures", Pace(max_in_flight=32))

    @property
    def snapshot(self) -> str:
        """The name of the recording that the provider writes or replays."""
        return f"live:{self.settings.recording}"

    async def aclose(self) -> None:
        """Closes the connections that were opened in this asyncio event loop."""
        await self.http.aclose()

    async def search_text(self, query: str, k: int) -> Answered[tuple[PageHit, ...]]:
        """Runs a search of the web or of scholarly works."""
        found: Answered[PageHits] = await self._ask("text", Query(text=query, results=k))
        return Answered(
            value=tuple(hit for hit in found.value if not self._is_blocked(hit.url))[:k],
            cost=found.cost,
        )

    async def search_like(
        self, bank: ImageBank, handle: int, k: int, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """Finds pages that show a given picture of the episode. `withheld` has no effect: it lists
        pictures of a local store, and a web search returns none of these."""
        image = bank.get(handle)
        address = image.url if image.url.startswith(("https://", "http://")) else ""
        if self._service("picture").service.needs_address and not address:
            raise provider_fault(
                "no_public_address",
                "The tool failed: this service searches by public address only, and this picture has none. "
                "Search by words, or by a picture that a search found.",
            )
        # The cache key holds the picture's hash, so the recording does not store the picture again.
        found: Answered[FoundPages] = await self._ask(
            "picture",
            Query(picture=bank.data(handle), address=address, results=k),
            key={"picture": image.sha256, "url": address, "k": k},
        )
        return await self._with_pictures(found, k)

    async def search_pictures(
        self, query: str, k: int, bank: ImageBank, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """Searches by words for pages with pictures."""
        found: Answered[FoundPages] = await self._ask("words", Query(text=query, results=k))
        return await self._with_pictures(found, k)

    async def page(self, url: str, goal: str) -> Answered[Page]:
        """Fetches a page through the reader service.

        Raises:
            ToolFault: the text is not a web address, or its host is blocked; ProviderFault: the reader failed.
        """
        self._service("reader")  # fails first without a reader, because no other address would help
        url = self._web_address(url)
        if self._is_blocked(url):
            raise model_fault("blocked", "visit: this site is blocked. Look elsewhere.")
        read: Answered[ReadPage] = await self._ask("reader", Query(text=url))
        title, address = read.value.title, read.value.url or url
        if self._is_blocked(address):  # the address redirected to a blocked host
            raise model_fault("blocked", "visit: this site is blocked. Look elsewhere.")
        return Answered(
            value=self._page(title or address, address, read.value.markdown), cost=read.cost
        )

    async def read_text(self, picture: bytes) -> Answered[tuple[Block, ...]] | None:
        """Reads the text blocks in a picture with the text recognition service; returns None if the
        recipe names no such service."""
        if self.settings.ocr is None:
            return None
        return await self._ask(
            "ocr",
            Query(picture=picture, size=decode(picture).size),
            key={"picture": sha256_hex(picture)},
        )

    def _service(self, role: str) -> ServiceSettings:
        service: ServiceSettings | None = getattr(self.settings, role)
        if service is None:
            raise provider_fault(
                "not_configured",
                "The tool failed: no service is configured for it. The call itself was not at fault.",
            )
        return service

    async def _ask(self, role: str, query: Query, *, key: Any = None) -> Answered[Any]:
        """Calls a service once, through the cache and within rate and budget. The type of the
        returned value depends on the role of the service."""
        service = self._service(role)
        asked = service.service.ask(service, query)
        content = (
            {"path": asked.path, "query": dict(asked.query), "body": asked.body}
            if key is None
            else key
        )
        request = CallRequest(
            provider=service.kind,
            content={"role": role, "recording": self.settings.recording, "asked": content},
            stage=STAGE,
            tokens_out=1,
            price=service.money(),
            timeout=service.timeout,
        )

        def read(body: bytes) -> Any:
            return service.service.read(body, query)

        reply = await self._reply(
            request, lambda _: self.http.ask(service.kind, service, self._keys[role], asked, read)
        )
        return Answered(value=read(reply.body), cost=0.0 if reply.cached else service.price or 0.0)

    async def _reply(self, request: CallRequest, send: Callable[[str], Any]) -> Reply:
        if not self.settings.replay:
            return await self.caller.call(request, send)
        reply = await self.caller.cache.lookup(request.key())
        if reply is None:
            raise provider_fault(
                "not_recorded",
                "The tool failed: this call is not in the recording. The call itself was not at fault.",
            )
        return reply.from_cache()

    async def _with_pictures(
        self, found: Answered[FoundPages], k: int
    ) -> Answered[tuple[PictureHit, ...]]:
        """Gives each page its first picture that can be downloaded and decoded. Pages without any
        usable picture come last."""
        pages = [page for page in found.value if not self._is_blocked(page.url)][: 2 * k]
        fetched = await asyncio.gather(*(self._first_picture(page.pictures) for page in pages))
        hits = [
            PictureHit(title=page.title, url=page.url, data=data, picture_url=url)
            for page, (url, data) in zip(pages, fetched, strict=True)
        ]
        return Answered(
            value=tuple(sorted(hits, key=lambda hit: not hit.data))[:k], cost=found.cost
        )

    async def _first_picture(self, urls: tuple[str, ...]) -> tuple[str, bytes]:
        for url in urls[:PICTURES_A_PAGE]:
            if not self._is_blocked(url) and (data := await self._picture(url)):
                return url, data
        return "", b""

    async def _picture(self, url: str) -> bytes:
        """Downloads a picture from the open web; returns b"" on failure. Many web addresses are
        dead, so a failed download does not make the search fail."""

        async def send(_: str) -> Reply:
            try:
                async with asyncio.timeout(PICTURE_SECONDS):
                    data = await self.http.fetch(url, max_bytes=MAX_PICTURE_BYTES)
            except (CallFault, TimeoutError):
                # One attempt only, and never a sign of overload: all web hosts share this lane.
                raise CallFault(
                    "pictures", "it cannot be had", Status.UNREACHABLE, retryable=False
                ) from None
            return Reply(body=data if await asyncio.to_thread(usable_picture, data) else b"")

        request = CallRequest(
            provider="pictures",
            content={"recording": self.settings.recording, "url": url},
            stage=STAGE,
            price=FREE,
            timeout=PICTURE_SECONDS + 30,
        )
        try:
            return (await self._reply(request, send)).body
        except (ProviderFault, ToolFault):
            return b""

    def _page(self, title: str, url: str, markdown: str) -> Page:
        """Splits Markdown into sections, links and pictures."""
        pictures = {
            address: " ".join(alt.split())
            for alt, target in _MARKDOWN_PICTURE.findall(markdown)
            if (address := _joined(url, target))
            and not self._is_blocked(address)
            and not _NO_PHOTO.search(target)
        }
        text = _MARKDOWN_PICTURE.sub("", markdown)
        links = {
            target: " ".join(name.split())
            for name, target in _MARKDOWN_LINK.findall(text)
            if web_address(target) and not self._is_blocked(target)
        }
        text = _MARKDOWN_LINK.sub(r"\1", text)
        pieces = _HEADING.split(text)
        sections = [
            ("", pieces[0].strip()),
            *((pieces[i].strip(), pieces[i + 1].strip()) for i in range(1, len(pieces), 2)),
        ]
        return Page(
            title=title,
            url=url,
            sections=tuple(s for s in sections if s[1]),
            links=tuple(PageLink(title=n, url=t) for t, n in links.items()),
            pictures=tuple(
                PagePicture(
                    url=address, caption=alt, fetch=functools.partial(self._picture, address)
                )
                for address, alt in list(pictures.items())[:MAX_PAGE_PICTURES]
            ),
        )

    def _web_address(self, url: str) -> str:
        """Checks that a text is a public http address; otherwise raises a fault that names the problem."""
        if not self._may_be_visited(url.strip()):
            raise model_fault(
                "bad_url",
                "visit: the url must be a public address that begins with http:// or https://.",
            )
        return url.strip()

    def _may_be_visited(self, url: str) -> bool:
        try:
            parts = urlsplit(url)
            good = (
                parts.scheme in ("http", "https")
                and bool(parts.hostname)
                and not parts.username
                and not any(c.isspace() for c in url)
            )
        except ValueError:
            return False
        return good and (self.settings.allow_private or is_public(parts.hostname or ""))

    def _is_blocked(self, url: str) -> bool:
        return is_blocked(urlsplit(url).hostname or "", self.settings.blocked_hosts)


def _joined(base: str, target: str) -> str:
    """Completes the link to a picture on a page to a full web address; "" if the link leads to no
    web address."""
    try:
        return web_address(urljoin(base, target))
    except ValueError:
        return ""
