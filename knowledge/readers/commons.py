"""The API of Wikimedia Commons: what it says of files (licence, author, what they depict), and the files in standard sizes.

Rules: https://www.mediawiki.org/wiki/API:Etiquette and https://www.mediawiki.org/wiki/Common_thumbnail_sizes (any other width is refused).
"""

import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

import aiohttp
import orjson

from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.retry import CallFault, fault_of_status, retry_after
from questloom.knowledge.readers.commons_page import file_name, image_asset
from questloom.knowledge.readers.picture_check import MAX_BYTES, Refusal, inspect_picture
from questloom.knowledge.readers.polite import COMMONS, FILES, ask, user_agent
from questloom.knowledge.readers.rejections import reject
from questloom.records.errors import InputError
from questloom.records.knowledge import ImageAsset
from questloom.records.outcomes import Reason, Rejection

COMMONS_API = "https://commons.wikimedia.org/w/api.php"
STANDARD_WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
TITLES_PER_REQUEST = 50
TIMEOUT = 60
"""Seconds until it connects, and between two pieces of a reply."""
LONGEST = 600
"""Seconds from sending to the last byte."""
MAX_CONTINUATIONS = 20
_PASSING_ERRORS = frozenset(
    ("maxlag", "ratelimited", "readonly", "internal_api_error_DBQueryTimeoutError")
)
_TIMEOUT = aiohttp.ClientTimeout(sock_connect=TIMEOUT, sock_read=TIMEOUT)

Page = dict[str, Any]


class CommonsApi:
    """The API and the files of Commons: one request at a time to each, replies cached.

    Args:
        caller: of `polite_caller`; delete its folder to ask anew.
        endpoint: the address of api.php.
        contact: mail address or page of whoever runs this; "" takes QUESTLOOM_CONTACT.

    Raises:
        InputError: there is no contact.
    """

    def __init__(self, caller: Caller, *, endpoint: str = COMMONS_API, contact: str = "") -> None:
        self.caller, self.endpoint, self.agent = caller, endpoint, user_agent(contact)

    def pages(self, names: list[str], *, width: int) -> dict[str, Page | None]:
        """What the API says of files: name to page object (with `imageinfo` and `mediainfo`), None where there is no such file.

        Args:
            names: file names, with or without namespace.
            width: standard width of the thumbnail whose address is asked for.

        Raises:
            InputError: the width is not a standard one.
            ProviderFault: the API fails lastingly.
        """
        if width not in STANDARD_WIDTHS:
            raise InputError(
                f"thumbnail width {width}",
                "is not one that Commons gives",
                f"Use one of {', '.join(map(str, STANDARD_WIDTHS))}.",
            )
        wanted = sorted({file_name(n) for n in names if "|" not in n})
        found: dict[str, Page | None] = dict.fromkeys(wanted)
        for at in range(0, len(wanted), TITLES_PER_REQUEST):
            batch = wanted[at : at + TITLES_PER_REQUEST]
            by_title, aliases = self._query(batch, width)
            for name in batch:
                title = f"File:{name}"
                while title in aliases:
                    title = aliases.pop(title)
                found[name] = by_title.get(title)
        return found

    def _query(self, batch: list[str], width: int) -> tuple[dict[str, Page], dict[str, str]]:
        """(pages by title, normalisations and redirects) of up to 50 files, with their structured data."""
        asked = {
            "action": "query",
            "prop": "imageinfo",
            "iiprop": "url|size|mime|sha1|extmetadata",
            "iiurlwidth": str(width),
            "redirects": "1",
            "titles": "|".join(f"File:{n}" for n in batch),
        }
        pages: dict[str, Page] = {}
        aliases: dict[str, str] = {}
        more: dict[str, str] = {}
        for _ in range(MAX_CONTINUATIONS):
            reply = self._ask({**asked, **more})
            query = reply.get("query", {})
            aliases.update(
                (a["from"], a["to"])
                for key in ("normalized", "redirects")
                for a in query.get(key, ())
            )
            for page in query.get("pages", ()):
                if not page.get("missing") or page.get("imageinfo"):
                    pages.setdefault(page["title"], {}).update(page)
            more = reply.get("continue", {})
            if not more:
                break
        ids = {f"M{page['pageid']}": page for page in pages.values() if page.get("pageid")}
        if ids:
            entities = self._ask(
                {"action": "wbgetentities", "ids": "|".join(sorted(ids)), "props": "claims"}
            ).get("entities", {})
            for media_id, entity in entities.items():
                if media_id in ids and "missing" not in entity:
                    ids[media_id]["mediainfo"] = entity
        return pages, aliases

    def _ask(self, parameters: dict[str, str]) -> dict[str, Any]:
        form = dict(
            sorted({**parameters, "format": "json", "formatversion": "2", "maxlag": "5"}.items())
        )

        async def send() -> bytes:
            body, headers = await self._load(COMMONS, self.endpoint, form)
            _check(body, headers)
            return body

        reply: dict[str, Any] = orjson.loads(
            ask(
                self.caller,
                COMMONS,
                {"endpoint": self.endpoint, "form": form},
                send,
                timeout=LONGEST,
            )
        )
        return reply

    def picture(self, page: Page) -> bytes:
        """The bytes of a page's thumbnail, or of the file itself where that is no wider.

        Raises:
            ProviderFault: the file cannot be loaded; ValueError: the page names no address.
        """
        info = page["imageinfo"][0]
        address = info.get("thumburl") or info.get("url") or ""
        if urllib.parse.urlparse(address).scheme not in ("http", "https"):
            raise ValueError(f"no address: {address[:100]!r}")

        async def send() -> bytes:
            return (await self._load(FILES, address))[0]

        return ask(self.caller, FILES, {"address": address}, send, timeout=LONGEST)

    async def _load(
        self, service: str, address: str, form: dict[str, str] | None = None
    ) -> tuple[bytes, Mapping[str, str]]:
        """(body up to one byte more than `MAX_BYTES`, headers) of one request; POST where there is a form.

        Raises:
            CallFault: no reply, or not all of it; ValueError: the address is none, or leads to none.
        """
        try:
            async with (
                aiohttp.ClientSession(
                    headers={"User-Agent": self.agent}, timeout=_TIMEOUT, trust_env=True
                ) as session,
                session.request("GET" if form is None else "POST", address, data=form) as response,
            ):
                if response.status != 200:
                    shown = " ".join(
                        (await response.content.read(300)).decode("utf-8", "replace").split()
                    )
                    raise fault_of_status(service, response.status, shown, response.headers)
                body = bytearray()
                async for piece in response.content.iter_any():
                    body += piece
                    if len(body) > MAX_BYTES:
                        break
                return bytes(body[: MAX_BYTES + 1]), response.headers
        except aiohttp.InvalidURL:
            raise
        except TimeoutError as error:
            raise CallFault(
                service, f"no reply from {address} within {TIMEOUT} s", Status.TIMEOUT
            ) from error
        except (aiohttp.ClientError, OSError) as error:
            kind = (
                Status.UNREACHABLE
                if isinstance(error, aiohttp.ClientConnectorError)
                else Status.CUT
            )
            raise CallFault(
                service,
                f"no reply from {address} ({str(error) or type(error).__name__})"[:300],
                kind,
            ) from error


def _check(body: bytes, headers: Mapping[str, str]) -> None:
    """Raises CallFault for what is no reply of the API, or says that there is none."""
    try:
        reply = orjson.loads(body)
        code = reply.get("error", {}).get("code", "")
    except (ValueError, AttributeError) as error:
        raise CallFault(
            COMMONS, f"no API reply ({error})"[:200], Status.BAD_RESPONSE, status=200
        ) from error
    if code:
        raise CallFault(
            COMMONS,
            f"{code}: {reply['error'].get('info', '')}"[:300],
            Status.SERVER_ERROR,
            status=200,
            retryable=code in _PASSING_ERRORS,
            retry_after=retry_after(headers),
        )


def read_commons(
    api: CommonsApi, names: list[str], *, width: int = 960
) -> Iterator[tuple[ImageAsset, bytes] | Rejection]:
    """Pictures by file name, sorted: record and bytes, or why there are none.

    Raises:
        ProviderFault: Commons fails lastingly; what was loaded is cached.
    """
    for name, page in api.pages(names, width=width).items():

        def refuse(reason: Reason, evidence: str, name: str = name) -> Rejection:
            return reject(reason, "Picture", name, evidence=evidence[:200], title=name)

        if page is None or not page.get("imageinfo"):
            yield refuse(Reason.NO_PICTURE, "Commons has no file of this name")
            continue
        mime = page["imageinfo"][0].get("mime", "")
        if not mime.startswith("image/") or mime == "image/svg+xml":
            yield refuse(Reason.PICTURE_KIND, mime)
            continue
        try:
            data = api.picture(page)
            facts = inspect_picture(data)
            if isinstance(facts, Refusal):
                yield refuse(facts.reason, facts.evidence)
            else:
                yield image_asset(page, data, facts), data
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            yield refuse(Reason.PICTURE_UNREADABLE, repr(error))
