"""The service `google`: Google's Custom Search JSON API."""

from dataclasses import dataclass

from questloom.agent.live.services.replies import json_object, rows_of, web_address, words_of
from questloom.agent.live.services.service import PageHits, Query, Service, ServiceRequest
from questloom.agent.providers.provider import PageHit

ADDRESS = "https://www.googleapis.com"
PATH = "/customsearch/v1"
KEY_HEADER = "X-Goog-Api-Key"
MAX_RESULTS = 10
KNOWN = ("queries", "searchInformation")
"""The JSON keys that every valid reply has, even a reply without results."""


@dataclass(frozen=True, kw_only=True)
class GoogleSettings:
    """The settings that Custom Search needs besides a key."""

    engine: str = ""
    """The id of the Custom Search engine (cx)."""


def ask(settings: GoogleSettings, query: Query) -> ServiceRequest:
    """Makes the HTTP request for a text search."""
    return ServiceRequest(
        path=PATH,
        query={
            "cx": settings.engine,
            "q": query.text,
            "num": str(min(query.results, MAX_RESULTS)),
        },
    )


def read(body: bytes, query: Query) -> PageHits:
    """Reads the result pages of a text search from the reply."""
    rows = rows_of(json_object(body), "items", or_known=KNOWN)
    return tuple(
        PageHit(
            title=words_of(row, "title"),
            url=url,
            snippet=words_of(row, "snippet", "htmlSnippet"),
        )
        for row in rows
        if (url := web_address(row.get("link")))
    )


SERVICE = Service(
    name="google",
    role="text",
    help="Google's Custom Search.",
    ask=ask,
    read=read,
    address=ADDRESS,
    settings=GoogleSettings,
    required=("engine",),
    key_header=KEY_HEADER,
)
