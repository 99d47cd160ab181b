"""The service `lens`: Google Lens through Serper's `/lens`. The picture must have a public web
address, because uploads are not implemented."""

from typing import Any

from questloom.agent.live.services import serper
from questloom.agent.live.services.serper_images import pages_of
from questloom.agent.live.services.service import FoundPages, Query, Service, ServiceRequest


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the HTTP request for a search by a picture's public address."""
    return ServiceRequest(path="/lens", body={"url": query.address})


def read(body: bytes, query: Query) -> FoundPages:
    """Reads from the reply the pages that show the picture or a similar one."""
    return pages_of(body, "organic")


SERVICE = Service(
    name="lens",
    role="picture",
    help="Google Lens through Serper, which needs the picture's public address.",
    ask=ask,
    read=read,
    address=serper.ADDRESS,
    needs_address=True,
)
