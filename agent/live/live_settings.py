"""Which live services there are and how each is asked: the part of a recipe that names them. Keys stand in the environment."""

import os
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from questloom.calls.pacing import Pace
from questloom.calls.request import Price
from questloom.records.errors import InputError

Kind = Literal[
    "serper",
    "serper_scholar",
    "google",
    "serper_images",
    "google_images",
    "vision",
    "lens",
    "jina",
    "pp_structure",
]
ADDRESSES: dict[Kind, str] = {
    "serper": "https://google.serper.dev",
    "serper_scholar": "https://google.serper.dev",
    "serper_images": "https://google.serper.dev",
    "lens": "https://google.serper.dev",
    "google": "https://www.googleapis.com",
    "google_images": "https://www.googleapis.com",
    "vision": "https://vision.googleapis.com",
    "jina": "https://r.jina.ai",
}
"""Where the public services live; an OCR service is always one's own."""
KEYLESS = ("jina", "pp_structure")
"""Kinds that also work without a key."""


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """One live service."""

    kind: Kind
    """Which service."""
    address: str = ""
    """Without a path; "" for the public one."""
    key_env: str = ""
    """The environment variable that holds its keys, one or several parted by commas."""
    engine: str = ""
    """Google Custom Search: the id of the search engine (cx)."""
    price: float | None = None
    """Money a call; None is unknown, 0 free."""
    timeout: float = 30.0
    """Seconds until an attempt is given up."""
    max_in_flight: int = 8
    """Calls under way at once, over all workers."""
    requests_per_minute: float | None = None
    """Calls a minute at most; None is no limit."""

    @property
    def base(self) -> str:
        """The address that is asked."""
        return (self.address or ADDRESSES.get(self.kind, "")).rstrip("/")

    def pace(self) -> Pace:
        """What the service is asked to bear."""
        return Pace(self.max_in_flight, self.requests_per_minute)

    def money(self) -> Price | None:
        """The price of a call as the budget counts it: one token a call."""
        return None if self.price is None else Price(tokens_out=self.price * 1e6)

    def check(self, where: str) -> None:
        """Refuses settings that cannot work.

        Raises:
            InputError: no usable address, or a search engine without its id.
        """
        parts = urlsplit(self.base)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.username
            or parts.query
            or parts.fragment
        ):
            raise InputError(
                f"{where}.address",
                f"{self.base or 'nothing'} is no plain http:// or https:// address",
                "Give the service's address.",
            )
        if self.kind in ("google", "google_images") and not self.engine:
            raise InputError(
                f"{where}.engine",
                "Google Custom Search needs the id of a search engine",
                "Set it to the engine's cx.",
            )

    def keys(self, where: str) -> tuple[str, ...]:
        """The keys from the environment, in their order.

        Raises:
            InputError: the service needs one and the variable holds none, or holds what no header may.
        """
        keys = (
            tuple(
                dict.fromkeys(
                    k
                    for k in (part.strip() for part in os.environ.get(self.key_env, "").split(","))
                    if k
                )
            )
            if self.key_env
            else ()
        )
        if not keys and (self.key_env or self.kind not in KEYLESS):
            raise InputError(
                f"{where}.key_env",
                f"the environment variable {self.key_env or '(none is named)'} holds no key",
                "Name a variable and set it to the key, or to several parted by commas.",
            )
        if any(not key.isascii() or not key.isprintable() or " " in key for key in keys):
            raise InputError(
                f"{where}.key_env",
                f"a key in {self.key_env} holds characters that no HTTP header may",
                "Set it to the keys alone, in plain ASCII, parted by commas.",
            )
        return keys


@dataclass(frozen=True, kw_only=True)
class LiveSettings:
    """The live provider. A service that is None is not offered, and a tool that needs it says so."""

    text: ServiceSettings | None = None
    """serper, serper_scholar or google."""
    picture: ServiceSettings | None = None
    """Search by a picture: vision (sends the picture) or lens (sends its public address)."""
    words: ServiceSettings | None = None
    """Search of pictures by words: serper_images or google_images."""
    reader: ServiceSettings | None = None
    """jina."""
    ocr: ServiceSettings | None = None
    """pp_structure; None takes the built-in reader."""
    recording: str = "live"
    """Names the state of the web that was recorded; part of every cached call's key."""
    replay: bool = False
    """Answers from the recording only: nothing is sent, and no key is needed."""
    blocked_hosts: tuple[str, ...] = ("huggingface.co",)
    """Neither found nor visited, nor are their subdomains: benchmarks lie there with their answers."""
    allow_private: bool = False
    """Whether pictures may be fetched from private and loopback addresses; for tests and networks of one's own."""
