"""What the tools share that look closer at a picture of the bank: each makes a new picture, reads text, or says that it had no effect."""

import asyncio

from PIL import Image

from questloom.agent.turns.tool_output import NewPicture, Output
from questloom.models.picture_file import encode

LOSSLESS_PIXELS = 1 << 20
"""Made pictures up to this size are PNG: nothing is lost when one is worked on again, and equal pixels give the old handle."""


def number(handle: object) -> int:
    """The number of a handle that the tool box has resolved."""
    assert isinstance(handle, int), handle
    return handle


async def made_of(picture: Image.Image, what: str, box: tuple[float, ...] = ()) -> Output:
    """A tool's new picture, and what was done."""
    data = await asyncio.to_thread(
        encode, picture, lossless=picture.width * picture.height <= LOSSLESS_PIXELS
    )
    return Output(parts=(what, NewPicture(data=data, made=True, box=box)))
