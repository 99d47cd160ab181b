"""The service `lens`: Serper's `/lens`. Uploading a picture that has no public address is not built."""

from typing import Any

from questloom.agent.live.services import serper
from questloom.agent.live.services.serper_images import pages_of
from questloom.agent.live.services.service import FoundPages, Query, Service, ServiceRequest


def ask(settings: Any, query: Query) -> ServiceRequest:
    """A search by a picture's public address."""
    return ServiceRequest(path="/lens", body={"url": query.address})


def read(body: bytes, query: Query) -> FoundPages:
    """The pages that show the picture or one like it."""
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
