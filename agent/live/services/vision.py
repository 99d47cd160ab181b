"""The service `vision`: Google Cloud Vision's `images:annotate` with WEB_DETECTION."""

import base64
from typing import Any

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
from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault

NAME = "vision"
_GRPC = {
    8: Status.RATE_LIMITED,
    4: Status.TIMEOUT,
    13: Status.SERVER_ERROR,
    14: Status.SERVER_ERROR,
}


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the HTTP request for a search by a picture. The request asks for twice as many pages as needed, because
    some pictures cannot be downloaded."""
    feature = {"type": "WEB_DETECTION", "maxResults": 2 * query.results}
    image = {"content": base64.b64encode(query.picture).decode()}
    return ServiceRequest(
        path="/v1/images:annotate", body={"requests": [{"image": image, "features": [feature]}]}
    )


def read(body: bytes, query: Query) -> FoundPages:
    """Reads from the reply the pages that show the picture or a similar one.

    Raises: CallFault: Vision reports an error with the picture.
    """
    responses = rows_of(json_object(body), "responses")
    if not responses:
        raise ValueError("no response")
    error = responses[0].get("error")
    if isinstance(error, dict):  # Vision reports errors of one picture with status 200
        status = _GRPC.get(error.get("code", 0), Status.NOT_ACCEPTED)
        raise CallFault(
            NAME,
            f"error {error.get('code')}",
            status,
            retryable=status is not Status.NOT_ACCEPTED,
        )
    detection = responses[0].get("webDetection") or {}
    if not isinstance(detection, dict):
        raise ValueError("webDetection is no object")
    pages = []
    for row in rows_of(
        detection,
        "pagesWithMatchingImages",
        or_known=("webEntities", "visuallySimilarImages", "bestGuessLabels", None),
    ):
        matches = [
            match.get("url")
            for name in ("fullMatchingImages", "partialMatchingImages")
            for match in rows_of(row, name, or_known=(None,))
        ]
        if url := web_address(row.get("url")):
            pages.append(
                FoundPage(
                    title=words_of(row, "pageTitle"), url=url, pictures=web_addresses(matches)
                )
            )
    return tuple(pages)


SERVICE = Service(
    name=NAME,
    role="picture",
    help="Google Cloud Vision's web detection, which is sent the picture itself.",
    ask=ask,
    read=read,
    address="https://vision.googleapis.com",
    key_header=google.KEY_HEADER,
)
