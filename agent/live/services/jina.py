"""The service `jina`: Jina's Reader, which returns JSON with Markdown."""

from typing import Any
from urllib.parse import quote

from questloom.agent.live.services.replies import json_object, web_address, words_of
from questloom.agent.live.services.service import Query, ReadPage, Service, ServiceRequest

MAX_CONTENT_CHARS = 400_000


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the request for a page."""
    return ServiceRequest(
        path=f"/{quote(query.text, safe=':/?&=%#+,;@!$()*~')}",
        headers={"Accept": "application/json", "X-Return-Format": "markdown"},
    )


def read(body: bytes, query: Query) -> ReadPage:
    """Reads the page."""
    data = json_object(body).get("data")
    if not isinstance(data, dict) or not isinstance(data.get("content"), str):
        raise ValueError("no data.content")
    return ReadPage(
        title=words_of(data, "title"),
        url=web_address(data.get("url")),
        markdown=data["content"][:MAX_CONTENT_CHARS],
    )


SERVICE = Service(
    name="jina",
    role="reader",
    help="Jina's Reader, which also answers without a key.",
    ask=ask,
    read=read,
    address="https://r.jina.ai",
    key_header="Authorization",
    key_scheme="Bearer ",
    needs_key=False,
)
