"""The address of a shared call cache: `redis://[USER@]HOST[:PORT][/DB][?prefix=NAME]`, or
`rediss://` over TLS.
"""

import os
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from questloom.records.errors import InputError

SCHEMES = ("redis", "rediss")
PASSWORD_ENV = "QUESTLOOM_REDIS_PASSWORD"
DEFAULT_PREFIX = "questloom"
FIX = "Give redis://HOST:PORT/DB, with ?prefix=NAME to keep several jobs apart."


def is_url(place: object) -> bool:
    """Whether the location of the call cache is the address of a Redis server and not a file."""
    return isinstance(place, str) and place.split("://", 1)[0] in SCHEMES and "://" in place


def has_password(url: str) -> bool:
    """Whether the address contains a password."""
    return ":" in urlsplit(url).netloc.rpartition("@")[0]


@dataclass(frozen=True, slots=True)
class Place:
    """A parsed address of a Redis server. An address can be shown and logged as text (`str`),
    because the text never contains the password.
    """

    host: str
    port: int
    db: int
    prefix: str
    tls: bool
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'rediss' if self.tls else 'redis'}://{host}:{self.port}/{self.db}?prefix={self.prefix}"

    def options(self) -> dict[str, Any]:
        """The arguments for making a client with the package `redis`."""
        return {
            "host": self.host,
            "port": self.port,
            "db": self.db,
            "username": self.username,
            "password": self.password,
            "ssl": self.tls,
        }

    def without_password(self, text: str) -> str:
        """Returns a message from the server or the library, without secrets."""
        return text.replace(self.password, "***") if self.password else text


def place_of(url: str) -> Place:
    """Parses an address. If the address contains no password, the environment variable
    QUESTLOOM_REDIS_PASSWORD supplies one.

    Raises: InputError: `url` is not the address of a Redis server. The error message leaves out the
        part of the address before the "@".
    """
    try:
        parts = urlsplit(url)
        port = parts.port or 6379
        query = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise InputError(
            "the address of the call cache", f"cannot be read ({type(error).__name__})", FIX
        ) from None
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    db, prefix = parts.path.strip("/") or "0", query.pop("prefix", [DEFAULT_PREFIX])[-1]
    if parts.scheme not in SCHEMES or not parts.hostname or not db.isdecimal() or parts.fragment:
        raise InputError(shown, "is no address of a Redis database", FIX)
    if query:
        raise InputError(shown, f"its option {sorted(query)[0]!r} is unknown", FIX)
    if not re.fullmatch(r"[A-Za-z0-9._:-]+", prefix):
        raise InputError(
            shown, f"its prefix {prefix!r} holds more than letters, digits and . _ : -", FIX
        )
    password = unquote(parts.password) if parts.password else os.environ.get(PASSWORD_ENV) or None
    return Place(
        host=parts.hostname,
        port=port,
        db=int(db),
        prefix=prefix,
        tls=parts.scheme == "rediss",
        username=unquote(parts.username) if parts.username else None,
        password=password,
    )
