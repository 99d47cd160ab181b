"""The service `serper_images`: Serper's `/images`."""

from typing import Any

from questloom.agent.live.services import serper
from questloom.agent.live.services.replies import (
    json_object,
    rows_of,
    web_address,
    web_addresses,
    words_of,
)
from questloom.agent.live.services.service import (
    FoundPage,
    FoundPages,
    Query,
    Service,
    ServiceRequest,
)


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the HTTP request for a picture search by words. The request asks for twice as many results as needed,
    because some pictures cannot be downloaded."""
    return ServiceRequest(path="/images", body={"q": query.text, "num": 2 * query.results})


def pages_of(body: bytes, name: str) -> FoundPages:
    """Reads one of the lists in Serper's reply; each entry is a page with its pictures."""
    return tuple(
        FoundPage(
            title=words_of(row, "title"),
            url=url,
            pictures=web_addresses([row.get("imageUrl"), row.get("thumbnailUrl")]),
        )
        for row in rows_of(json_object(body), name, or_known=("searchParameters",))
        if (url := web_address(row.get("link")))
    )


def read(body: bytes, query: Query) -> FoundPages:
    """Reads the pages of the found pictures from the reply."""
    return pages_of(body, "images")


SERVICE = Service(
    name="serper_images",
    role="words",
    help="Google's picture search through Serper.",
    ask=ask,
    read=read,
    address=serper.ADDRESS,
)
