"""Messages of the harness's renderer as trainers read them: with parts, or as text with `<image>` where a picture goes."""

import base64
from collections.abc import Sequence
from typing import Any

from datasets import List, Value

from questloom.models.messages import Message, Picture

IMAGE_TOKEN = "<image>"
PLACEHOLDERS = (IMAGE_TOKEN, "<video>", "<audio>")
"""What LLaMA-Factory, verl and ms-swift replace by pictures, films and sounds, wherever they stand: one too many, and the first ends with an error,
while the second leaves the row out."""
PARTS = List(
    {"role": Value("string"), "content": List({"type": Value("string"), "text": Value("string")})}
)
"""Of a column of messages with parts."""
TEXTS = List({"role": Value("string"), "content": Value("string")})
"""Of a column of messages as text."""


def without_placeholders(text: str) -> str:
    """A text in which what looks like a placeholder has other brackets."""
    for mark in PLACEHOLDERS:
        text = text.replace(mark, f"‹{mark[1:-1]}›")
    return text


def pictures_in(messages: Sequence[Message]) -> list[Picture]:
    """As they appear."""
    return [part for message in messages for part in message.parts if isinstance(part, Picture)]


def with_parts(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages whose content is a list of {type, text}."""
    return [
        {
            "role": m.role,
            "content": [
                {"type": "text", "text": p}
                if isinstance(p, str)
                else {"type": "image", "text": None}
                for p in m.parts
            ],
        }
        for m in messages
    ]


def with_placeholders(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Messages whose content is text with `<image>` for each picture. A text that itself contains such a tag gets other brackets."""
    return [
        {
            "role": m.role,
            "content": "".join(
                without_placeholders(p) if isinstance(p, str) else IMAGE_TOKEN for p in m.parts
            ),
        }
        for m in messages
    ]


def image_cell(data: bytes, sha256: str) -> dict[str, Any]:
    """A picture as the Image feature stores it; its name is its hash and gives nothing away."""
    kind = "png" if data.startswith(b"\x89PNG") else "jpg"
    return {"bytes": data, "path": f"{sha256}.{kind}"}


def data_uri(picture: Picture) -> str:
    """A picture in a line of JSON."""
    kind = "png" if picture.data.startswith(b"\x89PNG") else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(picture.data).decode()}"
