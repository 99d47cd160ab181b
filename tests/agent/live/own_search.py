"""A live service that the program does not have, in one file: `test_adding_a_service.py` adds it."""

from dataclasses import dataclass

from questloom.agent.live.services.replies import json_object, rows_of, words_of
from questloom.agent.live.services.service import PageHits, Query, Service, ServiceRequest
from questloom.agent.providers.provider import PageHit


@dataclass(frozen=True, kw_only=True)
class OwnSearchSettings:
    """What the service adds."""

    shelf: str = ""
    """Own search: which shelf is searched."""


def ask(settings: OwnSearchSettings, query: Query) -> ServiceRequest:
    """A text search on the shelf."""
    return ServiceRequest(
        path="/search", body={"q": f"{settings.shelf}: {query.text}", "num": query.results}
    )


def read(body: bytes, query: Query) -> PageHits:
    """The pages, each with the query as its snippet."""
    return tuple(
        PageHit(title=words_of(row, "title"), url=row["link"], snippet=query.text)
        for row in rows_of(json_object(body), "organic")
    )


SERVICE = Service(
    name="own_search",
    role="text",
    help="Searches one shelf.",
    ask=ask,
    read=read,
    settings=OwnSearchSettings,
    required=("shelf",),
    key_header="Shelf-Key",
    key_scheme="Reader ",
)
