"""The service `serper`: Serper's `/search`. The code follows Serper's public documentation; like all services here, it
was never called by us."""

from typing import Any

from questloom.agent.live.services.replies import json_object, rows_of, web_address, words_of
from questloom.agent.live.services.service import PageHits, Query, Service, ServiceRequest
from questloom.agent.providers.provider import PageHit

ADDRESS = "https://google.serper.dev"
MAX_RESULTS = 20


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the request of a text search."""
    return ServiceRequest(
        path="/search", body={"q": query.text, "num": min(query.results, MAX_RESULTS)}
    )


def read(body: bytes, query: Query) -> PageHits:
    """Reads the pages of a text search."""
    rows = rows_of(json_object(body), "organic", or_known=("searchParameters",))
    return tuple(
        PageHit(title=words_of(row, "title"), url=url, snippet=words_of(row, "snippet"))
        for row in rows
        if (url := web_address(row.get("link")))
    )


SERVICE = Service(
    name="serper",
    role="text",
    help="Google's web search through Serper.",
    ask=ask,
    read=read,
    address=ADDRESS,
)
