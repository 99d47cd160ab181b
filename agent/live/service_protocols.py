"""The protocols of the live services: a request in the service's own shape, and its reply read with suspicion.

Pure functions. `parse` raises ValueError where a reply is not what the service's protocol says; then it is never cached.
Written from the services' public documentation and contract-tested against a loopback server; no live service was reached.
"""

import base64
import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import orjson

from questloom.agent.live.live_settings import ServiceSettings
from questloom.agent.providers.provider import Block, PageHit
from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault

MAX_CONTENT_CHARS = 400_000
MAX_WORDS_CHARS = 10_000
"""Of a title or a snippet."""
_KEPT_BLOCKS = frozenset(
    (
        "doc_title",
        "paragraph_title",
        "text",
        "vision_footnote",
        "table",
        "figure_title",
        "formula",
        "number",
        "header",
        "footer",
    )
)
_TAGS = re.compile(r"<[^>]{0,200}>")
_GRPC = {
    8: Status.RATE_LIMITED,
    4: Status.TIMEOUT,
    13: Status.SERVER_ERROR,
    14: Status.SERVER_ERROR,
}


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """One HTTP request; the key's header is filled in when it is sent."""

    path: str
    body: Any = None
    """JSON to POST; None for GET."""
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FoundPage:
    """A page with addresses of the pictures that matched, best first."""

    title: str
    url: str
    pictures: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReadPage:
    """A page as the reader gives it."""

    title: str
    url: str
    markdown: str


def key_header(service: ServiceSettings, key: str) -> dict[str, str]:
    """The header that carries a key; never a query, since addresses are logged on the way."""
    if not key:
        return {}
    match service.kind:
        case "google" | "google_images" | "vision":
            return {"X-Goog-Api-Key": key}
        case "jina":
            return {"Authorization": f"Bearer {key}"}
        case "pp_structure":
            return {"Authorization": f"token {key}"}
        case _:
            return {"X-API-KEY": key}


# Requests


def ask_text(service: ServiceSettings, query: str, k: int) -> ServiceRequest:
    """A text search."""
    if service.kind == "google":
        return ServiceRequest(
            path="/customsearch/v1",
            query={"cx": service.engine, "q": query, "num": str(min(k, 10))},
        )
    return ServiceRequest(
        path="/scholar" if service.kind == "serper_scholar" else "/search",
        body={"q": query, "num": min(k, 20)},
    )


def ask_words(service: ServiceSettings, query: str, k: int) -> ServiceRequest:
    """A search of pictures by words."""
    if service.kind == "google_images":
        return ServiceRequest(
            path="/customsearch/v1",
            query={
                "cx": service.engine,
                "q": query,
                "num": str(min(2 * k, 10)),
                "searchType": "image",
            },
        )
    return ServiceRequest(path="/images", body={"q": query, "num": 2 * k})


def ask_picture(service: ServiceSettings, data: bytes, url: str, k: int) -> ServiceRequest:
    """A search by a picture: `url` is its public address, which only Lens needs."""
    if service.kind == "lens":
        return ServiceRequest(path="/lens", body={"url": url})
    feature = {"type": "WEB_DETECTION", "maxResults": 2 * k}
    return ServiceRequest(
        path="/v1/images:annotate",
        body={
            "requests": [
                {"image": {"content": base64.b64encode(data).decode()}, "features": [feature]}
            ]
        },
    )


def ask_page(url: str) -> ServiceRequest:
    """A page through the reader."""
    return ServiceRequest(
        path=f"/{quote(url, safe=':/?&=%#+,;@!$()*~')}",
        headers={"Accept": "application/json", "X-Return-Format": "markdown"},
    )


def ask_ocr(data: bytes) -> ServiceRequest:
    """A picture's layout (PP-Structure's serving protocol: file type 1 is a picture)."""
    return ServiceRequest(
        path="/layout-parsing",
        body={
            "file": base64.b64encode(data).decode(),
            "fileType": 1,
            "useDocOrientationClassify": False,
            "useDocUnwarping": False,
        },
    )


# Replies


def parse_text(service: ServiceSettings, body: bytes) -> tuple[PageHit, ...]:
    """Pages of a text search."""
    if service.kind == "google":
        rows = _rows(_object(body), "items", or_known=("queries", "searchInformation"))
    else:
        rows = _rows(_object(body), "organic", or_known=("searchParameters",))
    return tuple(
        PageHit(title=_words(row, "title"), url=url, snippet=_words(row, "snippet", "htmlSnippet"))
        for row in rows
        if (url := web_address(row.get("link")))
    )


def parse_words(service: ServiceSettings, body: bytes) -> tuple[FoundPage, ...]:
    """Pages of a picture search by words."""
    if service.kind == "google_images":
        rows = _rows(_object(body), "items", or_known=("queries", "searchInformation"))
        found = [
            (
                row,
                web_address(
                    image.get("contextLink") if isinstance(image := row.get("image"), dict) else ""
                ),
                [row.get("link")],
            )
            for row in rows
        ]
    else:
        rows = _rows(_object(body), "images", or_known=("searchParameters",))
        found = [
            (row, web_address(row.get("link")), [row.get("imageUrl"), row.get("thumbnailUrl")])
            for row in rows
        ]
    return tuple(
        FoundPage(title=_words(row, "title"), url=url, pictures=_addresses(pictures))
        for row, url, pictures in found
        if url
    )


def parse_reverse_image_results(service: ServiceSettings, body: bytes) -> tuple[FoundPage, ...]:
    """Pages that show a picture or one like it."""
    if service.kind == "lens":
        rows = _rows(_object(body), "organic", or_known=("searchParameters",))
        return tuple(
            FoundPage(
                title=_words(row, "title"),
                url=url,
                pictures=_addresses([row.get("imageUrl"), row.get("thumbnailUrl")]),
            )
            for row in rows
            if (url := web_address(row.get("link")))
        )
    responses = _rows(_object(body), "responses")
    if not responses:
        raise ValueError("no response")
    error = responses[0].get("error")
    if isinstance(error, dict):  # Vision reports faults of one picture with status 200
        kind = _GRPC.get(error.get("code", 0), Status.NOT_ACCEPTED)
        raise CallFault(
            "vision", f"error {error.get('code')}", kind, retryable=kind is not Status.NOT_ACCEPTED
        )
    detection = responses[0].get("webDetection") or {}
    if not isinstance(detection, dict):
        raise ValueError("webDetection is no object")
    pages = []
    for row in _rows(
        detection,
        "pagesWithMatchingImages",
        or_known=("webEntities", "visuallySimilarImages", "bestGuessLabels", None),
    ):
        matches = [
            m.get("url")
            for name in ("fullMatchingImages", "partialMatchingImages")
            for m in _rows(row, name, or_known=(None,))
        ]
        if url := web_address(row.get("url")):
            pages.append(
                FoundPage(title=_words(row, "pageTitle"), url=url, pictures=_addresses(matches))
            )
    return tuple(pages)


def parse_page(body: bytes) -> ReadPage:
    """The page that the reader read."""
    data = _object(body).get("data")
    if not isinstance(data, dict) or not isinstance(data.get("content"), str):
        raise ValueError("no data.content")
    return ReadPage(
        title=_words(data, "title"),
        url=web_address(data.get("url")),
        markdown=data["content"][:MAX_CONTENT_CHARS],
    )


def parse_ocr(body: bytes, size: tuple[int, int]) -> tuple[Block, ...]:
    """Text blocks of a picture of so many pixels."""
    decoded = _object(body)
    if decoded.get("errorCode", 0) != 0:
        raise ValueError("an error code")
    try:
        rows = decoded["result"]["layoutParsingResults"][0]["prunedResult"]["parsing_res_list"]
        blocks = []
        for row in rows:
            box = tuple(
                min(1000.0, max(0.0, 1000 * float(v) / size[i % 2]))
                for i, v in enumerate(row["block_bbox"])
            )
            if (
                row["block_label"] in _KEPT_BLOCKS
                and str(row["block_content"]).strip()
                and len(box) == 4
            ):
                text = _TAGS.sub(" ", str(row["block_content"])[:MAX_WORDS_CHARS])
                blocks.append(
                    Block(text=text, box=(box[0], box[1], box[2], box[3]), kind=row["block_label"])
                )
    except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError("no parsing_res_list") from error
    return tuple(blocks)


def _object(body: bytes) -> dict[str, Any]:
    decoded = orjson.loads(body)
    if not isinstance(decoded, dict):
        raise ValueError("no JSON object")
    return decoded


def _rows(
    decoded: dict[str, Any], name: str, or_known: tuple[str | None, ...] = ()
) -> list[dict[str, Any]]:
    """A list of objects; it may be absent where one of `or_known` shows that the reply is one all the same (None: always)."""
    rows = decoded.get(name)
    if rows is None and (None in or_known or any(known in decoded for known in or_known)):
        return []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{name} is no list of objects")
    return rows


def _words(row: dict[str, Any], *names: str) -> str:
    text = next((row[name] for name in names if isinstance(row.get(name), str)), "")
    return html.unescape(_TAGS.sub("", text[:MAX_WORDS_CHARS])).strip()


def web_address(value: Any) -> str:
    """The value where it is a plain web address that can be taken apart, else ""."""
    if not isinstance(value, str) or len(value) > 2_000:
        return ""
    try:
        parts = urlsplit(value)
        return value if parts.scheme in ("http", "https") and parts.hostname else ""
    except ValueError:
        return ""


def _addresses(values: list[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(url for url in map(web_address, values) if url))


Parse = Callable[[bytes], Any]
