"""The service `google_images`: picture search with Google's Custom Search JSON API."""

from questloom.agent.live.services import google
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


def ask(settings: google.GoogleSettings, query: Query) -> ServiceRequest:
    """Makes the request of a picture search by words. The request asks for twice as many results, because some pictures
    cannot be downloaded."""
    return ServiceRequest(
        path=google.PATH,
        query={
            "cx": settings.engine,
            "q": query.text,
            "num": str(min(2 * query.results, google.MAX_RESULTS)),
            "searchType": "image",
        },
    )


def read(body: bytes, query: Query) -> FoundPages:
    """Reads the pages whose pictures were found."""
    return tuple(
        FoundPage(title=words_of(row, "title"), url=url, pictures=web_addresses([row.get("link")]))
        for row in rows_of(json_object(body), "items", or_known=google.KNOWN)
        if isinstance(image := row.get("image"), dict)
        and (url := web_address(image.get("contextLink")))
    )


SERVICE = Service(
    name="google_images",
    role="words",
    help="Pictures by Google's Custom Search.",
    ask=ask,
    read=read,
    address=google.ADDRESS,
    settings=google.GoogleSettings,
    required=("engine",),
    key_header=google.KEY_HEADER,
)
