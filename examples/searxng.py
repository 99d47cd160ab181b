"""An example of your own search provider: SearXNG, a metasearch engine that anybody can run.

With this recipe the policy (the playing agent) searches SearXNG instead of the store:

```
teach:
  live:
    text: {kind: "searxng:SERVICE", address: "http://localhost:8888", price: 0}
```

SearXNG must offer JSON (`search.formats` in its settings). Questloom does pacing, retries, caching
and replays. `searxng.py` only builds the request and reads the reply. The code was written from
SearXNG's documentation and never tried on the engine itself. A package may give the service a short
name with an entry point of the group `questloom.services`.
"""

from typing import Any

from questloom.agent.live.services.replies import json_object, rows_of, web_address, words_of
from questloom.agent.live.services.service import PageHits, Query, Service, ServiceRequest
from questloom.agent.providers.provider import PageHit


def ask(settings: Any, query: Query) -> ServiceRequest:
    """The request for a text search. SearXNG returns whole pages of results; the caller takes as
    many results as it needs."""
    return ServiceRequest(path="/search", query={"q": query.text, "format": "json"})


def read(body: bytes, query: Query) -> PageHits:
    """The pages of a reply; rows without a web address are skipped.

    Raises:
        ValueError: the reply is not a list of results. A refused reply is not cached.
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
