"""The HTTP client for live web services. The client takes turns among a service's keys, limits the
size of replies, and downloads pictures from untrusted hosts.

A picture's address comes from the open web and may point into our own network. Pictures are
therefore downloaded only from public IP addresses. The client checks the IP address when it
resolves the host name, and again after each redirect. The client then connects to the checked IP
address. A later change of the host name's address has no effect.
"""

import asyncio
import ipaddress
import re
import socket
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from questloom.agent.live.live_settings import ServiceSettings
from questloom.agent.live.services.service import ServiceRequest
from questloom.calls.attempts import Status
from questloom.calls.request import Reply
from questloom.calls.retry import CallFault, fault_of_status

MAX_REPLY_BYTES = 16 << 20
MAX_REDIRECTS = 3
UNICAST = ipaddress.ip_network("2000::/3")
"""The range of public IPv6 addresses. Addresses for NAT64 and addresses that embed an IPv4 address
are outside the range."""
REST_SECONDS = 60.0
"""How long a key pauses, in seconds, after a 429 ("too many requests") reply that names no waiting
time."""
USER_AGENT = "Mozilla/5.0 (compatible; Questloom/0.1)"
Parse = Callable[[bytes], Any]
"""A function that parses the body of a reply. If the function raises an exception, the reply is
invalid."""
_NO_TIMEOUT = aiohttp.ClientTimeout()
_REFUSED = (401, 402, 403)


class Keys:
    """The access keys of one service; requests use them in turn. A key whose quota is used up
    pauses. A key that the service refuses is dropped."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.all = keys
        self._rest_until = dict.fromkeys(keys, 0.0)
        self._refused: set[str] = set()
        self._turn = 0

    def candidates(self) -> list[str]:
        """The usable keys, in the order of their next use; [""] if the service needs no key."""
        if not self.all:
            return [""]
        now = time.monotonic()
        self._turn += 1
        in_turn = [self.all[(self._turn + i) % len(self.all)] for i in range(len(self.all))]
        return [key for key in in_turn if key not in self._refused and self._rest_until[key] <= now]

    def rest(self, key: str, seconds: float | None) -> None:
        """Pauses a key for some seconds because its quota is used up."""
        if key:
            self._rest_until[key] = time.monotonic() + (
                REST_SECONDS if seconds is None else seconds
            )

    def refuse(self, key: str) -> None:
        """Drops a key that the service refused."""
        self._refused.add(key)

    def none_left(self, provider: str) -> CallFault:
        """Makes the fault for a service that has no usable key left."""
        resting = [until for key, until in self._rest_until.items() if key not in self._refused]
        if not resting:
            return CallFault(
                provider,
                "none of its keys is accepted",
                Status.NOT_ACCEPTED,
                status=401,
                retryable=False,
            )
        return CallFault(
            provider,
            "all of its keys are used up for now",
            Status.RATE_LIMITED,
            status=429,
            retry_after=max(0.0, min(resting) - time.monotonic()),
        )

    def hidden(self, body: bytes) -> bytes:
        """Removes our keys from the text of a reply, because a service may repeat a key in an
        error."""
        for key in self.all:
            body = body.replace(key.encode(), b"***")
        return body


class Http:
    """Sends the requests of the live provider. Only one asyncio event loop at a time may use the
    client. Call `aclose` before each loop ends."""

    def __init__(self, *, allow_private: bool) -> None:
        self.allow_private = allow_private
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    async def aclose(self) -> None:
        """Closes the connections that were opened in this asyncio event loop."""
        for session in self._sessions.values():
            await session.close()
        self._sessions = {}

    async def ask(
        self, name: str, service: ServiceSettings, keys: Keys, asked: ServiceRequest, parse: Parse
    ) -> Reply:
        """Makes one attempt to call a service, with the next usable key.

        Raises: CallFault: the call has no usable reply; the fault's text contains no key.
        """
        tried = keys.candidates()
        last: CallFault | None = None
        for key in tried:
            status, headers, body = await self._send(name, service, asked, key)
            body = keys.hidden(body)
            if status == 200:
                return _checked(name, body, parse)
            last = fault_of_status(name, status, body[:200].decode("utf-8", "replace"), headers)
            if status == 429:
                keys.rest(key, last.retry_after)
            elif status in _REFUSED and key:
                keys.refuse(key)
            else:
                raise last
        if last is not None and not keys.all:
            raise last
        raise keys.none_left(name)

    async def fetch(self, url: str, *, max_bytes: int) -> bytes:
        """Downloads a picture from the open web.

        Raises: CallFault: the address is not public or cannot be reached, or the file is too large or not a picture.
        """
        for _ in range(MAX_REDIRECTS + 1):
            self._check_public(url)
            try:
                async with self._session("open").get(
                    url,
                    allow_redirects=False,
                    timeout=_NO_TIMEOUT,
                    proxy=machine_proxy(url),
                    headers={
                        "User-Agent": USER_AGENT,
                        "Accept": "image/*",
                        "Accept-Encoding": "identity",
                    },
                ) as response:
                    if response.status in (301, 302, 303, 307, 308):
                        url = urljoin(url, response.headers.get("Location", ""))
                        continue
                    if response.status != 200:
                        raise fault_of_status("pictures", response.status, "", response.headers)
                    if not response.content_type.startswith(("image/", "application/octet-stream")):
                        raise CallFault(
                            "pictures", "no picture", Status.BAD_RESPONSE, retryable=False
                        )
                    return await _read(response, max_bytes)
            except (aiohttp.ClientError, ValueError, OSError) as error:
                raise _fault_of_connection("pictures", error) from None
        raise CallFault("pictures", "too many redirects", Status.BAD_RESPONSE, retryable=False)

    async def _send(
        self, name: str, service: ServiceSettings, asked: ServiceRequest, key: str
    ) -> tuple[int, dict[str, str], bytes]:
        url = f"{service.base}{asked.path}"
        headers = {
            "Content-Type": "application/json",
            **asked.headers,
            **service.service.headers(key),
        }
        try:
            # No redirects: they would send the key to another host.
            async with self._session("services").request(
                "GET" if asked.body is None else "POST",
                url,
                params=dict(asked.query) or None,
                headers=headers,
                allow_redirects=False,
                data=None if asked.body is None else orjson.dumps(asked.body),
                proxy=machine_proxy(url),
                timeout=_NO_TIMEOUT,
            ) as response:
                return (
                    response.status,
                    {k.lower(): v for k, v in response.headers.items()},
                    await _read(response, MAX_REPLY_BYTES),
                )
        except (aiohttp.ClientError, OSError) as error:
            fault = _fault_of_connection(name, error)
        raise fault  # raised outside the handler, whose context holds the request and so the key

    def _session(self, kind: str) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._sessions, self._loop = {}, loop
        if kind not in self._sessions:
            resolver = PublicResolver() if kind == "open" and not self.allow_private else None
            # Pictures are compressed already. A compressed reply from an unknown host could be a zip bomb, so it is not
            # unpacked.
            self._sessions[kind] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, resolver=resolver),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=kind != "open",
            )
        return self._sessions[kind]

    def _check_public(self, url: str) -> None:
        """Refuses texts that are not web addresses. The function also refuses numeric IP addresses
        of private networks, because name resolution never checks numeric addresses."""
        try:
            parts = urlsplit(url)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username
            port = parts.port
        except ValueError:
            good, port = False, None
        if not good or (
            not self.allow_private
            and not (is_public(parts.hostname or "") and port in (None, 80, 443))
        ):
            raise CallFault(
                "pictures", "no public web address", Status.NOT_ACCEPTED, retryable=False
            )


def is_public(host: str) -> bool:
    """Whether the name or address of a host looks public. Private IP addresses and names in a
    private network are not public."""
    try:
        return is_public_address(host.strip("[]"))
    except ValueError:
        name = host.rstrip(".").lower()
        last = name.rpartition(".")[2]
        # The system's resolver reads "127.1" and "0x7f.1" as addresses.
        own = f".{name}".endswith((".local", ".internal", ".localhost", ".lan", ".home.arpa"))
        return "." in name and not own and not re.fullmatch(r"\d+|0x[\da-f]*", last)


def is_blocked(host: str, blocked_hosts: tuple[str, ...]) -> bool:
    """Whether a host is a blocked host or a subdomain of one."""
    name = host.rstrip(".").lower()
    return any(name == blocked or name.endswith(f".{blocked}") for blocked in blocked_hosts)


def is_public_address(address: str) -> bool:
    """Whether an IP address is public. Some IPv6 addresses contain an IPv4 address (mapped, 6to4);
    for these, the IPv4 address decides.

    Raises: ValueError: the text is not an IP address.
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None:
            return found in UNICAST and found.is_global
        found = inner
    return found.is_global and not found.is_multicast


def machine_proxy(url: str) -> str | None:
    """The proxy for an address, from the environment variables (HTTPS_PROXY, NO_PROXY, …)."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme)


class PublicResolver(AbstractResolver):
    """Resolves host names, and returns public addresses only."""

    def __init__(self) -> None:
        self._inner: ThreadedResolver | None = None

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if self._inner is None:
            self._inner = ThreadedResolver()
        found = [
            one
            for one in await self._inner.resolve(host, port, family)
            if is_public_address(one["host"])
        ]
        if not found:
            raise OSError(None, "the name leads to no public address")
        return found

    async def close(self) -> None:
        if self._inner is not None:
            await self._inner.close()


def _checked(name: str, body: bytes, parse: Parse) -> Reply:
    try:
        parse(body)
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
    ):  # a hostile reply can have any shape
        raise CallFault(
            name,
            f"status 200 with something that is no answer: {body[:100]!r}",
            Status.BAD_RESPONSE,
        ) from None
    return Reply(body=body, tokens_out=1)


async def _read(response: aiohttp.ClientResponse, most: int) -> bytes:
    body = bytearray()
    async for part in response.content.iter_chunked(1 << 16):
        body += part
        if len(body) > most:
            raise CallFault(
                "pictures" if most != MAX_REPLY_BYTES else "service",
                f"more than {most} bytes",
                Status.BAD_RESPONSE,
                retryable=False,
            )
    return bytes(body)


def _fault_of_connection(name: str, error: Exception) -> CallFault:
    what = type(error).__name__
    if isinstance(error, aiohttp.ClientConnectorError):
        return CallFault(name, f"cannot be reached ({what})", Status.UNREACHABLE)
    return CallFault(name, f"the connection broke ({what})", Status.CUT)
