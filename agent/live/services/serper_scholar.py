"""The service `serper_scholar`: Serper's `/scholar`. The replies have the form of `/search`."""

import dataclasses
from typing import Any

from questloom.agent.live.services import serper
from questloom.agent.live.services.service import Query, Service, ServiceRequest


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the request of a search for scholarly works."""
    return dataclasses.replace(serper.ask(settings, query), path="/scholar")


SERVICE = Service(
    name="serper_scholar",
    role="text",
    help="Google Scholar through Serper.",
    ask=ask,
    read=serper.read,
    address=serper.ADDRESS,
)
