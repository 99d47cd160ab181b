"""An example of your own search provider: SearXNG, a metasearch engine that anybody can run.

With this recipe, the policy (the agent that plays) searches SearXNG instead of the store:

```
teach:
  live:
    text: {kind: "searxng:SERVICE", address: "http://localhost:8888", price: 0}
```

The SearXNG server must offer results as JSON (`search.formats` in its settings). Questloom takes
care of pacing, retries, caching and replays. `searxng.py` only builds the request and reads the
reply. The code follows SearXNG's documentation. The code was never tried with the engine itself. A
package can give the service a short name, by an entry point of the group `questloom.services`.
"""

from typing import Any

from questloom.agent.live.services.replies import json_object, rows_of, web_address, words_of
from questloom.agent.live.services.service import PageHits, Query, Service, ServiceRequest
from questloom.agent.providers.provider import PageHit


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the request for a text search. SearXNG returns whole pages of results. The caller takes
    only the results that it needs.
    """
    return ServiceRequest(path="/search", query={"q": query.text, "format": "json"})


def read(body: bytes, query: Query) -> PageHits:
    """Reads the web pages in a reply. Rows without a web address are skipped.

    Raises:
        ValueError: the reply holds no list of results. A reply that is not a list of results is not
            cached.
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
