"""Shared code of the tools that process a picture from the image bank. A picture tool makes a new
picture, reads text, or reports that it had no effect."""

import asyncio

from PIL import Image

from questloom.agent.turns.tool_output import NewPicture, Output
from questloom.models.picture_file import encode

LOSSLESS_PIXELS = 1 << 20
"""Maximum size of new pictures that are stored as PNG. PNG loses nothing when a picture is
processed repeatedly. If a new picture's pixels equal those of an earlier picture, the new picture
gets the old handle (number)."""


def number(handle: object) -> int:
    """The number of a picture, from its handle ("<image:3>"). The tool box has already checked the
    handle."""
    assert isinstance(handle, int), handle
    return handle


async def made_of(picture: Image.Image, what: str, box: tuple[float, ...] = ()) -> Output:
    """The output of a tool: its new picture and a description."""
    data = await asyncio.to_thread(
        encode, picture, lossless=picture.width * picture.height <= LOSSLESS_PIXELS
    )
    return Output(parts=(what, NewPicture(data=data, made=True, box=box)))
