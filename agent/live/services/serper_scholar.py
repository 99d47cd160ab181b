"""The service `serper_scholar`: Serper's `/scholar`. Replies have the same form as those of `/search`."""

import dataclasses
from typing import Any

from questloom.agent.live.services import serper
from questloom.agent.live.services.service import Query, Service, ServiceRequest


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the HTTP request for a search of scholarly works."""
    return dataclasses.replace(serper.ask(settings, query), path="/scholar")


SERVICE = Service(
    name="serper_scholar",
    role="text",
    help="Google Scholar through Serper.",
    ask=ask,
    read=serper.read,
    address=serper.ADDRESS,
)
