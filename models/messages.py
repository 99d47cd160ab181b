"""Messages with text and pictures, in the form for sending and in the form for the cache key."""

import base64
import functools
from dataclasses import dataclass
from typing import Any

from questloom.records.identity import sha256_hex

MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
PIXELS_PER_TOKEN = 28 * 28
"""Number of pixels per token in Qwen2-VL, which merges its patches.

Models with larger patches need fewer tokens, so the estimate is rather too high.
"""


@dataclass(frozen=True)
class Picture:
    """A picture as the bytes of its file: PNG, JPEG, WebP or GIF.

    Raises: ValueError: on first use, if the bytes are not a PNG, JPEG, WebP or GIF file.
    """

    data: bytes

    @functools.cached_property
    def sha256(self) -> str:
        """The picture's identity: the sha256 of the file's bytes."""
        return sha256_hex(self.data)

    @functools.cached_property
    def _header(self) -> tuple[str, int]:
        # No picture library here: recipes name roles, and the roles' prompts import this file.
        from questloom.files.pictures import PictureError, kind_of, open_lazily

        try:
            with open_lazily(self.data) as image:
                return MEDIA_TYPES[kind_of(image)], image.width * image.height
        except (PictureError, KeyError) as error:
            raise ValueError(
                f"a picture for a chat message is no PNG, JPEG, WebP or GIF: {error}"
            ) from None

    @property
    def num_tokens(self) -> int:
        """A high estimate of the number of tokens that the picture takes."""
        return self._header[1] // PIXELS_PER_TOKEN + 100

    def url(self) -> str:
        """The picture's file as a data URL."""
        return f"data:{self._header[0]};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True)
class Message:
    """One message: texts and pictures in order."""

    role: str
    parts: tuple[str | Picture, ...]

    def to_send(self) -> dict[str, Any]:
        """The message in the form of the chat protocol.

        A message with only one text is sent as a plain string, because small servers accept nothing else.
        """
        if len(self.parts) == 1 and isinstance(self.parts[0], str):
            return {"role": self.role, "content": self.parts[0]}
        return {
            "role": self.role,
            "content": [
                {"type": "text", "text": part}
                if isinstance(part, str)
                else {"type": "image_url", "image_url": {"url": part.url()}}
                for part in self.parts
            ],
        }

    def to_key(self) -> list[Any]:
        """The message as part of the cache key, with a hash in place of each picture."""
        return [
            self.role,
            *(part if isinstance(part, str) else {"picture": part.sha256} for part in self.parts),
        ]

    def num_tokens(self) -> int:
        """A high estimate of the number of tokens: one token per 3 bytes of UTF-8."""
        return 8 + sum(
            len(part.encode()) // 3 + 1 if isinstance(part, str) else part.num_tokens
            for part in self.parts
        )


def system(*parts: str | Picture) -> Message:
    """A system message."""
    return Message("system", parts)


def user(*parts: str | Picture) -> Message:
    """A user message."""
    return Message("user", parts)


def assistant(text: str) -> Message:
    """A message that the model wrote earlier."""
    return Message("assistant", (text,))
