"""Messages with text and pictures, in the form that is sent and in the form of the cache key."""

import base64
import functools
from dataclasses import dataclass
from typing import Any

from questloom.records.identity import sha256_hex

MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
PIXELS_PER_TOKEN = 28 * 28
"""Pixels per token, from Qwen2-VL's merged patch.

Coarser models need fewer tokens, so the estimate is on the safe side.
"""


@dataclass(frozen=True)
class Picture:
    """A picture's file bytes: PNG, JPEG, WebP or GIF.

    Raises:
        ValueError: on first use, if the bytes are no such file.
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
        """The most tokens that a model reads the picture as; an estimate."""
        return self._header[1] // PIXELS_PER_TOKEN + 100

    def url(self) -> str:
        """The file as a data URL."""
        return f"data:{self._header[0]};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True)
class Message:
    """One message: texts and pictures in order."""

    role: str
    parts: tuple[str | Picture, ...]

    def to_send(self) -> dict[str, Any]:
        """The message as the protocol wants it.

        A message of one text is sent as a plain string, because small servers accept nothing else.
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
        """An estimate of the tokens, on the high side: 3 bytes of UTF-8 per token."""
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
    """A message that the model said before."""
    return Message("assistant", (text,))
