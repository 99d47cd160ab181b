"""The service `pp_structure` reads text in pictures through a PP-Structure server, at
`/layout-parsing`."""

import base64
from typing import Any

from questloom.agent.live.services.replies import json_object, without_tags
from questloom.agent.live.services.service import Blocks, Query, Service, ServiceRequest
from questloom.agent.providers.provider import Block

PICTURE = 1
"""The file type that means "picture" in the server's protocol."""
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


def ask(settings: Any, query: Query) -> ServiceRequest:
    """Makes the HTTP request for the layout of a picture."""
    return ServiceRequest(
        path="/layout-parsing",
        body={
            "file": base64.b64encode(query.picture).decode(),
            "fileType": PICTURE,
            "useDocOrientationClassify": False,
            "useDocUnwarping": False,
        },
    )


def read(body: bytes, query: Query) -> Blocks:
    """Reads the text blocks of a picture from the reply. The coordinates of a block are in
    thousandths of the picture's width and height."""
    decoded = json_object(body)
    if decoded.get("errorCode", 0) != 0:
        raise ValueError("an error code")
    try:
        rows = decoded["result"]["layoutParsingResults"][0]["prunedResult"]["parsing_res_list"]
        blocks = []
        for row in rows:
            box = tuple(
                min(1000.0, max(0.0, 1000 * float(v) / query.size[i % 2]))
                for i, v in enumerate(row["block_bbox"])
            )
            if (
                row["block_label"] in _KEPT_BLOCKS
                and str(row["block_content"]).strip()
                and len(box) == 4
            ):
                blocks.append(
                    Block(
                        text=without_tags(row["block_content"]),
                        box=(box[0], box[1], box[2], box[3]),
                        kind=row["block_label"],
                    )
                )
    except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError("no parsing_res_list") from error
    return tuple(blocks)


SERVICE = Service(
    name="pp_structure",
    role="ocr",
    help="PP-Structure on a server of one's own.",
    ask=ask,
    read=read,
    key_header="Authorization",
    key_scheme="token ",
    needs_key=False,
)
