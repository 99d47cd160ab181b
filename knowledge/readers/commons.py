"""A client of the Wikimedia Commons API: file pages (licence, author, depicted items) and pictures in standard sizes.

Rules: https://www.mediawiki.org/wiki/API:Etiquette and https://www.mediawiki.org/wiki/Common_thumbnail_sizes (Commons
refuses any other width).
"""

import urllib.parse
from typing import Any

from questloom.calls.caller import Caller
from questloom.knowledge.readers.action_api import LONGEST, ActionApi, load
from questloom.knowledge.readers.commons_page import file_name
from questloom.knowledge.readers.polite import COMMONS, FILES, ask
from questloom.records.errors import InputError

COMMONS_API = "https://commons.wikimedia.org/w/api.php"
STANDARD_WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
TITLES_PER_REQUEST = 50
MAX_CONTINUATIONS = 20

Page = dict[str, Any]


class CommonsApi:
    """The client of the API and the file server of Commons. The API server and the file server get
    one request at a time each, and replies are cached.

    Args:
        caller: a caller from `polite_caller`; delete its folder to drop the cached replies.
        endpoint: the address of api.php.
        contact: mail address or web page of the user; "" takes QUESTLOOM_CONTACT.

    Raises:
        InputError: no contact is given.
    """

    def __init__(self, caller: Caller, *, endpoint: str = COMMONS_API, contact: str = "") -> None:
        self.caller = caller
        self._api = ActionApi(caller, COMMONS, endpoint, contact=contact)

    def pages(self, names: list[str], *, width: int) -> dict[str, Page | None]:
        """Requests the page objects of files (with `imageinfo` and `mediainfo`) by file name. The
        value of a missing file is None.

        Args:
            names: file names, with or without namespace.
            width: width of the thumbnail in pixels, one of the standard widths.

        Raises: InputError: the width is not a standard width.
            ProviderFault: the API fails permanently.
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
        """Requests up to 50 files with their structured data. Returns (pages by title, normalised
        titles and redirects)."""
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
            reply = self._api.ask({**asked, **more})
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
            entities = self._api.ask(
                {"action": "wbgetentities", "ids": "|".join(sorted(ids)), "props": "claims"}
            ).get("entities", {})
            for media_id, entity in entities.items():
                if media_id in ids and "missing" not in entity:
                    ids[media_id]["mediainfo"] = entity
        return pages, aliases

    def search(self, query: str, *, limit: int) -> list[str]:
        """Returns the titles of the first files that a search finds
        (https://www.mediawiki.org/wiki/Help:WikibaseCirrusSearch).

        Raises:
            ProviderFault: the API fails permanently.
        """
        asked = {
            "action": "query",
            "list": "search",
            "srnamespace": "6",
            "srsearch": query,
            "srlimit": str(limit),
        }
        return [hit["title"] for hit in self._api.ask(asked).get("query", {}).get("search", ())]

    def picture(self, page: Page) -> bytes:
        """Downloads the thumbnail that a page object names. If the file is not wider than the
        thumbnail, the file itself is downloaded.

        Raises:
            ProviderFault: the file cannot be downloaded; ValueError: the page object names no
                address.
        """
        info = page["imageinfo"][0]
        address = info.get("thumburl") or info.get("url") or ""
        if urllib.parse.urlparse(address).scheme not in ("http", "https"):
            raise ValueError(f"no address: {address[:100]!r}")

        async def send() -> bytes:
            return (await load(FILES, self._api.agent, address))[0]

        return ask(self.caller, FILES, {"address": address}, send, timeout=LONGEST)
