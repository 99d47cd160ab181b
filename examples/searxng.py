"""A search provider of your own: SearXNG, a metasearch engine that anybody can run.

In a recipe, in place of the store that the policy searches otherwise:

    teach:
      live:
        text: {kind: "searxng:SERVICE", address: "http://localhost:8888", price: 0}

SearXNG must offer JSON (`search.formats` in its settings). Pacing, retries, the cache and replays
are the program's; here stands what is asked, and how a reply is read. Never tried on the engine
itself: written from its documentation. A package may give it a short name, as entry point of the
group `questloom.services`.
"""

from typing import Any

from questloom.agent.live.services.replies import json_object, rows_of, web_address, words_of
from questloom.agent.live.services.service import PageHits, Query, Service, ServiceRequest
from questloom.agent.providers.provider import PageHit


def ask(settings: Any, query: Query) -> ServiceRequest:
    """A text search. SearXNG gives whole pages of results; the caller takes as many as it wants."""
    return ServiceRequest(path="/search", query={"q": query.text, "format": "json"})


def read(body: bytes, query: Query) -> PageHits:
    """The pages; a row without a web address is passed over.

    Raises:
        ValueError: the reply is no list of results; it is then not cached.
    """
    return tuple(
        PageHit(title=words_of(row, "title"), url=url, snippet=words_of(row, "content"))
        for row in rows_of(json_object(body), "results")
        if (url := web_address(row.get("url")))
    )


SERVICE = Service(
    name="searxng",
    role="text",
    help="Metasearch by a SearXNG of your own.",
    ask=ask,
    read=read,
    needs_key=False,
)
