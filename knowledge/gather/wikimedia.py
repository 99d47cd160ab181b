"""The requests of `gather` to Wikimedia: members of a class, entities, articles, files. Each method sends one request
and returns its reply.

Sources: https://www.wikidata.org/w/api.php?action=help&modules=wbgetentities, https://www.mediawiki.org/wiki/API:Query
(`export`), https://www.mediawiki.org/wiki/Extension:PageProps and the sources in the modules of `knowledge/readers`.
"""

import html
import re
from dataclasses import dataclass
from typing import Any

from questloom.knowledge.readers.action_api import ActionApi
from questloom.knowledge.readers.commons import COMMONS_API, CommonsApi
from questloom.knowledge.readers.commons_page import file_name
from questloom.knowledge.readers.polite import WIKIDATA, WIKIPEDIA, PoliteCaller
from questloom.knowledge.readers.sparql import WIKIDATA_ENDPOINT, SparqlService
from questloom.records.errors import ProviderFault
from questloom.records.names import codes_of

ENTITIES_A_CALL, PAGES_A_CALL, FILES_A_CALL, TITLES_A_CALL = 50, 20, 50, 50
"""Maximum number of entities, titles or files in one API request. The API allows fifty articles in
one request; fewer are requested, because fifty whole articles can take many megabytes."""
IDS_A_QUERY = 5000
MEMBERS_A_CALL = 500
"""Maximum number of category members that the API returns per request."""
VIEW_TITLES, VIEWS_A_CALL, VIEW_DAYS = 50, 5, 60
"""Number of titles in one request for page views, number of titles that Wikimedia's wikis look up for one request, and
number of days; the API allows no more. The REST API for page views takes one title per request and so needs five times
as many requests. Sources: https://www.mediawiki.org/wiki/Extension:PageViewInfo and its code."""
ARTICLES, CATEGORIES = 0, 14
"""Numbers of the namespaces of a wiki."""
ENTITY = "http://www.wikidata.org/entity/"
_PAGE = re.compile(r" *<page>.*?</page>\n?", re.S)
_TITLE, _REVISION = re.compile(r"<title>(.*?)</title>"), re.compile(r"<revision>\s*<id>(\d+)</id>")
_MEMBERS = "?item wdt:P31/wdt:P279* wd:{class_id} ."
_ASKABLE = """?item wdt:P18 ?picture .
  ?article schema:about ?item ; schema:isPartOf <https://{language}.wikipedia.org/> ."""

Json = dict[str, Any]
Members = tuple[list[str], list[str], dict[str, str]]


@dataclass(frozen=True)
class Addresses:
    """The addresses of Wikimedia's services."""

    query: str
    wikidata: str
    wikipedia: str
    commons: str

    @classmethod
    def of(cls, language: str, base: str = "") -> "Addresses":
        """The addresses of the services for a language edition. If `base` is given, all services
        have this address, as in `benchmarks/wikimedia.py`."""
        if base:
            base = base.rstrip("/")
            names = ("wikidata", f"{language}.wikipedia", "commons")
            return cls(f"{base}/sparql", *(f"{base}/{name}/w/api.php" for name in names))
        return cls(
            WIKIDATA_ENDPOINT,
            "https://www.wikidata.org/w/api.php",
            f"https://{language}.wikipedia.org/w/api.php",
            COMMONS_API,
        )


@dataclass(frozen=True)
class Export:
    """The articles in the reply to one request."""

    header: str
    """The XML of an export before the first page: the root element and the description of the
    wiki."""
    pages: dict[str, str]
    """The XML of each page, by the page's title."""
    titles: dict[str, str]
    """The final title for each requested title; "" if there is no page."""


class Wikimedia:
    """Clients of Wikimedia's services; each service gets one request at a time.

    Args:
        caller: a caller from `polite_caller`.
        addresses: addresses of the services.
        language: language edition of Wikipedia, such as "en".
        contact: mail address or page of the person who runs the gathering; "" takes QUESTLOOM_CONTACT.

    Every method raises ProviderFault if its service fails permanently.

    Raises:
        InputError: no contact is given.
    """

    def __init__(
        self, caller: PoliteCaller, addresses: Addresses, *, language: str, contact: str = ""
    ) -> None:
        self.language = language
        self._caller = caller
        self._sparql = SparqlService(addresses.query, caller, contact=contact)
        self._wikidata = ActionApi(caller, WIKIDATA, addresses.wikidata, contact=contact)
        self._wikipedia = ActionApi(caller, WIKIPEDIA, addresses.wikipedia, contact=contact)
        self._commons = CommonsApi(caller, endpoint=addresses.commons, contact=contact)

    def forget_replies(self) -> None:
        """Drops all cached replies. The caller must first store their contents elsewhere."""
        self._caller.forget_used()

    def direct_count(self, class_id: str) -> int:
        """Counts the direct instances of a class, without subclasses; this query is quick for any class."""
        return self._number(f"SELECT (COUNT(*) AS ?n) WHERE {{ ?item wdt:P31 wd:{class_id} }}")

    def count(self, class_id: str) -> int:
        """Counts the instances of a class and of its subclasses."""
        where = _MEMBERS.format(class_id=class_id)
        return self._number(f"SELECT (COUNT(DISTINCT ?item) AS ?n) WHERE {{ {where} }}")

    def _number(self, query: str) -> int:
        rows = self._sparql.select(query)
        return int(rows[0]["n"]["value"]) if rows else 0

    def members(self, class_id: str, *, limit: int, askable: bool = False) -> list[str]:
        """Returns the first members of a class, sorted by their addresses. A larger limit only adds
        members at the end of the list.

        Args:
            askable: whether to return only members with a picture and an article in the language.
        """
        where = _MEMBERS.format(class_id=class_id)
        if askable:
            where += " " + _ASKABLE.format(language=self.language)
        rows = self._sparql.select_all(
            f"SELECT DISTINCT ?item WHERE {{ {where} }}", "?item", page=IDS_A_QUERY, limit=limit
        )
        return [row["item"]["value"].rpartition("/")[2] for row in rows]

    def selected(self, query: str) -> list[str]:
        """The distinct values of ?item in a SELECT query's result, in the result's order. In the
        results, items become ids; other values stay unchanged.

        Raises:
            ProviderFault: the service fails permanently or refuses the query.
        """
        cells = (row.get("item", {}).get("value", "") for row in self._sparql.select(query))
        return list(dict.fromkeys(cell.removeprefix(ENTITY) for cell in cells if cell))

    def category_members(self, category: str, more: dict[str, str]) -> Members:
        """The next articles and subcategories of a category, in the API's order: articles first.

        Args:
            category: name without the namespace.
            more: the last element of the previous reply; {} for the first request.

        Returns:
            (titles of articles, names of subcategories, what the next request needs: {} at the end).
        """
        asked = {
            "action": "query",
            "list": "categorymembers",
            "cmtitle": f"Category:{category}",
            "cmtype": "page|subcat",
            "cmnamespace": f"{ARTICLES}|{CATEGORIES}",
            "cmlimit": str(MEMBERS_A_CALL),
        }
        reply = self._wikipedia.ask({**asked, **more})
        found = reply.get("query", {}).get("categorymembers", ())
        return (
            [page["title"] for page in found if page["ns"] == ARTICLES],
            # Each edition has its own word for "Category", so the name is what follows the colon.
            [page["title"].partition(":")[2] for page in found if page["ns"] == CATEGORIES],
            {key: str(value) for key, value in reply.get("continue", {}).items()},
        )

    def page_views(self, titles: list[str]) -> dict[str, int | None]:
        """The views of up to fifty articles in the last sixty days, summed. A reply has the views of some of the
        articles; the others have to be requested again. The value is None if no day's views are known."""
        reply = self._wikipedia.ask(
            {
                "action": "query",
                "prop": "pageviews",
                "pvipdays": str(VIEW_DAYS),
                "titles": "|".join(titles),
            }
        )
        query = reply.get("query", {})
        counted = {p["title"]: p["pageviews"] for p in query.get("pages", ()) if "pageviews" in p}
        found: dict[str, int | None] = {}
        for title, final in _resolved(titles, query).items():
            if final in counted:
                days = [views for views in dict(counted[final]).values() if views is not None]
                found[title] = sum(days) if days else None
        return found if "continue" in reply else dict.fromkeys(titles) | found

    def entities(self, ids: list[str]) -> dict[str, Json | None]:
        """Requests up to fifty entities; returns each entity under the id that was requested. The
        `id` of a merged entity is that of the entity into which it was merged. If an entity is
        missing, its value is None."""
        try:
            found = self._wikidata.ask(
                {
                    "action": "wbgetentities",
                    "ids": "|".join(ids),
                    "languages": "|".join(dict.fromkeys((*codes_of(self.language), "en"))),
                    "props": "info|sitelinks|labels|aliases|descriptions|claims|datatype",
                }
            ).get("entities", {})
        except (
            ProviderFault
        ) as fault:  # one id that never existed makes the API refuse the whole request
            if not fault.message.startswith("no-such-entity"):
                raise
            if len(ids) == 1:
                return {ids[0]: None}
            half = len(ids) // 2
            return self.entities(ids[:half]) | self.entities(ids[half:])
        by_source = {e["redirects"]["from"]: e for e in found.values() if e.get("redirects")}
        got = {name: found.get(name, by_source.get(name)) for name in ids}
        return {name: None if e is None or "missing" in e else e for name, e in got.items()}

    def items_of(self, titles: list[str]) -> dict[str, str]:
        """The items for up to fifty article titles; "" if the article or its item is missing."""
        query = self._wikipedia.ask(
            {
                "action": "query",
                "prop": "pageprops",
                "ppprop": "wikibase_item",
                "redirects": "1",
                "titles": "|".join(titles),
            }
        ).get("query", {})
        items = {
            page["title"]: page.get("pageprops", {}).get("wikibase_item", "")
            for page in query.get("pages", ())
        }
        return {title: items.get(final, "") for title, final in _resolved(titles, query).items()}

    def articles(self, titles: list[str]) -> Export:
        """Requests up to twenty articles with their revisions, and follows redirects."""
        query = self._wikipedia.ask(
            {"action": "query", "export": "1", "redirects": "1", "titles": "|".join(titles)}
        ).get("query", {})
        exported = str(query.get("export", ""))
        pages = {title_of(xml): xml for xml in _PAGE.findall(exported)}
        return Export(
            header=exported.partition("<page>")[0].rstrip(" "),
            pages=pages,
            titles={t: f if f in pages else "" for t, f in _resolved(titles, query).items()},
        )

    def depicting(self, item: str, *, limit: int) -> list[str]:
        """Names of the files that depict an item (P180), in the order of Commons' search results."""
        found = self._commons.search(f"haswbstatement:P180={item}", limit=limit)
        return [file_name(title) for title in found]

    def files(self, names: list[str], *, width: int) -> dict[str, Json | None]:
        """Requests up to fifty file pages of Commons by their names. Each page object states
        author, licence and statements. If a file is missing, its value is None."""
        return self._commons.pages(names, width=width)

    def picture(self, page: Json) -> bytes:
        """The bytes of a picture in the requested width. Raises ValueError if the page object names
        no address of the picture."""
        return self._commons.picture(page)


def _resolved(titles: list[str], query: Json) -> dict[str, str]:
    """The final title for each requested title, after redirects."""
    moves = {
        move["from"]: move["to"]
        for key in ("normalized", "redirects")
        for move in query.get(key, ())
    }
    resolved = {}
    for title in titles:
        final, seen = title, {title}
        while (target := moves.get(final)) is not None and target not in seen:
            final = target
            seen.add(final)
        resolved[title] = final
    return resolved


def title_of(xml: str) -> str:
    """The title of a page in an export.

    >>> title_of("<page><title>Salt &amp; pepper</title></page>")
    'Salt & pepper'
    """
    found = _TITLE.search(xml)
    return html.unescape(found[1]) if found else ""


def revision_of(xml: str) -> int:
    """The revision id of a page in an export."""
    found = _REVISION.search(xml)
    return int(found[1]) if found else 0
