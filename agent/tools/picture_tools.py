"""Shared parts of the tools that process a picture of the bank. Each tool makes a new picture, reads text, or reports
that it had no effect."""

import asyncio

from PIL import Image

from questloom.agent.turns.tool_output import NewPicture, Output
from questloom.models.picture_file import encode

LOSSLESS_PIXELS = 1 << 20
"""Made pictures up to this size are PNG. Repeated processing then loses nothing, and equal pixels get the old handle."""


def number(handle: object) -> int:
    """The number of a handle; the tool box has resolved it."""
    assert isinstance(handle, int), handle
    return handle


async def made_of(picture: Image.Image, what: str, box: tuple[float, ...] = ()) -> Output:
    """The output of a tool with its new picture and a description."""
    data = await asyncio.to_thread(
        encode, picture, lossless=picture.width * picture.height <= LOSSLESS_PIXELS
    )
    return Output(parts=(what, NewPicture(data=data, made=True, box=box)))
