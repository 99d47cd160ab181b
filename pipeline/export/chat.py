"""Converts rendered messages into the two forms that trainers read: messages whose content is a
list of parts, and messages whose text has `<image>` in place of each picture."""

import base64
from collections.abc import Sequence
from typing import Any

from datasets import List, Value

from questloom.models.messages import Message, Picture

IMAGE_TOKEN = "<image>"
PLACEHOLDERS = (IMAGE_TOKEN, "<video>", "<audio>")
"""Words that LLaMA-Factory, verl and ms-swift replace in any text by pictures, videos and sounds.
If a text contains "<image>" but there is no picture for it, LLaMA-Factory stops with an error, and
verl skips the row."""
PARTS = List(
    {"role": Value("string"), "content": List({"type": Value("string"), "text": Value("string")})}
)
"""The `datasets` type of a column of messages whose content is a list of parts."""
TEXTS = List({"role": Value("string"), "content": Value("string")})
"""The `datasets` type of a column of messages whose content is text."""


def without_placeholders(text: str) -> str:
    """The text with other brackets around every word of `PLACEHOLDERS`."""
    for mark in PLACEHOLDERS:
        text = text.replace(mark, f"‹{mark[1:-1]}›")
    return text


def pictures_in(messages: Sequence[Message]) -> list[Picture]:
    """The pictures of the messages, in order."""
    return [part for message in messages for part in message.parts if isinstance(part, Picture)]


def with_parts(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages with a list of {type, text} as content."""
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
    """Messages with text as content, and `<image>` for each picture. If the text itself contains
    the tag `<image>`, this tag gets other brackets."""
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
    """A picture in the form in which the Image type of `datasets` stores it. The picture's name is
    its hash, which reveals nothing."""
    kind = "png" if data.startswith(b"\x89PNG") else "jpg"
    return {"bytes": data, "path": f"{sha256}.{kind}"}


def data_uri(picture: Picture) -> str:
    """A picture as a data URI, for a line of JSON."""
    kind = "png" if picture.data.startswith(b"\x89PNG") else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(picture.data).decode()}"
